// sesame users show and reset-second-factor: what opens an account; the same rules as on the operators' page.
import { expect, test } from 'vitest';
import { carryOutDueReset } from '../../src/credentials/second-factor-reset.ts';
import { listEvents } from '../../src/store/events.ts';
import { findReset } from '../../src/store/second-factor-resets.ts';
import { openBrowserSession } from '../support/browser-session.ts';
import { enrol, showPasskey } from '../support/enrol-passkey.ts';
import { lastMailTo, linkIn, mailsTo } from '../support/mail.ts';
import { give, halfWay, protect } from '../support/protected-account.ts';
import { SECRET_KEY } from '../support/secret-key.ts';
import { type TestUser, useTestService } from '../support/service.ts';
import { sesameCommand } from '../support/sesame-command.ts';

const service = useTestService();
const cli = sesameCommand(() => service.databaseUrl);
const run = async (...args: string[]) => {
  const { code, stdout, stderr } = await cli.run(['users', 'reset-second-factor', ...args], '', {
    SECRET_KEY,
  });
  expect([code, stderr]).toEqual([0, '']);
  return stdout;
};

/** What the audit log says of the resets of an account, the first one first. */
const written = async ({ userId }: TestUser) =>
  (await listEvents(service.parts.database, { userId }, { limit: 50 }))
    .filter(({ kind }) => kind.startsWith('second_factor_'))
    .map(({ kind, actorId, address, detail }) => ({ kind, actorId, address, detail }))
    .reverse();
/** By the command line, of which nobody's account and no address is known. */
const OF_NOBODY = { actorId: null, address: null };

test('waits for the delay, says until when, and can be stopped', async () => {
  const { user } = await protect(service);
  const said = await run(user.email.toUpperCase());
  const due = (await findReset(service.parts.database, user.userId))?.dueAt.toISOString();
  expect(said).toBe(
    `The second factor of ${user.email} is taken away at ${due}; until then, its person can stop it.\n`,
  );
  expect(await run(user.email)).toContain('That was asked for already');
  expect(JSON.parse(await run(user.email, '--json'))).toEqual({
    email: user.email,
    outcome: 'waiting',
    due_at: due,
  });
  expect(await run(user.email, '--stop')).toBe(`${user.email} keeps its second factor.\n`);
  expect(await run(user.email, '--stop')).toBe(`Nothing waits for ${user.email}.\n`);
  expect((await halfWay(service, user)).asked.location?.pathname).toBe('/signin/second-factor');
});

test('with --now it is done when the command ends, also where one waited', async () => {
  const { user } = await protect(service);
  await run(user.email);
  const done = await run(user.email, '--now');
  expect(done).toBe(`The second factor of ${user.email} is taken away.\n`);
  expect((await halfWay(service, user)).asked.location?.pathname).toBe('/account');
  expect(await findReset(service.parts.database, user.userId)).toBeUndefined();
});

test('is mailed to its person, whose link stops it, and is written down', async () => {
  const { user } = await protect(service, { locale: 'en' });
  await run(user.email);
  const until = (await findReset(service.parts.database, user.userId))?.dueAt.toISOString();
  const asked = { kind: 'second_factor_reset_asked', ...OF_NOBODY, detail: { until } };
  expect(await written(user)).toEqual([asked]);
  const mail = await lastMailTo(service, user.email);
  expect(mail.subject).toBe('The second factor of your Sésame account is about to be reset');
  // In another browser than the account was ever opened in.
  const browser = openBrowserSession(service.baseUrl);
  const page = await browser.get(linkIn(mail));
  expect((await browser.post('/security/stop-reset', page.hidden)).status).toBe(303);
  expect(await findReset(service.parts.database, user.userId)).toBeUndefined();
  expect(await run(user.email, '--stop')).toBe(`Nothing waits for ${user.email}.\n`);
  expect(await written(user)).toEqual([
    asked,
    { kind: 'second_factor_reset_stopped', actorId: null, address: '127.0.0.1', detail: {} },
  ]);
  expect((await lastMailTo(service, user.email)).subject).toBe(
    'The second factor of your Sésame account stays as it is',
  );
});

test('stopped by the command, its person is told, and that is written down, with the reasons given', async () => {
  const { user } = await protect(service, { locale: 'en' });
  await run(user.email, '--reason', ' lost  phone ');
  await run(user.email, '--stop', '--reason', 'it was found');
  const said = (await written(user)).map(({ kind, detail }) => [
    kind,
    (detail as { reason?: string }).reason,
  ]);
  expect(said).toEqual([
    ['second_factor_reset_asked', 'lost phone'],
    ['second_factor_reset_stopped', 'it was found'],
  ]);
  // Two mails are on their way at once: either may come first.
  const subjects = (await mailsTo(service, user.email)).map(({ subject }) => subject);
  expect(subjects).toContain('The second factor of your Sésame account stays as it is');
});

test('takes place after a day, and not before', async () => {
  const { user } = await protect(service, { locale: 'en' });
  await run(user.email);
  const { askedAt, dueAt } = (await findReset(service.parts.database, user.userId)) ?? {};
  expect(Number(dueAt) - Number(askedAt)).toBe(86_400_000);
  const opens = async () => (await halfWay(service, user)).asked.location?.pathname === '/account';
  for (const [moment, done] of [
    [new Date(Number(dueAt) - 1), false],
    [new Date(Number(dueAt)), true],
  ] as const) {
    while (await carryOutDueReset(service.parts, moment));
    expect(await opens()).toBe(done);
  }
  expect((await written(user)).at(-1)).toEqual({ kind: 'second_factor_reset', ...OF_NOBODY, detail: {} });
  const told = (await mailsTo(service, user.email)).map(({ subject }) => subject);
  expect(told).toContain('The second factor of your Sésame account was reset');
});

test('with --now it is mailed and written down all the same; passkeys go where that was asked', async () => {
  const { user, browser } = await protect(service, { locale: 'en' });
  const { passkey } = await enrol(browser, service);
  await run(user.email, '--now');
  expect(await written(user)).toEqual([{ kind: 'second_factor_reset', ...OF_NOBODY, detail: {} }]);
  const mail = await lastMailTo(service, user.email);
  expect(mail.subject).toBe('The second factor of your Sésame account was reset');
  expect(linkIn(mail)).toMatch(/^\/security\/not-me\?token=/);
  expect((await showPasskey(service, passkey)).answer.status).toBe(303);

  await run(user.email, '--passkeys', '--now');
  expect((await written(user)).at(-1)?.detail).toEqual({ passkeys: true });
  expect((await showPasskey(service, passkey)).answer.status).toBe(401);
});

test('of an account without one, and of nobody', async () => {
  const { email } = await service.createUser();
  expect(await run(email)).toBe(`${email} has no such second factor: nothing has changed.\n`);
  expect(await cli.fault(['users', 'reset-second-factor', 'nobody@cli.example'])).toBe(
    'sesame: There is no account with the email nobody@cli.example.\n',
  );
});

test('show says what opens an account, and how it was entered last', async () => {
  const { user, codes } = await protect(service);
  const { browser, page } = await halfWay(service, user);
  await give(browser, page, { code: codes[0] ?? '', trust: 'yes' });
  const shown = await cli.json('users', 'show', user.email.toUpperCase());
  expect(shown).toMatchObject({
    sub: user.userId,
    email: user.email,
    authenticator_app_since: expect.stringMatching(/Z$/),
    recovery_codes_left: 9,
    trusted_browsers: 1,
    passkeys: 0,
    second_factor_reset_due_at: null,
    sign_ins: [{ way: 'password+recovery_code', address: '127.0.0.1' }, { way: 'password' }],
  });
  const { stdout } = await cli.run(['users', 'show', user.email]);
  expect(stdout).toMatch(/^recovery_codes_left +9$/m);
  expect(stdout).toMatch(/^sign_in +\S+Z password\+recovery_code 127\.0\.0\.1$/m);
  expect(JSON.stringify(shown) + stdout).not.toMatch(/secret|hash/);
  expect(await cli.fault(['users', 'show', 'nobody@cli.example'])).toBe(
    'sesame: There is no account with the email nobody@cli.example.\n',
  );
});
