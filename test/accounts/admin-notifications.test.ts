// Account notifications without a report link: account deletion and administrators' actions.

import { afterAll, expect, test } from 'vitest';
import { adminAccountPath, adminClientPath, createSignedInAdmin } from '../support/admin.ts';
import { findLastEmailTo, listEmailsTo } from '../support/emails.ts';
import { openSignedInBrowser } from '../support/oauth-flow.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
const admin = await createSignedInAdmin(service);
afterAll(() => service.close());

const listSubjectsTo = async (email: string) =>
  (await listEmailsTo(service, email)).map(({ subject }) => subject).toReversed();

test('an account deletion submitted twice sends only one notification', async () => {
  const user = await service.createUser({ name: 'Ada', locale: 'fr' });
  const browser = await openSignedInBrowser(service, user);
  const { csrf = '' } = (await browser.get('/account')).hidden;
  const headers = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; evil.example) Firefox/140.0' };
  await Promise.all([1, 2].map(() => browser.post('/account/delete', { csrf, email: user.email }, headers)));
  const emails = (await listEmailsTo(service, user.email)).filter(({ subject }) =>
    subject.includes('supprimé'),
  );
  expect(emails.map(({ subject }) => subject)).toEqual(['Votre compte Sésame a été supprimé']);
  const text = emails[0]?.text ?? '';
  expect(text).toContain('127.0.0.1');
  expect(text).toContain('Firefox sur Linux');
  expect(text).toContain('contactez votre administrateur');
  expect(text).not.toMatch(/evil|token=|https?:/);
});

test('notifications about administrators’ actions don’t name the administrator', async () => {
  const user = await service.createUser({ name: 'Ada', locale: 'en' });
  const reason = 'suspected of the worst';
  const actions = ['suspend', 'unsuspend', 'end', 'grant', 'revoke', 'delete'];
  for (const action of actions) {
    const confirmation = action === 'delete' ? { email: user.email } : {};
    const response = await admin.submit(adminAccountPath(user.userId, action), { reason, ...confirmation });
    expect([response.status, action]).toEqual([303, action]);
  }
  expect(await listSubjectsTo(user.email)).toEqual([
    'Your Sésame account is suspended',
    'Your Sésame account is no longer suspended',
    'All sessions in your Sésame account were ended',
    'You’re now an administrator of Sésame',
    'You’re no longer an administrator of Sésame',
    'Your Sésame account was deleted',
  ]);
  for (const { text, html } of await listEmailsTo(service, user.email)) {
    for (const part of [reason, admin.user.name, admin.user.email, '127.0.0.1', 'token='])
      expect(text + html).not.toContain(part);
    expect(text).toContain('contact your administrator');
  }
});

test('an action repeated by an administrator sends only one notification', async () => {
  const user = await service.createUser();
  const path = adminAccountPath(user.userId, 'suspend');
  const { hidden } = await admin.browser.get(path);
  for (let i = 0; i < 2; i++) await admin.browser.post(path, { csrf: hidden.csrf ?? '' });
  expect(await listSubjectsTo(user.email)).toHaveLength(1);
});

test('a client’s owner is notified when the client is suspended or unsuspended', async () => {
  const owner = await service.createUser();
  const { clientId } = await service.createClient({ ownerId: owner.userId, name: 'Carnet <b>' });
  for (const action of ['verify', 'suspend', 'unsuspend'])
    expect((await admin.submit(adminClientPath(clientId, action))).status).toBe(303);
  expect(await listSubjectsTo(owner.email)).toHaveLength(2);
  const mail = await findLastEmailTo(service, owner.email);
  expect(mail.text).toContain('Concerne\u202f: «\u202fCarnet b\u202f»');
  expect(mail.html).toContain('Carnet b');
});
