import { decodeJwt } from 'jose';
import { afterAll, describe, expect, test } from 'vitest';
import { statement } from '../../src/store/statement.ts';
import { clientPath, submitForm } from '../support/console-forms.ts';
import {
  authorize,
  fetchUserinfo,
  obtainTokens,
  openSignedInBrowser,
  redeemCode,
  redeemRefreshToken,
} from '../support/oauth-flow.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
const owner = await service.createUser();
const ownerBrowser = await openSignedInBrowser(service, owner);
const user = await service.createUser({ name: 'Zoé Müller', phone: '+33612345678', emailVerified: true });
const browser = await openSignedInBrowser(service, user);
afterAll(() => service.close());

const SCOPE = 'openid profile email phone';
const PROTOCOL_CLAIMS = [
  ...['acr', 'amr', 'at_hash', 'aud', 'auth_time', 'exp', 'iat', 'iss', 'sid', 'sub'],
].sort();

const createClient = (standard: boolean) => service.createClient({ ownerId: owner.userId, standard });
type CreatedClient = Awaited<ReturnType<typeof createClient>>;

const setIdTokenClaims = async ({ clientId }: CreatedClient, id_token_claims: string) =>
  expect(
    (
      await submitForm(ownerBrowser, clientPath(clientId, '/protocol'), {
        id_token_algorithm: 'RS256',
        id_token_claims,
      })
    ).status,
  ).toBe(303);

async function obtainClaims(client: CreatedClient, scope = SCOPE, session = browser) {
  const { idToken, accessToken } = await obtainTokens(service, client, session, { scope });
  const claims = decodeJwt(idToken ?? '');
  const userClaims = Object.fromEntries(
    Object.entries(claims).filter(([name]) => !PROTOCOL_CLAIMS.includes(name)),
  );
  return { claims, userClaims, accessToken };
}

async function listDisclosures({ clientId }: CreatedClient): Promise<string[]> {
  await service.services.usage.flush();
  const rows = await service.services.database.query<{ fields: string }>(
    statement('test_ledger', 'select fields from disclosures where client_id = $1 order by fields'),
    [clientId],
  );
  return rows.map(({ fields }) => fields);
}

describe('id_tokens', () => {
  test('contain only protocol claims in default mode', async () => {
    const client = await createClient(false);
    const { claims } = await obtainClaims(client);
    expect(Object.keys(claims).sort()).toEqual(PROTOCOL_CLAIMS);
    expect(await listDisclosures(client)).toEqual(['sub auth_time']);
  });

  test('contain the same claims as userinfo in standard mode', async () => {
    const client = await createClient(true);
    const { userClaims, claims, accessToken } = await obtainClaims(client);
    expect({ sub: claims.sub, ...userClaims }).toEqual((await fetchUserinfo(service, accessToken)).body);
    expect(userClaims).toEqual({
      name: 'Zoé Müller',
      picture: expect.stringMatching(/^http/),
      updated_at: expect.toSatisfy(Number.isInteger),
      preferred_username: user.email,
      email: user.email,
      email_verified: true,
      phone_number: '+33612345678',
    });
  });

  test.each([
    ['openid', []],
    ['openid email', ['email', 'email_verified', 'preferred_username']],
    ['openid profile', ['name', 'picture', 'updated_at']],
  ])('for the scopes %s contain only the matching user claims in standard mode', async (scope, names) => {
    expect(Object.keys((await obtainClaims(await createClient(true), scope)).userClaims).sort()).toEqual(
      names,
    );
  });

  test('are not issued without the openid scope, even in standard mode', async () => {
    const { idToken } = await obtainTokens(service, await createClient(true), browser, {
      scope: 'profile email',
    });
    expect(idToken).toBeUndefined();
  });

  test('contain the current claims after a token refresh', async () => {
    const account = await service.createUser({ name: 'Before' });
    const client = await createClient(true);
    const tokens = await obtainTokens(service, client, await openSignedInBrowser(service, account), {
      scope: SCOPE,
    });
    await service.services.database.query(
      statement('test_rename', 'update users set name = $2 where id = $1::uuid'),
      [account.userId, 'After'],
    );
    const { body } = await redeemRefreshToken(service, client, tokens.refreshToken, {
      scope: 'openid profile',
    });
    const claims = decodeJwt(String(body.id_token));
    expect(claims).toMatchObject({ sub: account.userId, name: 'After' });
    expect(claims).not.toHaveProperty('email');
  });
});

describe('the id_token_claims setting', () => {
  test('adds user claims in default mode if its value is `always`', async () => {
    const client = await createClient(false);
    await setIdTokenClaims(client, 'always');
    const { userClaims } = await obtainClaims(client);
    expect(Object.keys(userClaims).sort()).toEqual([
      ...['avatar', 'email', 'email_verified', 'name', 'phone', 'updated_at'],
    ]);
    expect(userClaims.updated_at).toBeTypeOf('string');
  });

  test('removes user claims in standard mode if its value is `never`', async () => {
    const client = await createClient(true);
    await setIdTokenClaims(client, 'never');
    expect((await obtainClaims(client)).userClaims).toEqual({});
    await setIdTokenClaims(client, 'auto');
    expect((await obtainClaims(client)).userClaims).toHaveProperty('name');
  });
});

test('a changed id_token_claims setting applies to existing codes', async () => {
  const client = await createClient(true);
  const response = await authorize(service, client, browser, { scope: SCOPE });
  await setIdTokenClaims(client, 'never');
  const { body } = await redeemCode(service, client, response.searchParams.get('code') ?? '');
  expect(decodeJwt(String(body.id_token))).not.toHaveProperty('name');
});

describe('disclosures of user claims', () => {
  test('are stored and appear on the account pages', async () => {
    const account = await service.createUser();
    const browser = await openSignedInBrowser(service, account);
    const client = await createClient(true);
    await obtainClaims(client, 'openid profile email', browser);
    expect(await listDisclosures(client)).toEqual([
      'sub auth_time name picture updated_at preferred_username email email_verified',
    ]);
    const { body } = await browser.get('/account/applications');
    expect(body).toContain('username (the email address)');
  });
});
