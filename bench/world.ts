// What the service is measured on: an application, thousands of people who have agreed to it, and their tokens.
import { randomUUID } from 'node:crypto';
import { registerApplication } from '../src/applications/registration.ts';
import { gatherUsage } from '../src/background/usage.ts';
import { createPasswordHasher } from '../src/credentials/password-hashing.ts';
import { createAccount } from '../src/credentials/sign-up.ts';
import {
  creationOptions,
  newChallenge,
  requestOptions,
  verifyCreation,
} from '../src/credentials/webauthn.ts';
import { type GrantServices, issueTokens } from '../src/grants/issue.ts';
import { loadSigningKeys } from '../src/keys/signing-keys.ts';
import { consentElements } from '../src/oauth/api.ts';
import type { Acr, Method } from '../src/oauth/authentication-methods.ts';
import { clientSecretHash, sessionDigest } from '../src/oauth/digests.ts';
import type { Scope } from '../src/oauth/scopes.ts';
import { createSealer } from '../src/oauth/seal.ts';
import { newApiId } from '../src/oauth/secrets.ts';
import { sealRefreshToken } from '../src/oauth/tickets.ts';
import { createLogger } from '../src/process/logger.ts';
import { insertApi } from '../src/store/apis.ts';
import { openDatabase } from '../src/store/database.ts';
import { redeemCode } from '../src/store/grants.ts';
import { addPasskey } from '../src/store/passkeys.ts';
import { statement } from '../src/store/statement.ts';
import { holderOf } from '../src/web/csrf.ts';
import { newPasskey, type SoftwarePasskey } from '../test/support/passkey.ts';
import { options } from './options.ts';
import { filledAccessToken, personOf, populate } from './population.ts';

export const REDIRECT_URI = 'https://client.example/callback';
export const PASSWORD = 'a password for the benchmark';
const SCOPES: Scope[] = ['openid', 'profile', 'email'];
const methods: Method[] = ['pwd'];
const acr: Acr = '1';
const DAY = 24 * 3600;
/** So many at least, so that hardly anybody comes twice in a measurement: what is noted of people is written for each. */
const PEOPLE = 20_000;
const GRANTS_OF_EACH = 2;
/** People who have a passkey: they come in turn. */
const PASSKEYS = 256;

export interface Tokens {
  accessToken: string;
  refreshToken: string;
  /** Whose they are. */
  email: string;
}

export type World = Awaited<ReturnType<typeof makeWorld>>;

/** Makes the world in the service's database. */
export async function makeWorld(databaseUrl: string, secretKey: string, issuer: string) {
  const database = openDatabase(databaseUrl, 8);
  const sealer = createSealer(secretKey);
  const now = new Date();
  const parts: GrantServices = {
    database,
    usage: gatherUsage(database, createLogger('silent')),
    sealer,
    keys: await loadSigningKeys(database, sealer, now),
    config: {
      baseUrl: issuer,
      authorizationCodeTtl: 600,
      accessTokenTtl: DAY,
      refreshTokenIdleTtl: 30 * DAY,
      refreshTokenMaxTtl: 0,
      secondFactor: 'optional',
    },
  };
  const relyingParty = { id: new URL(issuer).hostname, name: 'Bench', origins: [issuer] };
  const hasher = await createPasswordHasher();
  const passwordHash = await hasher.hash(PASSWORD);
  const account = await database.transaction((transaction) =>
    createAccount(transaction, { email: 'owner@example.com', name: 'Ada Lovelace', passwordHash }, now),
  );
  if (account === undefined) throw new Error('the account exists already');
  const { userId: ownerId } = account;
  const { clientId, clientSecret = '' } = await registerApplication(
    database,
    {
      ownerId,
      name: 'Bench',
      type: 'confidential',
      redirectUris: [REDIRECT_URI],
      scopes: SCOPES,
      standard: false,
      refreshGrace: 0,
    },
    now,
  );
  const api = {
    apiId: newApiId(),
    identifier: 'https://api.example/v1',
    lifetime: DAY,
    scopes: ['read'],
  };
  const words = { fr: 'Lire', en: 'Read', sensitive: false, agents: true };
  await insertApi(
    database,
    {
      ...{ ...api, ownerId, name: 'Archives', wordsFr: '', wordsEn: '', tokenLifetime: api.lifetime },
      scopes: [{ name: 'read', ...words }],
      admits: 'applications',
    },
    now,
  );
  const credentials = {
    clientId,
    secretHash: clientSecretHash(clientSecret),
    asserted: false,
    triedBasic: false,
    fault: (): never => {
      throw new Error('the client secret is not accepted');
    },
  };
  const drawn = await populate(databaseUrl, {
    people: Math.max(PEOPLE, Math.ceil(options.rows / GRANTS_OF_EACH)),
    grants: options.rows,
    clientId,
    passwordHash,
    scopes: [...SCOPES, ...consentElements([api])],
  });
  const authTime = Math.floor(now.getTime() / 1000);
  const nextPerson = inTurn(drawn.people);

  /** Tokens of a new grant of a person, by the service's own functions. */
  const issue = async (forApi = false): Promise<Tokens> => {
    const now = new Date();
    const { userId, sid, sessionId, email } = nextPerson();
    const ticket = {
      grantId: randomUUID(),
      generation: 0,
      userId,
      sid,
      authTime,
      methods,
      acr,
      scopes: SCOPES,
      ...(forApi && { apis: [api] }),
    };
    const redemption = {
      ...ticket,
      clientId,
      epoch: 0,
      originHash: sessionDigest(sessionId),
      now,
      credentials,
      tells: false,
      consented: SCOPES,
      apiIds: forApi ? [api.apiId] : [],
    };
    const limits = { createdAt: now, createdAfter: new Date(0) };
    const issued = await issueTokens(
      parts,
      { credentials, now },
      {
        ticket,
        scopes: SCOPES,
        decide: (token) => redeemCode(database, { ...redemption, ...limits }, token),
        withIdToken: () => false,
        nonce: undefined,
        refusals: {},
      },
    );
    return { accessToken: issued.access_token, refreshToken: issued.refresh_token ?? '', email };
  };

  /** Tokens of grants drawn at random from those that were filled in, each once. */
  const filled = (count: number): Tokens[] => {
    const grants = drawn.grants.splice(0, count);
    if (grants.length < 32) throw new Error('fill in more rows: each grant is used once');
    return grants.map(({ grantId, userId }) => {
      const { sid, email } = personOf(userId);
      const ticket = { grantId, generation: 1, userId, sid, authTime, methods, acr, scopes: SCOPES };
      return {
        accessToken: filledAccessToken({ grantId, userId }),
        refreshToken: sealRefreshToken(sealer, ticket),
        email,
      };
    });
  };

  /** Gives `count` results of `make`, 64 at a time. */
  const many = async <Result>(count: number, make: () => Promise<Result>): Promise<Result[]> => {
    const results: Result[] = [];
    while (results.length < count)
      results.push(
        ...(await Promise.all(Array.from({ length: Math.min(64, count - results.length) }, make))),
      );
    return results;
  };

  /** Passkeys of as many people. */
  const enrolled = (count: number): Promise<SoftwarePasskey[]> =>
    many(count, async () => {
      const { userId, email } = nextPerson();
      const passkey = newPasskey(issuer);
      const options = await creationOptions(relyingParty, 'AAAA', { userId, email, name: email }, []);
      const made = await verifyCreation(relyingParty, passkey.creation(options), () => true);
      if ('refused' in made) throw new Error(made.refused);
      await addPasskey(database, userId, { ...made, name: 'Bench' }, 1, new Date());
      return passkey;
    });

  /** So many answers to challenges of one browser, each to its own. */
  const shownPasskeys = async (count: number, browserId: string): Promise<string[]> => {
    const next = inTurn(await enrolled(PASSKEYS));
    const holder = holderOf(sealer, browserId);
    return many(count, async () => {
      const challenge = newChallenge(sealer, { purpose: 'sign-in', holder }, new Date());
      return next().assertion(await requestOptions(relyingParty, challenge));
    });
  };

  const countRevoked = statement(
    'count_revoked',
    'select count(*)::int as count from grants where revoked_at is not null',
  );

  return {
    api,
    clientId,
    clientSecret,
    nextPerson,
    tokens: async (count: number) => (options.rows > 0 ? filled(count) : many(count, () => issue())),
    /** Of grants for an API, too; their access tokens are for the service. */
    tokensForApi: (count: number) => many(count, () => issue(true)),
    shownPasskeys,
    /** How many grants have been revoked so far. */
    revoked: async () => (await database.query<{ count: number }>(countRevoked, []))[0]?.count ?? 0,
    close: () => database.close(),
  };
}

/** Hands out items in turn, again and again. */
export function inTurn<Item>(items: Item[]): () => Item {
  let next = 0;
  return () => {
    const item = items[next % items.length];
    next += 1;
    if (item === undefined) throw new Error('there is nothing to hand out');
    return item;
  };
}
