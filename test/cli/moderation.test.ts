// sesame users suspend|unsuspend|end-sessions|grant-operator|revoke-operator, apps suspend|…|verify, sesame audit.
import { describe, expect, test } from 'vitest';
import { recordEvent } from '../../src/store/events.ts';
import { newPerson, obtainTokens, signedInBrowser, userinfo } from '../support/flow.ts';
import { useTestService } from '../support/service.ts';
import { sesameCommand } from '../support/sesame-command.ts';

const service = useTestService();
const cli = sesameCommand(() => service.databaseUrl);

describe('users', () => {
  test('are suspended and let in again by their email in any case; tokens die at once (D28)', async () => {
    const { user, browser } = await newPerson(service);
    const { accessToken } = await obtainTokens(service, await service.createApplication(), browser);
    const done = await cli.run(['users', 'suspend', user.email.toUpperCase(), '--reason', 'spam']);
    expect([done.code, done.stderr]).toEqual([0, '']);
    expect(done.stdout).toMatch(
      new RegExp(`^sub +${user.userId}\\nemail +${user.email}\\nchanged +yes$`, 'm'),
    );
    expect((await userinfo(service, accessToken)).status).toBe(401);
    expect(await cli.json('users', 'suspend', user.email)).toEqual({
      sub: user.userId,
      email: user.email,
      changed: false,
    });
    const rows = await cli.rows('users', 'list');
    expect(rows.find(({ sub }) => sub === user.userId)?.suspended).toBe(true);
    expect((await cli.json('users', 'unsuspend', user.email)).changed).toBe(true);
    await signedInBrowser(service, user);
    expect((await cli.json('users', 'end-sessions', user.email)).changed).toBe(true);
    expect((await browser.get('/account')).location?.pathname).toBe('/signin');
  });

  test('become operators, and stop being so; never the last one', async () => {
    const [first, second] = [await service.createUser(), await service.createUser()];
    expect((await cli.json('users', 'grant-operator', first.email)).changed).toBe(true);
    const browser = await signedInBrowser(service, first);
    expect((await browser.get('/console/operations')).status).toBe(200);
    for (const command of ['revoke-operator', 'suspend', 'delete'])
      expect(await cli.fault(['users', command, first.email])).toBe(
        'sesame: This is the last operator: make another one first.\n',
      );
    await cli.json('users', 'grant-operator', second.email);
    expect((await cli.json('users', 'revoke-operator', first.email)).changed).toBe(true);
    expect((await browser.get('/console/operations')).status).toBe(404);
    expect(await cli.fault(['users', 'grant-operator', 'nobody@cli.example'])).toBe(
      'sesame: No account has the email nobody@cli.example.\n',
    );
  });
});

describe('apps', () => {
  test('are suspended and verified by their Client ID', async () => {
    const application = await service.createApplication();
    const { clientId } = application;
    const browser = await signedInBrowser(service, await service.createUser());
    const { accessToken } = await obtainTokens(service, application, browser);
    expect(await cli.json('apps', 'suspend', clientId)).toEqual({ client_id: clientId, changed: true });
    expect((await userinfo(service, accessToken)).status).toBe(401);
    expect((await cli.json('apps', 'unsuspend', clientId)).changed).toBe(true);
    expect((await cli.json('apps', 'verify', clientId)).changed).toBe(true);
    expect((await cli.json('apps', 'verify', clientId)).changed).toBe(false);
    expect((await cli.json('apps', 'unverify', clientId)).changed).toBe(true);
    expect(await cli.fault(['apps', 'verify', 'app_nobody'])).toBe(
      'sesame: No application has the Client ID app_nobody.\n',
    );
    const events = await cli.rows('audit', '--app', clientId);
    expect(events.map(({ kind }) => kind).slice(0, 4)).toEqual([
      'application_unverified',
      'application_verified',
      'application_unsuspended',
      'application_suspended',
    ]);
    expect(events[0]).toMatchObject({ actor: null, address: null, application: { client_id: clientId } });
  });
});

describe('audit', () => {
  test('lists the latest events, filtered; for people in columns, for programs as JSON', async () => {
    const user = await service.createUser();
    const { database } = service.parts;
    for (const [day, address] of [
      [1, '192.0.2.1'],
      [2, '192.0.2.2'],
      [3, '192.0.2.2'],
    ] as const)
      await recordEvent(
        database,
        { kind: 'signed_in', userId: user.userId, address, detail: { number: day } },
        new Date(`2026-02-0${day}T10:00:00Z`),
      );
    const days = async (...args: string[]) =>
      (await cli.rows('audit', '--until', '2026-03-01', ...args)).map(
        ({ detail }) => (detail as { number?: number }).number,
      );
    expect(await days('--user', user.email)).toEqual([3, 2, 1]);
    expect(await days('--user', user.userId, '--limit', '1')).toEqual([3]);
    expect(await days('--address', '192.0.2.1', '--kind', 'signed_in')).toEqual([1]);
    expect(await days('--from', '2026-02-02', '--until', '2026-02-02T23:00:00Z')).toEqual([2]);
    const { stdout } = await cli.run(['audit', '--user', user.email]);
    expect(stdout).toMatch(
      /^at +kind +actor +account +application +api +address +detail\n2026-02-03T10:00:00\.000Z +signed_in/,
    );
    expect(stdout.split('\n')[1]?.split(/ +/)).toContain(user.email);
    expect((await cli.run(['migrate'])).stdout).toMatch(/^applied +none\n$/);
  });

  test('refuses filters that it cannot apply, in words', async () => {
    for (const [args, words] of [
      [['--user', 'nobody@cli.example'], 'No account has the email nobody@cli.example.'],
      [['--kind', 'constructor'], 'There is no event of the kind constructor. The kinds are account_'],
      [['--until', '2026-13-01'], '--until takes a day or a moment'],
      [['--limit', '99999'], '--limit is from 1 to 10000.'],
    ] as const)
      expect(await cli.fault(['audit', ...args])).toContain(words);
  });
});
