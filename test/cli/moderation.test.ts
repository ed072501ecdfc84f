// CLI commands for suspension, administrator rights, verification and the audit log.
import { describe, expect, test } from 'vitest';
import { recordEvent } from '../../src/store/audit-log.ts';
import {
  createSignedInUser,
  fetchUserinfo,
  obtainTokens,
  openSignedInBrowser,
} from '../support/oauth-flow.ts';
import { useTestService } from '../support/service.ts';
import { createSesameCommand } from '../support/sesame-command.ts';

const service = useTestService();
const cli = createSesameCommand(() => service.databaseUrl);

describe('the `users` commands', () => {
  test('suspend and unsuspend accounts', async () => {
    const { user, browser } = await createSignedInUser(service);
    const { accessToken } = await obtainTokens(service, await service.createClient(), browser);
    const result = await cli.run(['users', 'suspend', user.email.toUpperCase(), '--reason', 'spam']);
    expect([result.code, result.stderr]).toEqual([0, '']);
    expect(result.stdout).toMatch(
      new RegExp(`^sub +${user.userId}\\nemail +${user.email}\\nchanged +yes$`, 'm'),
    );
    expect((await fetchUserinfo(service, accessToken)).status).toBe(401);
    expect(await cli.runJson('users', 'suspend', user.email)).toEqual({
      sub: user.userId,
      email: user.email,
      changed: false,
    });
    const rows = await cli.runJsonList('users', 'list');
    expect(rows.find(({ sub }) => sub === user.userId)?.suspended).toBe(true);
    expect((await cli.runJson('users', 'unsuspend', user.email)).changed).toBe(true);
    await openSignedInBrowser(service, user);
    expect((await cli.runJson('users', 'end-sessions', user.email)).changed).toBe(true);
    expect((await browser.get('/account')).location?.pathname).toBe('/signin');
  });

  test('grant and revoke administrator rights', async () => {
    const [first, second] = [await service.createUser(), await service.createUser()];
    expect((await cli.runJson('users', 'grant-admin', first.email)).changed).toBe(true);
    const browser = await openSignedInBrowser(service, first);
    expect((await browser.get('/console/operations')).status).toBe(200);
    for (const command of ['revoke-admin', 'suspend', 'delete'])
      expect(await cli.runFailing(['users', command, first.email])).toBe(
        'sesame: This is the last administrator. Make another account an administrator first: sesame users grant-admin <email>\n',
      );
    await cli.runJson('users', 'grant-admin', second.email);
    expect((await cli.runJson('users', 'revoke-admin', first.email)).changed).toBe(true);
    expect((await browser.get('/console/operations')).status).toBe(404);
    expect(await cli.runFailing(['users', 'grant-admin', 'nobody@cli.example'])).toContain(
      'No account has the email address nobody@cli.example.',
    );
  });
});

describe('the `apps` commands', () => {
  test('suspend and verify applications', async () => {
    const application = await service.createClient();
    const { clientId } = application;
    const browser = await openSignedInBrowser(service, await service.createUser());
    const { accessToken } = await obtainTokens(service, application, browser);
    expect(await cli.runJson('apps', 'suspend', clientId)).toEqual({ client_id: clientId, changed: true });
    expect((await fetchUserinfo(service, accessToken)).status).toBe(401);
    expect((await cli.runJson('apps', 'unsuspend', clientId)).changed).toBe(true);
    expect((await cli.runJson('apps', 'verify', clientId)).changed).toBe(true);
    expect((await cli.runJson('apps', 'verify', clientId)).changed).toBe(false);
    expect((await cli.runJson('apps', 'unverify', clientId)).changed).toBe(true);
    expect(await cli.runFailing(['apps', 'verify', 'app_nobody'])).toContain(
      'No application has the client_id app_nobody.',
    );
    const events = await cli.runJsonList('audit', '--app', clientId);
    expect(events.map(({ kind }) => kind).slice(0, 4)).toEqual([
      'application_unverified',
      'application_verified',
      'application_unsuspended',
      'application_suspended',
    ]);
    expect(events[0]).toMatchObject({ actor: null, ip: null, application: { client_id: clientId } });
  });
});

describe('the `audit` command', () => {
  test('lists only matching events', async () => {
    const user = await service.createUser();
    const { database } = service.services;
    for (const [day, ip] of [
      [1, '192.0.2.1'],
      [2, '192.0.2.2'],
      [3, '192.0.2.2'],
    ] as const)
      await recordEvent(
        database,
        { kind: 'signed_in', userId: user.userId, ip, detail: { number: day } },
        new Date(`2026-02-0${day}T10:00:00Z`),
      );
    const listEventNumbers = async (...args: string[]) =>
      (await cli.runJsonList('audit', '--until', '2026-03-01', ...args)).map(
        ({ detail }) => (detail as { number?: number }).number,
      );
    expect(await listEventNumbers('--user', user.email)).toEqual([3, 2, 1]);
    expect(await listEventNumbers('--user', user.userId, '--limit', '1')).toEqual([3]);
    expect(await listEventNumbers('--ip', '192.0.2.1', '--kind', 'signed_in')).toEqual([1]);
    expect(await listEventNumbers('--from', '2026-02-02', '--until', '2026-02-02T23:00:00Z')).toEqual([2]);
    const { stdout } = await cli.run(['audit', '--user', user.email]);
    expect(stdout).toMatch(
      /^at +kind +actor +account +application +api +ip +detail\n2026-02-03T10:00:00\.000Z +signed_in/,
    );
    expect(stdout.split('\n')[1]?.split(/ +/)).toContain(user.email);
    expect((await cli.run(['migrate'])).stdout).toMatch(/^applied +none\n$/);
  });

  test('refuses invalid filters', async () => {
    for (const [args, message] of [
      [['--user', 'nobody@cli.example'], 'No account has the email address nobody@cli.example.'],
      [['--kind', 'constructor'], 'Unknown event kind constructor. Valid event kinds: account_'],
      [['--until', '2026-13-01'], '--until must be a date or time'],
      [['--limit', '99999'], '--limit must be a number from 1 to 10000.'],
    ] as const)
      expect(await cli.runFailing(['audit', ...args])).toContain(message);
  });
});
