// What an id_token tells of a person besides who and when: by the mode, or by the application's own switch (D57).
import { decodeJwt } from 'jose';
import { afterAll, describe, expect, test } from 'vitest';
import { statement } from '../../src/store/statement.ts';
import { at, fill } from '../support/console.ts';
import { authorize, obtainTokens, redeem, renew, signedInBrowser, userinfo } from '../support/flow.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
const owner = await service.createUser();
const ownerBrowser = await signedInBrowser(service, owner);
const user = await service.createUser({ name: 'Zoé Müller', phone: '+33612345678', emailVerified: true });
const browser = await signedInBrowser(service, user);
afterAll(() => service.close());

const SCOPE = 'openid profile email phone';
const OF_PROTOCOL = [
  ...['acr', 'amr', 'at_hash', 'aud', 'auth_time', 'exp', 'iat', 'iss', 'sid', 'sub'],
].sort();

const create = (standard: boolean) => service.createApplication({ ownerId: owner.userId, standard });
type Application = Awaited<ReturnType<typeof create>>;

/** Sets the switch by its form. */
const choose = async ({ clientId }: Application, id_token_claims: string) =>
  expect(
    (await fill(ownerBrowser, at(clientId, '/protocol'), { id_token_algorithm: 'RS256', id_token_claims }))
      .status,
  ).toBe(303);

async function claimsFor(application: Application, scope = SCOPE, person = browser) {
  const { idToken, accessToken } = await obtainTokens(service, application, person, { scope });
  const claims = decodeJwt(idToken ?? '');
  const told = Object.fromEntries(Object.entries(claims).filter(([name]) => !OF_PROTOCOL.includes(name)));
  return { claims, told, accessToken };
}

/** The ledger's lines of an application, as they were written. */
async function ledgerOf({ clientId }: Application): Promise<string[]> {
  await service.parts.usage.flush();
  const rows = await service.parts.database.query<{ fields: string }>(
    statement('test_ledger', 'select fields from disclosures where client_id = $1 order by fields'),
    [clientId],
  );
  return rows.map(({ fields }) => fields);
}

describe('by the mode', () => {
  test('contract mode: who and when, and nothing else', async () => {
    const application = await create(false);
    const { claims } = await claimsFor(application);
    expect(Object.keys(claims).sort()).toEqual(OF_PROTOCOL);
    expect(await ledgerOf(application)).toEqual(['sub auth_time']);
  });

  test('standard mode: what userinfo answers, for the granted scopes', async () => {
    const application = await create(true);
    const { told, claims, accessToken } = await claimsFor(application);
    expect({ sub: claims.sub, ...told }).toEqual((await userinfo(service, accessToken)).body);
    expect(told).toEqual({
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
  ])('standard mode, %s: no more than that', async (scope, names) => {
    expect(Object.keys((await claimsFor(await create(true), scope)).told).sort()).toEqual(names);
  });

  test('standard mode without openid: no id_token at all', async () => {
    const { idToken } = await obtainTokens(service, await create(true), browser, { scope: 'profile email' });
    expect(idToken).toBeUndefined();
  });

  test('a renewal tells how the person is now, and only for the scopes it asks for', async () => {
    const person = await service.createUser({ name: 'Before' });
    const application = await create(true);
    const tokens = await obtainTokens(service, application, await signedInBrowser(service, person), {
      scope: SCOPE,
    });
    await service.parts.database.query(
      statement('test_rename', 'update users set name = $2 where id = $1::uuid'),
      [person.userId, 'After'],
    );
    const { body } = await renew(service, application, tokens.refreshToken, { scope: 'openid profile' });
    const claims = decodeJwt(String(body.id_token));
    expect(claims).toMatchObject({ sub: person.userId, name: 'After' });
    expect(claims).not.toHaveProperty('email');
  });
});

describe('by the switch', () => {
  test('always: in contract mode too, by the contract’s names', async () => {
    const application = await create(false);
    await choose(application, 'always');
    const { told } = await claimsFor(application);
    expect(Object.keys(told).sort()).toEqual([
      ...['avatar', 'email', 'email_verified', 'name', 'phone', 'updated_at'],
    ]);
    expect(told.updated_at).toBeTypeOf('string');
  });

  test('never: in standard mode neither; automatic again: as the mode says', async () => {
    const application = await create(true);
    await choose(application, 'never');
    expect((await claimsFor(application)).told).toEqual({});
    await choose(application, 'auto');
    expect((await claimsFor(application)).told).toHaveProperty('name');
  });
});

test('never, chosen between authorization and exchange, counts at once', async () => {
  const application = await create(true);
  const callback = await authorize(service, application, browser, { scope: SCOPE });
  await choose(application, 'never');
  const { body } = await redeem(service, application, callback.searchParams.get('code') ?? '');
  expect(decodeJwt(String(body.id_token))).not.toHaveProperty('name');
});

describe('the person', () => {
  test('finds all of it in the ledger, and on their page', async () => {
    const person = await service.createUser();
    const theirs = await signedInBrowser(service, person);
    const application = await create(true);
    await claimsFor(application, 'openid profile email', theirs);
    expect(await ledgerOf(application)).toEqual([
      'sub auth_time name picture updated_at preferred_username email email_verified',
    ]);
    const { body } = await theirs.get('/account/applications');
    expect(body).toContain('username (the email address)');
  });
});
