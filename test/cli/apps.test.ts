// sesame apps …, on a real database; what they print is used at once.
import { describe, expect, test } from 'vitest';
import { isClientSecretShaped } from '../../src/oauth/secrets.ts';
import { obtainTokens, renew, signedInBrowser, userinfo } from '../support/flow.ts';
import { useTestService } from '../support/service.ts';
import { sesameCommand } from '../support/sesame-command.ts';

const service = useTestService();
const cli = sesameCommand(() => service.databaseUrl);

const CALLBACK = 'https://cli.example/callback';
const createApp = (owner: string, ...args: string[]) =>
  cli.json('apps', 'create', '--owner', owner, '--name', 'Agenda', '--callback', CALLBACK, ...args);
const usable = (app: Record<string, unknown>) => ({
  clientId: String(app.client_id),
  clientSecret: String(app.client_secret ?? ''),
  redirectUri: CALLBACK,
});

describe('apps', () => {
  test('create --json gives the Client ID and a secret of 256 bits, usable at once (D33)', async () => {
    const { email } = await service.createUser();
    const app = await createApp(email, '--scopes', 'openid profile');
    expect(Object.keys(app)).toEqual(['client_id', 'client_secret', 'name', 'redirect_uris', 'scopes']);
    expect(app).toMatchObject({ name: 'Agenda', redirect_uris: [CALLBACK], scopes: ['openid', 'profile'] });
    expect(app.client_id).toMatch(/^[A-Za-z0-9_-]+$/);
    expect(isClientSecretShaped(String(app.client_secret))).toBe(true);
    const browser = await signedInBrowser(service, await service.createUser());
    const tokens = await obtainTokens(service, usable(app), browser, { scope: 'openid profile' });
    expect((await userinfo(service, tokens.accessToken)).status).toBe(200);
  });

  test('create --public gives no secret; --standard and --refresh-grace are kept (D12, D16, D19)', async () => {
    const { email } = await service.createUser();
    const open = await createApp(email, '--public');
    expect(Object.keys(open)).toEqual(['client_id', 'name', 'redirect_uris', 'scopes']);
    const tuned = await createApp(email, '--standard', '--refresh-grace', '30');
    const rows = await cli.rows('apps', 'list');
    expect(rows.find(({ client_id }) => client_id === open.client_id)).toEqual({
      client_id: open.client_id,
      name: 'Agenda',
      type: 'public',
      owner: email,
      redirect_uris: [CALLBACK],
      scopes: ['openid', 'profile', 'email'],
      standard: false,
      refresh_grace: 10,
      suspended: false,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    });
    expect(rows.find(({ client_id }) => client_id === tuned.client_id)).toMatchObject({
      type: 'confidential',
      standard: true,
      refresh_grace: 30,
    });
    const { stdout } = await cli.run(['apps', 'list']);
    expect(stdout).toMatch(/^client_id +name +type +owner +scopes +redirect_uris\n/);
    expect(stdout).toContain(String(tuned.client_id));
    expect(stdout).not.toContain(String(tuned.client_secret));
  });

  test('rotate-secret gives a new one; the old one is refused at once, or after the overlap (D28)', async () => {
    const { email } = await service.createUser();
    const app = usable(await createApp(email));
    const browser = await signedInBrowser(service, await service.createUser());
    const { refreshToken } = await obtainTokens(service, app, browser);
    const rotated = await cli.json('apps', 'rotate-secret', app.clientId);
    expect(Object.keys(rotated)).toEqual(['client_id', 'client_secret']);
    const second = usable(rotated);
    expect((await renew(service, app, refreshToken)).status).toBe(401);
    const renewed = await renew(service, second, refreshToken);
    expect(renewed.status).toBe(200);

    const third = usable(await cli.json('apps', 'rotate-secret', app.clientId, '--overlap', '3600'));
    const again = await renew(service, second, String(renewed.body.refresh_token));
    expect(again.status).toBe(200);
    expect((await renew(service, third, String(again.body.refresh_token))).status).toBe(200);
  });

  test('delete kills all that the application was given (D28)', async () => {
    const { email } = await service.createUser();
    const app = usable(await createApp(email));
    const browser = await signedInBrowser(service, await service.createUser());
    const { accessToken } = await obtainTokens(service, app, browser);
    expect(await cli.json('apps', 'delete', app.clientId)).toEqual({ deleted: app.clientId });
    expect((await userinfo(service, accessToken)).status).toBe(401);
    expect(await cli.fault(['apps', 'delete', app.clientId])).toContain('No application has the Client ID');
  });

  test('create refuses bad values in words', async () => {
    const { email } = await service.createUser();
    for (const [args, words] of [
      [['--callback', 'https://a.example/#x'], /fragment/],
      [['--callback', CALLBACK, '--scopes', 'openid unknown'], /Unknown scope "unknown"/],
      [['--callback', CALLBACK, '--refresh-grace', '-1'], /whole number/],
      [[], /--callback/],
    ] as const)
      expect(await cli.fault(['apps', 'create', '--owner', email, '--name', 'A', ...args])).toMatch(words);
  });

  test('an owner, an application or an overlap that cannot be is refused in words', async () => {
    const create = ['apps', 'create', '--owner', 'nobody@cli.example', '--name', 'A', '--callback', CALLBACK];
    expect(await cli.fault(create)).toContain('No account has the email nobody@cli.example.');
    expect(await cli.fault(['apps', 'rotate-secret', 'app_nobody'])).toContain(
      'No application has the Client ID app_nobody.',
    );
    const unverified = await service.createUser({ emailVerified: false });
    create.splice(3, 1, unverified.email);
    expect(
      await cli.fault(create, '', { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'sesame@example.com' }),
    ).toContain('is not verified yet.');
    const { email } = await service.createUser();
    const { client_id } = await createApp(email, '--public');
    expect(await cli.fault(['apps', 'rotate-secret', String(client_id)])).toContain('has no secret');
    const { client_id: other } = await createApp(email);
    expect(await cli.fault(['apps', 'rotate-secret', String(other), '--overlap', '604801'])).toContain(
      '7 days',
    );
  });
});
