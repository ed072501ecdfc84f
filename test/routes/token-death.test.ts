// What kills codes and tokens at once (D28).
import { afterAll, describe, expect, test } from 'vitest';
import { withdrawConsent } from '../../src/store/consents.ts';
import { changePassword } from '../../src/store/users.ts';
import { openBrowserSession } from '../support/browser-session.ts';
import { expectError } from '../support/expect-error.ts';
import {
  obtainCode,
  obtainTokens,
  redeem,
  renew,
  revoke,
  signedInBrowser,
  signIn,
  userinfo,
} from '../support/flow.ts';
import { deleteClient, deleteUser, newSecret, sql, suspendUser } from '../support/populate.ts';
import { startTestService, type TestApplication, type TestUser } from '../support/service.ts';

const service = await startTestService();
afterAll(() => service.close());

/** Everything that can be outstanding between a person and an application. */
async function outstanding(application: TestApplication, user: TestUser) {
  const browser = await signedInBrowser(service, user);
  const first = await obtainTokens(service, application, browser);
  const { body } = await renew(service, application, first.refreshToken);
  return {
    accessTokens: [first.accessToken, String(body.access_token)],
    refreshToken: String(body.refresh_token),
    code: await obtainCode(service, application, browser),
  };
}
type Outstanding = Awaited<ReturnType<typeof outstanding>>;

async function expectAlive(application: TestApplication, { accessTokens, refreshToken, code }: Outstanding) {
  for (const token of accessTokens) expect((await userinfo(service, token)).status).toBe(200);
  expect((await renew(service, application, refreshToken)).status).toBe(200);
  expect((await redeem(service, application, code)).status).toBe(200);
}

async function expectDead(
  application: TestApplication,
  { accessTokens, refreshToken, code }: Outstanding,
  [status, error]: [number, string] = [400, 'invalid_grant'],
) {
  for (const token of accessTokens) expectError(await userinfo(service, token), 401, 'invalid_token');
  expectError(await renew(service, application, refreshToken), status, error);
  expectError(await redeem(service, application, code), status, error);
}

describe('D28: codes, access tokens and refresh tokens die at once', () => {
  test('D28: when the application is deleted; those of other applications live on', async () => {
    const user = await service.createUser();
    const [application, other] = [await service.createApplication(), await service.createApplication()];
    const [dying, living] = [await outstanding(application, user), await outstanding(other, user)];
    expect(await deleteClient(service.parts.database, application.clientId)).toBe(true);
    await expectDead(application, dying, [401, 'invalid_client']);
    expectError(await revoke(service, application, dying.refreshToken), 401, 'invalid_client');
    await expectAlive(other, living);
  });

  test('D28: when consent is withdrawn; other people and applications keep theirs', async () => {
    const [user, neighbour] = [await service.createUser(), await service.createUser()];
    const [application, other] = [await service.createApplication(), await service.createApplication()];
    const dying = await outstanding(application, user);
    const living = await outstanding(application, neighbour);
    const elsewhere = await outstanding(other, user);
    const { database, now } = service.parts;
    expect(await withdrawConsent(database, user.userId, application.clientId, now())).toBe(true);
    await expectDead(application, dying);
    await expectAlive(application, living);
    await expectAlive(other, elsewhere);
  });

  test('D28: when the password changes; what is granted afterwards lives', async () => {
    const user = await service.createUser();
    const application = await service.createApplication();
    const dying = await outstanding(application, user);
    const { database, hasher } = service.parts;
    const password = 'another-long-password-7';
    expect(await changePassword(database, user.userId, await hasher.hash(password))).toBe(true);
    await expectDead(application, dying);
    await expectAlive(application, await outstanding(application, { ...user, password }));
  });

  test('D28: when the account is suspended; nobody signs in to it any more', async () => {
    const user = await service.createUser();
    const application = await service.createApplication();
    const dying = await outstanding(application, user);
    expect(await suspendUser(service.parts.database, user.userId, service.parts.now())).toBe(true);
    await expectDead(application, dying);
    await sql(service.parts.database, 'update users set suspended_at = null where id = $1', [user.userId]);
    await expectDead(application, dying);
    await suspendUser(service.parts.database, user.userId, service.parts.now());
    const browser = openBrowserSession(service.baseUrl);
    expect((await signIn(browser, user)).status).not.toBe(200);
    expect(browser.cookies.has('sesame')).toBe(false);
  });

  test('D28: when the application is suspended', async () => {
    const application = await service.createApplication();
    const dying = await outstanding(application, await service.createUser());
    const { database, now } = service.parts;
    await sql(database, 'update clients set suspended_at = $2 where client_id = $1', [
      application.clientId,
      now(),
    ]);
    await expectDead(application, dying, [401, 'invalid_client']);
    expectError(await revoke(service, application, dying.refreshToken), 401, 'invalid_client');
  });

  test('D28: when the account is deleted; an account made anew with the email is another one (D33)', async () => {
    const user = await service.createUser();
    const application = await service.createApplication();
    const dying = await outstanding(application, user);
    expect(await deleteUser(service.parts.database, user.userId)).toBe(true);
    await expectDead(application, dying);
    const successor = await service.createUser({ email: user.email });
    await expectDead(application, dying);
    const { accessTokens } = await outstanding(application, successor);
    const { body } = await userinfo(service, accessTokens[0] ?? '');
    expect(body.sub).toBe(successor.userId);
    expect(body.sub).not.toBe(user.userId);
  });
});

describe('D28: a new secret, with the old one valid for a chosen time', () => {
  test('D28: both work within the overlap, then only the new one; tokens survive', async () => {
    const user = await service.createUser();
    const application = await service.createApplication();
    const { code, refreshToken, accessTokens } = await outstanding(application, user);
    const { database, now } = service.parts;
    const clientSecret = await newSecret(database, application.clientId, 3000, now());
    const rotated = { ...application, clientSecret };
    expect((await redeem(service, application, code)).status).toBe(200);
    const renewed = await renew(service, rotated, refreshToken);
    expect(renewed.status).toBe(200);
    const next = String(renewed.body.refresh_token);

    service.clock.advance(2990);
    const again = await renew(service, application, next);
    expect(again.status).toBe(200);
    expect((await userinfo(service, accessTokens[0] ?? '')).status).toBe(200);
    service.clock.advance(10);
    const last = String(again.body.refresh_token);
    expectError(await renew(service, application, last), 401, 'invalid_client');
    expect((await renew(service, rotated, last)).status).toBe(200);
  });

  test('D28: without overlap the old one is refused at once', async () => {
    const application = await service.createApplication();
    const { refreshToken } = await outstanding(application, await service.createUser());
    const { database, now } = service.parts;
    const clientSecret = await newSecret(database, application.clientId, 0, now());
    expectError(await renew(service, application, refreshToken), 401, 'invalid_client');
    expect((await renew(service, { ...application, clientSecret }, refreshToken)).status).toBe(200);
  });

  test('D28: rotating again never prolongs an older secret', async () => {
    const application = await service.createApplication();
    const { refreshToken } = await outstanding(application, await service.createUser());
    const { database, now } = service.parts;
    const second = await newSecret(database, application.clientId, 60, now());
    const third = await newSecret(database, application.clientId, 3600, now());
    service.clock.advance(61);
    expectError(await renew(service, application, refreshToken), 401, 'invalid_client');
    const { status, body } = await renew(service, { ...application, clientSecret: second }, refreshToken);
    expect(status).toBe(200);
    const next = String(body.refresh_token);
    expect((await renew(service, { ...application, clientSecret: third }, next)).status).toBe(200);
  });
});
