// sesame users show and reset-second-factor: what opens an account; the same rules as on the operators' page.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findReset } from '../../src/store/second-factor-resets.ts';
import { give, halfWay, protect } from '../support/protected-account.ts';
import { SECRET_KEY } from '../support/secret-key.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { sesameCommand } from '../support/sesame-command.ts';

let service: TestService;
const cli = sesameCommand(() => service.databaseUrl);
const run = async (...args: string[]) => {
  const { code, stdout, stderr } = await cli.run(['users', 'reset-second-factor', ...args], '', {
    SECRET_KEY,
  });
  expect([code, stderr]).toEqual([0, '']);
  return stdout;
};
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

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

test('without a delay it is done when the command ends, also where one waited', async () => {
  const { user } = await protect(service);
  await run(user.email);
  const environment = { SECRET_KEY, SECOND_FACTOR_RESET_DELAY: '0' };
  const done = await cli.run(['users', 'reset-second-factor', user.email], '', environment);
  expect(done.stdout).toBe(`The second factor of ${user.email} is taken away.\n`);
  expect((await halfWay(service, user)).asked.location?.pathname).toBe('/account');
  expect(await findReset(service.parts.database, user.userId)).toBeUndefined();
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
