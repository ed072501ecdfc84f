import { beforeAll, describe, expect, test } from 'vitest';
import { moderateResource } from '../../../src/accounts/moderation.ts';
import { findClientDetail } from '../../../src/store/admin-clients.ts';
import { listEvents } from '../../../src/store/audit-log.ts';
import { setOwnedClientLogo, updateOwnedClient } from '../../../src/store/owned-clients.ts';
import { changeOwner } from '../../../src/store/owned-resources.ts';
import { adminClientPath, createSignedInAdmin, type TestAdmin } from '../../support/admin.ts';
import {
  authorize,
  buildAuthorizeUrl,
  fetchUserinfo,
  obtainTokens,
  openSignedInBrowser,
  redeemCode,
  redeemRefreshToken,
  revokeToken,
} from '../../support/oauth-flow.ts';
import { type TestClient, useTestService } from '../../support/service.ts';

const service = useTestService();
let admin: TestAdmin;
beforeAll(async () => {
  admin = await createSignedInAdmin(service);
});

const listEventKinds = async ({ clientId }: TestClient) =>
  (await listEvents(service.services.database, { clientId }, { limit: 50 }))
    .map(({ kind }) => kind)
    .filter((kind) => /^application_(un)?(suspended|verified)$/.test(kind));
const findDetail = ({ clientId }: TestClient) => findClientDetail(service.services.database, clientId);

describe('a suspended application', () => {
  test('is rejected on sign-in and at the OAuth endpoints', async () => {
    const application = await service.createClient({ name: 'Louche' });
    const browser = await openSignedInBrowser(service, await service.createUser());
    const tokens = await obtainTokens(service, application, browser);
    const code = (await authorize(service, application, browser)).searchParams.get('code') ?? '';
    expect((await fetchUserinfo(service, tokens.accessToken)).status).toBe(200);

    const response = await admin.submit(adminClientPath(application.clientId, 'suspend'), {
      reason: 'phishing',
    });
    expect([response.status, response.location?.search]).toEqual([303, '?done=suspend']);

    expect((await fetchUserinfo(service, tokens.accessToken)).body.error).toBe('invalid_token');
    expect((await redeemCode(service, application, code)).body.error).toBe('invalid_client');
    expect((await redeemRefreshToken(service, application, tokens.refreshToken)).body.error).toBe(
      'invalid_client',
    );
    expect((await revokeToken(service, application, tokens.accessToken)).body.error).toBe('invalid_client');
    const consentPage = await browser.get(buildAuthorizeUrl(service, application));
    expect(consentPage.status, 'the application is treated as unknown, without a redirect').toBe(401);
    expect((await findDetail(application))?.suspendedAt).toEqual(expect.any(Date));
  });

  test('must request access again after the suspension', async () => {
    const application = await service.createClient();
    const browser = await openSignedInBrowser(service, await service.createUser());
    const tokens = await obtainTokens(service, application, browser);
    await admin.submit(adminClientPath(application.clientId, 'suspend'));
    await admin.submit(adminClientPath(application.clientId, 'unsuspend'));
    expect((await fetchUserinfo(service, tokens.accessToken)).status).toBe(401);
    expect((await redeemRefreshToken(service, application, tokens.refreshToken)).body.error).toBe(
      'invalid_grant',
    );
    const newTokens = await obtainTokens(service, application, browser);
    expect((await fetchUserinfo(service, newTokens.accessToken)).status).toBe(200);
    expect(await listEventKinds(application)).toEqual(['application_unsuspended', 'application_suspended']);
  });
});

describe('the verification of an application', () => {
  test('does not affect tokens', async () => {
    const application = await service.createClient();
    const tokens = await obtainTokens(
      service,
      application,
      await openSignedInBrowser(service, await service.createUser()),
    );
    const response = await admin.submit(adminClientPath(application.clientId, 'verify'), { reason: 'known' });
    expect((await admin.browser.follow(response)).body).toMatch(/role="status"[\s\S]*?Application verified/);
    expect((await findDetail(application))?.verifiedAt).toEqual(expect.any(Date));
    const [event] = await listEvents(
      service.services.database,
      { clientId: application.clientId, kind: 'application_verified' },
      { limit: 1 },
    );
    expect(event).toMatchObject({
      actorId: admin.user.userId,
      ip: '127.0.0.1',
      detail: { reason: 'known' },
    });
    await admin.submit(adminClientPath(application.clientId, 'unverify'));
    expect((await findDetail(application))?.verifiedAt).toBeNull();
    expect((await fetchUserinfo(service, tokens.accessToken)).status).toBe(200);
  });

  test('is revoked if the name, redirect URIs, logo or owner changes', async () => {
    const { database, now } = service.services;
    const [owner, newOwner] = [await service.createUser(), await service.createUser()];
    const application = await service.createClient({ ownerId: owner.userId });
    const { clientId, redirectUri } = application;
    const settings = {
      ...{
        name: 'Carnet',
        redirectUris: [redirectUri],
        scopes: ['openid'],
        standard: false,
        refreshGrace: 0,
      },
      ...{ homePage: null, privacyPolicy: null, termsOfService: null },
    };
    const isVerifiedAfter = async (change: () => Promise<unknown>) => {
      await moderateResource({ database }, 'application', 'verify', clientId, {}, now());
      await change();
      return (await findDetail(application))?.verifiedAt !== null;
    };
    const changeSettings = (fields: Partial<typeof settings>) => () =>
      updateOwnedClient(database, owner.userId, clientId, { ...settings, ...fields }, now());
    expect(
      await isVerifiedAfter(
        changeSettings({ scopes: ['openid', 'email'], standard: true, refreshGrace: 60 }),
      ),
    ).toBe(true);
    expect(await isVerifiedAfter(changeSettings({ name: 'Votre banque' }))).toBe(false);
    expect(await isVerifiedAfter(changeSettings({ name: 'Votre banque' }))).toBe(true);
    expect(
      await isVerifiedAfter(changeSettings({ redirectUris: [redirectUri, 'https://evil.example/cb'] })),
    ).toBe(false);
    expect(await isVerifiedAfter(() => setOwnedClientLogo(database, owner.userId, clientId, 'logo'))).toBe(
      false,
    );
    expect(await isVerifiedAfter(() => setOwnedClientLogo(database, owner.userId, clientId, 'logo'))).toBe(
      true,
    );
    const transferOwnership = () =>
      changeOwner(database, 'application', clientId, { from: owner.userId, to: newOwner.userId });
    expect(await isVerifiedAfter(transferOwnership)).toBe(false);
  });

  test('cannot be set through extra form fields', async () => {
    const owner = await service.createUser();
    const application = await service.createClient({ ownerId: owner.userId });
    const browser = await openSignedInBrowser(service, owner);
    const path = `/console/applications/${application.clientId}/edit`;
    const { hidden } = await browser.get(path);
    await browser.post(path, {
      ...hidden,
      name: 'Carnet',
      redirect_uris: application.redirectUri,
      scopes: 'openid',
      verified: 'true',
      verified_at: '2026-01-01',
      suspended_at: '',
    });
    expect((await findDetail(application))?.verifiedAt).toBeNull();
  });
});
