// What is told by mail without a link to undo it: the end of an account, and what operators decide, without blame.

import { afterAll, expect, test } from 'vitest';
import { signedInBrowser } from '../support/flow.ts';
import { lastMailTo, mailsTo } from '../support/mail.ts';
import { accountPath, applicationPath, signedInOperator } from '../support/operator.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
const operator = await signedInOperator(service);
afterAll(() => service.close());

const subjectsTo = async (email: string) =>
  (await mailsTo(service, email)).map(({ subject }) => subject).toReversed();

test('the end of an account, to its last address: from where it was asked, and whom to turn to', async () => {
  const user = await service.createUser({ name: 'Ada', locale: 'fr' });
  const browser = await signedInBrowser(service, user);
  const { csrf = '' } = (await browser.get('/account')).hidden;
  const agent = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; evil.example) Firefox/140.0' };
  await Promise.all([1, 2].map(() => browser.post('/account/delete', { csrf, email: user.email }, agent)));
  const mails = (await mailsTo(service, user.email)).filter(({ subject }) => subject.includes('supprimé'));
  expect(mails.map(({ subject }) => subject)).toEqual(['Votre compte Sésame a été supprimé']);
  const text = mails[0]?.text ?? '';
  expect(text).toContain('127.0.0.1');
  expect(text).toContain('Firefox sur Linux');
  expect(text).toContain('adressez-vous aux responsables de ce service');
  expect(text).not.toMatch(/evil|token=|https?:/);
});

test('what operators decide about an account: that it is so, not who did it, from where or why', async () => {
  const user = await service.createUser({ name: 'Ada', locale: 'en' });
  const reason = 'suspected of the worst';
  const actions = ['suspend', 'unsuspend', 'end', 'grant', 'revoke', 'delete'];
  for (const action of actions) {
    const typed = action === 'delete' ? { email: user.email } : {};
    const answer = await operator.act(accountPath(user.userId, action), { reason, ...typed });
    expect([answer.status, action]).toEqual([303, action]);
  }
  expect(await subjectsTo(user.email)).toEqual([
    'Your Sésame account is suspended',
    'Your Sésame account is no longer suspended',
    'The sessions of your Sésame account were ended',
    'You’re now an operator of Sésame',
    'You’re no longer an operator of Sésame',
    'Your Sésame account was deleted',
  ]);
  for (const { text, html } of await mailsTo(service, user.email)) {
    for (const part of [reason, operator.user.name, operator.user.email, '127.0.0.1', 'token='])
      expect(text + html).not.toContain(part);
    expect(text).toContain('contact the people who run this service');
  }
});

test('once: a second operator who does the same changes nothing, and says nothing', async () => {
  const user = await service.createUser();
  const path = accountPath(user.userId, 'suspend');
  const { hidden } = await operator.browser.get(path);
  for (let i = 0; i < 2; i++) await operator.browser.post(path, { csrf: hidden.csrf ?? '' });
  expect(await subjectsTo(user.email)).toHaveLength(1);
});

test('and about an application, to whoever it belongs to', async () => {
  const owner = await service.createUser();
  const { clientId } = await service.createApplication({ ownerId: owner.userId, name: 'Carnet <b>' });
  for (const action of ['verify', 'suspend', 'unsuspend'])
    expect((await operator.act(applicationPath(clientId, action))).status).toBe(303);
  expect(await subjectsTo(owner.email)).toHaveLength(2);
  const mail = await lastMailTo(service, owner.email);
  expect(mail.text).toContain('Concerne\u202f: «\u202fCarnet b\u202f»');
  expect(mail.html).toContain('Carnet b');
});
