// Tests `sesame apps create`, `rotate-secret` and `delete`.
import { describe, expect, test } from 'vitest';
import { isWellFormedClientSecret } from '../../src/oauth/secrets.ts';
import {
  fetchUserinfo,
  obtainTokens,
  openSignedInBrowser,
  redeemRefreshToken,
} from '../support/oauth-flow.ts';
import { useTestService } from '../support/service.ts';
import { createSesameCommand } from '../support/sesame-command.ts';

const service = useTestService();
const cli = createSesameCommand(() => service.databaseUrl);

const CALLBACK_URL = 'https://cli.example/callback';
const createApp = (owner: string, ...args: string[]) =>
  cli.runJson('apps', 'create', '--owner', owner, '--name', 'Agenda', '--callback', CALLBACK_URL, ...args);
const toTestClient = (app: Record<string, unknown>) => ({
  clientId: String(app.client_id),
  clientSecret: String(app.client_secret ?? ''),
  redirectUri: CALLBACK_URL,
});

describe('the command', () => {
  test('`apps create --json` prints a working client_id and 256-bit secret', async () => {
    const { email } = await service.createUser();
    const app = await createApp(email, '--scopes', 'openid profile');
    expect(Object.keys(app)).toEqual(['client_id', 'client_secret', 'name', 'redirect_uris', 'scopes']);
    expect(app).toMatchObject({
      name: 'Agenda',
      redirect_uris: [CALLBACK_URL],
      scopes: ['openid', 'profile'],
    });
    expect(app.client_id).toMatch(/^[A-Za-z0-9_-]+$/);
    expect(isWellFormedClientSecret(String(app.client_secret))).toBe(true);
    const browser = await openSignedInBrowser(service, await service.createUser());
    const tokens = await obtainTokens(service, toTestClient(app), browser, { scope: 'openid profile' });
    expect((await fetchUserinfo(service, tokens.accessToken)).status).toBe(200);
  });

  test('`apps create --machine` requires no redirect URI', async () => {
    const { email } = await service.createUser();
    const created = await cli.runJson('apps', 'create', '--owner', email, '--name', 'Batch', '--machine');
    expect(created).toMatchObject({
      client_secret: expect.stringMatching(/^sesame_secret_/),
      redirect_uris: [],
    });
    const updated = await cli.runJson('apps', 'update', String(created.client_id), '--name', 'Nightly');
    expect(updated).toMatchObject({ name: 'Nightly', type: 'confidential', redirect_uris: [] });
  });

  test('`apps create --public` prints no secret', async () => {
    const { email } = await service.createUser();
    const publicApp = await createApp(email, '--public');
    expect(Object.keys(publicApp)).toEqual(['client_id', 'name', 'redirect_uris', 'scopes']);
    const confidentialApp = await createApp(email, '--standard', '--refresh-grace', '30');
    const rows = await cli.runJsonList('apps', 'list');
    expect(rows.find(({ client_id }) => client_id === publicApp.client_id)).toEqual({
      client_id: publicApp.client_id,
      name: 'Agenda',
      type: 'public',
      owner: email,
      redirect_uris: [CALLBACK_URL],
      scopes: ['openid', 'profile', 'email'],
      standard: false,
      refresh_grace: 10,
      suspended: false,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    });
    expect(rows.find(({ client_id }) => client_id === confidentialApp.client_id)).toMatchObject({
      type: 'confidential',
      standard: true,
      refresh_grace: 30,
    });
    const { stdout } = await cli.run(['apps', 'list']);
    expect(stdout).toMatch(/^client_id +name +type +owner +scopes +redirect_uris\n/);
    expect(stdout).toContain(String(confidentialApp.client_id));
    expect(stdout).not.toContain(String(confidentialApp.client_secret));
  });

  test('`apps rotate-secret` expires the old secret immediately or after the overlap', async () => {
    const { email } = await service.createUser();
    const app = toTestClient(await createApp(email));
    const browser = await openSignedInBrowser(service, await service.createUser());
    const { refreshToken } = await obtainTokens(service, app, browser);
    const rotated = await cli.runJson('apps', 'rotate-secret', app.clientId);
    expect(Object.keys(rotated)).toEqual(['client_id', 'client_secret']);
    const second = toTestClient(rotated);
    expect((await redeemRefreshToken(service, app, refreshToken)).status).toBe(401);
    const firstRefresh = await redeemRefreshToken(service, second, refreshToken);
    expect(firstRefresh.status).toBe(200);

    const third = toTestClient(await cli.runJson('apps', 'rotate-secret', app.clientId, '--overlap', '3600'));
    const secondRefresh = await redeemRefreshToken(service, second, String(firstRefresh.body.refresh_token));
    expect(secondRefresh.status).toBe(200);
    expect((await redeemRefreshToken(service, third, String(secondRefresh.body.refresh_token))).status).toBe(
      200,
    );
  });

  test('`apps delete` revokes all tokens of the application', async () => {
    const { email } = await service.createUser();
    const app = toTestClient(await createApp(email));
    const browser = await openSignedInBrowser(service, await service.createUser());
    const { accessToken } = await obtainTokens(service, app, browser);
    expect(await cli.runJson('apps', 'delete', app.clientId)).toEqual({ deleted: app.clientId });
    expect((await fetchUserinfo(service, accessToken)).status).toBe(401);
    expect(await cli.runFailing(['apps', 'delete', app.clientId])).toContain(
      'No application has the client_id',
    );
  });

  test('`apps create` refuses invalid values', async () => {
    const { email } = await service.createUser();
    for (const [args, message] of [
      [['--callback', 'https://a.example/#x'], /fragment/],
      [['--callback', CALLBACK_URL, '--scopes', 'openid unknown'], /Unknown scope "unknown"/],
      [['--callback', CALLBACK_URL, '--refresh-grace', '-1'], /whole number/],
      [['--machine', '--callback', CALLBACK_URL], /can't be combined with --public or --callback/],
      [['--machine', '--public'], /can't be combined with --public or --callback/],
      [['--machine', '--device-flow'], /has no users\. Remove --device-flow/],
      [[], /--callback/],
    ] as const)
      expect(await cli.runFailing(['apps', 'create', '--owner', email, '--name', 'A', ...args])).toMatch(
        message,
      );
  });

  test('`apps update` refuses the device flow and callback URLs for a machine-to-machine application', async () => {
    const { email } = await service.createUser();
    const { client_id: clientId } = await cli.runJson(
      'apps',
      'create',
      '--owner',
      email,
      '--name',
      'A',
      '--machine',
    );
    expect(await cli.runFailing(['apps', 'update', String(clientId), '--device-flow'])).toContain(
      'Remove --device-flow',
    );
    expect(await cli.runFailing(['apps', 'update', String(clientId), '--callback', CALLBACK_URL])).toContain(
      'A machine-to-machine application has no callback URLs.',
    );
  });

  test('`apps` refuses invalid owners, applications and overlaps', async () => {
    const create = [
      'apps',
      'create',
      '--owner',
      'nobody@cli.example',
      '--name',
      'A',
      '--callback',
      CALLBACK_URL,
    ];
    expect(await cli.runFailing(create)).toContain('No account has the email address nobody@cli.example.');
    expect(await cli.runFailing(['apps', 'rotate-secret', 'app_nobody'])).toContain(
      'No application has the client_id app_nobody.',
    );
    const unverified = await service.createUser({ emailVerified: false });
    create.splice(3, 1, unverified.email);
    expect(
      await cli.runFailing(create, '', { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'sesame@example.com' }),
    ).toContain('is not verified.');
    const { email } = await service.createUser();
    const { client_id } = await createApp(email, '--public');
    expect(await cli.runFailing(['apps', 'rotate-secret', String(client_id)])).toContain(
      "can't have a secret",
    );
    const { client_id: clientId } = await createApp(email);
    expect(
      await cli.runFailing(['apps', 'rotate-secret', String(clientId), '--overlap', '604801']),
    ).toContain('7 days');
  });
});
