// Tests `sesame users show` and `reset-mfa`. See also test/credentials/mfa-reset.test.ts.

import { expect, test } from 'vitest';
import { listEvents } from '../../src/store/audit-log.ts';
import { findMfaReset } from '../../src/store/mfa-resets.ts';
import { findLastEmailTo } from '../support/emails.ts';
import { createMfaAccount, enterPassword, submitSecondFactor } from '../support/mfa-account.ts';
import { registerPasskey, signInWithPasskey } from '../support/passkey.ts';
import { SECRET_KEY } from '../support/secret-key.ts';
import { useTestService } from '../support/service.ts';
import { createSesameCommand } from '../support/sesame-command.ts';

const service = useTestService();
const cli = createSesameCommand(() => service.databaseUrl);
const resetMfa = async (...args: string[]) => {
  const command = ['users', 'reset-mfa', ...args, '--json'];
  const { code, stdout, stderr } = await cli.run(command, '', { SECRET_KEY });
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
};

test('`users reset-mfa` schedules a reset that can be canceled', async () => {
  const { user } = await createMfaAccount(service, { locale: 'en' });
  const { email, userId } = user;
  const requested = await resetMfa(email.toUpperCase(), '--reason', ' lost  phone ');
  const due_at = (await findMfaReset(service.services.database, userId))?.dueAt.toISOString();
  expect(requested).toEqual({ email, outcome: 'requested', due_at });
  expect((await findLastEmailTo(service, email)).subject).toBe(
    'The second factor for your Sésame account is about to be reset',
  );
  expect(await resetMfa(email)).toEqual({ email, outcome: 'pending', due_at });
  expect(await resetMfa(email, '--stop', '--reason', 'it was found')).toEqual({ email, stopped: true });
  expect(await resetMfa(email, '--stop')).toEqual({ email, stopped: false });
  expect((await enterPassword(service, user)).response.location?.pathname).toBe('/signin/second-factor');
  const events = await listEvents(service.services.database, { userId }, { limit: 50 });
  const logged = events.filter(({ kind }) => kind.startsWith('mfa_reset'));
  expect(logged.map(({ kind, actorId, ip, detail }) => [kind, actorId, ip, detail])).toEqual([
    ['mfa_reset_canceled', null, null, { reason: 'it was found' }],
    ['mfa_reset_requested', null, null, { reason: 'lost phone', until: due_at }],
  ]);
});

test('`users reset-mfa --now` deletes passkeys only with --passkeys', async () => {
  const { user, browser } = await createMfaAccount(service, { locale: 'en' });
  const { passkey } = await registerPasskey(browser, service);
  await resetMfa(user.email);
  expect(await resetMfa(user.email, '--now')).toEqual({ email: user.email, outcome: 'reset', due_at: null });
  expect((await enterPassword(service, user)).response.location?.pathname).toBe('/account');
  expect((await signInWithPasskey(service, passkey)).response.status).toBe(303);
  await resetMfa(user.email, '--passkeys', '--now');
  expect((await signInWithPasskey(service, passkey)).response.status).toBe(401);
  expect((await resetMfa((await service.createUser()).email)).outcome).toBe('noMfa');
  expect(await cli.runFailing(['users', 'reset-mfa', 'nobody@cli.example'])).toContain(
    'No account has the email address nobody@cli.example.',
  );
});

test('`users show` prints an account’s sign-in methods but no secrets', async () => {
  const { user, codes } = await createMfaAccount(service);
  const { browser, page } = await enterPassword(service, user);
  await submitSecondFactor(browser, page, { code: codes[0] ?? '', trust: 'yes' });
  const shown = await cli.runJson('users', 'show', user.email.toUpperCase());
  expect(shown).toMatchObject({
    sub: user.userId,
    email: user.email,
    authenticator_app_since: expect.stringMatching(/Z$/),
    recovery_codes_left: 9,
    remembered_devices: 1,
    passkeys: 0,
    mfa_reset_due_at: null,
    sign_ins: [{ method: 'password+recovery_code', ip: '127.0.0.1' }, { method: 'password' }],
  });
  const { stdout } = await cli.run(['users', 'show', user.email]);
  expect(stdout).toMatch(/^recovery_codes_left +9$/m);
  expect(stdout).toMatch(/^sign_ins +\{.*"method":"password\+recovery_code"/m);
  expect(JSON.stringify(shown) + stdout).not.toMatch(/secret|hash/);
});
