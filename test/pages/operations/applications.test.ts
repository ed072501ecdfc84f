// What operators do about applications: suspend, mark as verified.
import { beforeAll, describe, expect, test } from 'vitest';
import { moderateThing } from '../../../src/accounts/moderation.ts';
import { findApplication } from '../../../src/store/application-lists.ts';
import { changeOwnApplication, setOwnLogo } from '../../../src/store/applications.ts';
import { listEvents } from '../../../src/store/events.ts';
import { changeOwner } from '../../../src/store/owned.ts';
import {
  authorize,
  authorizeAddress,
  obtainTokens,
  redeem,
  renew,
  revoke,
  signedInBrowser,
  userinfo,
} from '../../support/flow.ts';
import { applicationPath, type Operator, signedInOperator } from '../../support/operator.ts';
import { type TestApplication, useTestService } from '../../support/service.ts';

const service = useTestService();
let operator: Operator;
beforeAll(async () => {
  operator = await signedInOperator(service);
});

const kindsOf = async ({ clientId }: TestApplication) =>
  (await listEvents(service.parts.database, { clientId }, { limit: 50 }))
    .map(({ kind }) => kind)
    .filter((kind) => /^application_(un)?(suspended|verified)$/.test(kind));
const found = ({ clientId }: TestApplication) => findApplication(service.parts.database, clientId);

describe('a suspended application (D28)', () => {
  test('gets nothing any more: sign-in, code, token, renewal, userinfo, revocation', async () => {
    const application = await service.createApplication({ name: 'Louche' });
    const browser = await signedInBrowser(service, await service.createUser());
    const tokens = await obtainTokens(service, application, browser);
    const code = (await authorize(service, application, browser)).searchParams.get('code') ?? '';
    expect((await userinfo(service, tokens.accessToken)).status).toBe(200);

    const answer = await operator.act(applicationPath(application.clientId, 'suspend'), {
      reason: 'phishing',
    });
    expect([answer.status, answer.location?.search]).toEqual([303, '?done=suspend']);

    expect((await userinfo(service, tokens.accessToken)).body.error).toBe('invalid_token');
    expect((await redeem(service, application, code)).body.error).toBe('invalid_client');
    expect((await renew(service, application, tokens.refreshToken)).body.error).toBe('invalid_client');
    expect((await revoke(service, application, tokens.accessToken)).body.error).toBe('invalid_client');
    const asked = await browser.get(authorizeAddress(service, application));
    expect(asked.status, 'as an unknown one (D1): never a redirect').toBe(401);
    expect((await found(application))?.suspendedAt).toEqual(expect.any(Date));
  });

  test('asks again once the suspension is lifted, and what it had stays dead', async () => {
    const application = await service.createApplication();
    const browser = await signedInBrowser(service, await service.createUser());
    const tokens = await obtainTokens(service, application, browser);
    await operator.act(applicationPath(application.clientId, 'suspend'));
    await operator.act(applicationPath(application.clientId, 'unsuspend'));
    expect((await userinfo(service, tokens.accessToken)).status).toBe(401);
    expect((await renew(service, application, tokens.refreshToken)).body.error).toBe('invalid_grant');
    const again = await obtainTokens(service, application, browser);
    expect((await userinfo(service, again.accessToken)).status).toBe(200);
    expect(await kindsOf(application)).toEqual(['application_unsuspended', 'application_suspended']);
  });
});

describe('verification', () => {
  test('is given and withdrawn, written down with who and why, and touches no token', async () => {
    const application = await service.createApplication();
    const tokens = await obtainTokens(
      service,
      application,
      await signedInBrowser(service, await service.createUser()),
    );
    const answer = await operator.act(applicationPath(application.clientId, 'verify'), { reason: 'known' });
    expect((await operator.browser.follow(answer)).body).toMatch(/role="status"[\s\S]*?Application verified/);
    expect((await found(application))?.verifiedAt).toEqual(expect.any(Date));
    const [event] = await listEvents(
      service.parts.database,
      { clientId: application.clientId, kind: 'application_verified' },
      { limit: 1 },
    );
    expect(event).toMatchObject({
      actorId: operator.user.userId,
      address: '127.0.0.1',
      detail: { reason: 'known' },
    });
    await operator.act(applicationPath(application.clientId, 'unverify'));
    expect((await found(application))?.verifiedAt).toBeNull();
    expect((await userinfo(service, tokens.accessToken)).status).toBe(200);
  });

  test('ends when what was verified changes: name, callback URLs, logo, owner; not when anything else does', async () => {
    const { database, now } = service.parts;
    const [owner, heir] = [await service.createUser(), await service.createUser()];
    const application = await service.createApplication({ ownerId: owner.userId });
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
      await moderateThing({ database }, 'application', 'verify', clientId, {}, now());
      await change();
      return (await found(application))?.verifiedAt !== null;
    };
    const change = (fields: Partial<typeof settings>) => () =>
      changeOwnApplication(database, owner.userId, clientId, { ...settings, ...fields }, now());
    expect(
      await isVerifiedAfter(change({ scopes: ['openid', 'email'], standard: true, refreshGrace: 60 })),
    ).toBe(true);
    expect(await isVerifiedAfter(change({ name: 'Votre banque' }))).toBe(false);
    expect(await isVerifiedAfter(change({ name: 'Votre banque' }))).toBe(true);
    expect(await isVerifiedAfter(change({ redirectUris: [redirectUri, 'https://evil.example/cb'] }))).toBe(
      false,
    );
    expect(await isVerifiedAfter(() => setOwnLogo(database, owner.userId, clientId, 'logo'))).toBe(false);
    expect(await isVerifiedAfter(() => setOwnLogo(database, owner.userId, clientId, 'logo'))).toBe(true);
    const given = () =>
      changeOwner(database, 'application', clientId, { from: owner.userId, to: heir.userId });
    expect(await isVerifiedAfter(given)).toBe(false);
  });

  test('is nothing that its owner can ask for: no field of the console sets it (mass assignment)', async () => {
    const owner = await service.createUser();
    const application = await service.createApplication({ ownerId: owner.userId });
    const browser = await signedInBrowser(service, owner);
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
    expect((await found(application))?.verifiedAt).toBeNull();
  });
});
