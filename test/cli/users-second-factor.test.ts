// sesame users show and reset-second-factor. test/credentials/second-factor-reset.test.ts has the rules of resets.

import { expect, test } from 'vitest';
import { listEvents } from '../../src/store/events.ts';
import { findReset } from '../../src/store/second-factor-resets.ts';
import { lastMailTo } from '../support/mail.ts';
import { enrol, showPasskey } from '../support/passkey.ts';
import { give, halfWay, protect } from '../support/protected-account.ts';
import { SECRET_KEY } from '../support/secret-key.ts';
import { useTestService } from '../support/service.ts';
import { sesameCommand } from '../support/sesame-command.ts';

const service = useTestService();
const cli = sesameCommand(() => service.databaseUrl);
const reset = async (...args: string[]) => {
  const command = ['users', 'reset-second-factor', ...args, '--json'];
  const { code, stdout, stderr } = await cli.run(command, '', { SECRET_KEY });
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
};

test('a reset waits for the delay, is mailed, and can be stopped; both are logged with the reason', async () => {
  const { user } = await protect(service, { locale: 'en' });
  const { email, userId } = user;
  const asked = await reset(email.toUpperCase(), '--reason', ' lost  phone ');
  const due_at = (await findReset(service.parts.database, userId))?.dueAt.toISOString();
  expect(asked).toEqual({ email, outcome: 'asked', due_at });
  expect((await lastMailTo(service, email)).subject).toBe(
    'The second factor of your Sésame account is about to be reset',
  );
  expect(await reset(email)).toEqual({ email, outcome: 'waiting', due_at });
  expect(await reset(email, '--stop', '--reason', 'it was found')).toEqual({ email, stopped: true });
  expect(await reset(email, '--stop')).toEqual({ email, stopped: false });
  expect((await halfWay(service, user)).asked.location?.pathname).toBe('/signin/second-factor');
  const events = await listEvents(service.parts.database, { userId }, { limit: 50 });
  const logged = events.filter(({ kind }) => kind.startsWith('second_factor_reset'));
  expect(logged.map(({ kind, actorId, address, detail }) => [kind, actorId, address, detail])).toEqual([
    ['second_factor_reset_stopped', null, null, { reason: 'it was found' }],
    ['second_factor_reset_asked', null, null, { reason: 'lost phone', until: due_at }],
  ]);
});

test('with --now it is done at once; passkeys only with --passkeys', async () => {
  const { user, browser } = await protect(service, { locale: 'en' });
  const { passkey } = await enrol(browser, service);
  await reset(user.email);
  expect(await reset(user.email, '--now')).toEqual({ email: user.email, outcome: 'reset', due_at: null });
  expect((await halfWay(service, user)).asked.location?.pathname).toBe('/account');
  expect((await showPasskey(service, passkey)).answer.status).toBe(303);
  await reset(user.email, '--passkeys', '--now');
  expect((await showPasskey(service, passkey)).answer.status).toBe(401);
  expect((await reset((await service.createUser()).email)).outcome).toBe('nothing');
  expect(await cli.fault(['users', 'reset-second-factor', 'nobody@cli.example'])).toBe(
    'sesame: No account has the email nobody@cli.example.\n',
  );
});

test('show has the factors of an account and its last sign-ins, and no secret', async () => {
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
  expect(stdout).toMatch(/^sign_ins +\{.*"way":"password\+recovery_code"/m);
  expect(JSON.stringify(shown) + stdout).not.toMatch(/secret|hash/);
});
