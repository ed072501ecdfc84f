// Creates the benchmark's data: a client, an API, and users with consents and tokens.
import { randomUUID } from 'node:crypto';
import { createUsageRecorder } from '../src/background/usage.ts';
import { registerClient } from '../src/clients/registration.ts';
import { createPasswordHasher } from '../src/credentials/password-hashing.ts';
import { createAccount } from '../src/credentials/sign-up.ts';
import {
  buildCreationOptions,
  buildRequestOptions,
  createChallenge,
  verifyRegistration,
} from '../src/credentials/webauthn.ts';
import { type GrantServices, issueTokens } from '../src/grants/issue-tokens.ts';
import { loadSigningKeys } from '../src/keys/signing-keys.ts';
import { toConsentScopes } from '../src/oauth/api.ts';
import type { Acr, AuthenticationMethod } from '../src/oauth/authentication-methods.ts';
import type { PresentedCredentials } from '../src/oauth/client-authentication.ts';
import { clientSecretHash, sessionDigest } from '../src/oauth/digests.ts';
import type { Scope } from '../src/oauth/scopes.ts';
import { createSealer } from '../src/oauth/seal.ts';
import { newApiId } from '../src/oauth/secrets.ts';
import { sealRefreshToken } from '../src/oauth/token-payload.ts';
import { createLogger } from '../src/process/logger.ts';
import { sealProviderSecret } from '../src/providers/configuration.ts';
import { insertApi } from '../src/store/apis.ts';
import { openDatabase } from '../src/store/database.ts';
import { type CodeRedemption, redeemCode } from '../src/store/grants.ts';
import { insertProvider } from '../src/store/identity-providers.ts';
import { addPasskey } from '../src/store/passkeys.ts';
import { statement } from '../src/store/statement.ts';
import { deriveHolderId } from '../src/web/csrf.ts';
import { createPasskey, type SoftwarePasskey } from '../test/support/passkey.ts';
import { buildPrefilledAccessToken, deriveBenchUser, fillDatabase } from './fill-database.ts';
import { options } from './options.ts';

export const REDIRECT_URI = 'https://client.example/callback';
export const PASSWORD = 'a password for the benchmark';
const SCOPES: Scope[] = ['openid', 'profile', 'email'];
const methods: AuthenticationMethod[] = ['pwd'];
const acr: Acr = '1';
const DAY_SECONDS = 24 * 3600;
/** With fewer users, many usage records would belong to the same user, and the service would merge them. */
const MIN_USERS = 20_000;
const GRANTS_PER_USER = 2;
const PASSKEY_USER_COUNT = 256;
export const PROVIDER_ID = 'bench';
export const PROVIDER_CLIENT_ID = 'sesame';

export interface Tokens {
  accessToken: string;
  refreshToken: string;
  email: string;
}

export type Fixtures = Awaited<ReturnType<typeof createFixtures>>;

/** `identity_key` is the hash computed by store/external-identities.ts. */
const LINK_USERS = statement(
  'link_all_users',
  `with linked as (
    insert into external_identities (user_id, issuer, subject, provider_id, label, created_at)
    select u.id, $1::text, u.id::text, $2::text, u.id::text, $3::timestamptz from users u
    on conflict do nothing returning user_id
  )
  insert into external_identity_keys (identity_key, user_id)
  select sha256(convert_to(format('["%s","%s"]', $1::text, l.user_id), 'UTF8')), l.user_id from linked l`,
);

export async function createFixtures(databaseUrl: string, secretKey: string, issuer: string) {
  const database = openDatabase(databaseUrl, 8);
  const sealer = createSealer(secretKey);
  const now = new Date();
  const services: GrantServices = {
    database,
    usage: createUsageRecorder(database, createLogger('silent')),
    sealer,
    keys: await loadSigningKeys(database, sealer, now),
    config: {
      baseUrl: issuer,
      authorizationCodeTtl: 600,
      accessTokenTtl: DAY_SECONDS,
      refreshTokenIdleTtl: 30 * DAY_SECONDS,
      refreshTokenMaxTtl: 0,
      mfaPolicy: 'optional',
    },
  };
  const relyingParty = { id: new URL(issuer).hostname, name: 'Bench', origins: [issuer] };
  const hasher = await createPasswordHasher();
  const passwordHash = await hasher.hash(PASSWORD);
  const account = await database.transaction((transaction) =>
    createAccount(transaction, { email: 'owner@example.com', name: 'Ada Lovelace', passwordHash }, now),
  );
  if (account === undefined) throw new Error('The owner account already exists.');
  const { userId: ownerId } = account;
  const { clientId, clientSecret = '' } = await registerClient(
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
    lifetime: DAY_SECONDS,
    scopes: ['read'],
  };
  const scopeSettings = { fr: 'Lire', en: 'Read', sensitive: false, agents: true };
  await insertApi(
    database,
    {
      ...{
        ...api,
        ownerId,
        name: 'Archives',
        descriptionFr: '',
        descriptionEn: '',
        tokenLifetime: api.lifetime,
      },
      scopes: [{ name: 'read', ...scopeSettings }],
      allowedClients: 'applications',
    },
    now,
  );
  const credentials: PresentedCredentials = {
    clientId,
    secretHash: clientSecretHash(clientSecret),
    asserted: false,
    triedBasic: false,
    explainFailure: (): never => {
      throw new Error('The client secret was rejected.');
    },
  };
  const sample = await fillDatabase(databaseUrl, {
    users: Math.max(MIN_USERS, Math.ceil(options.rows / GRANTS_PER_USER)),
    grants: options.rows,
    clientId,
    passwordHash,
    scopes: [...SCOPES, ...toConsentScopes([api])],
  });
  const authTime = Math.floor(now.getTime() / 1000);
  const nextUser = cycle(sample.users);

  const issueTokensForNewGrant = async (forApi = false): Promise<Tokens> => {
    const now = new Date();
    const { userId, sid, sessionId, email } = nextUser();
    const payload = {
      grantId: randomUUID(),
      rotation: 0,
      userId,
      sid,
      authTime,
      methods,
      acr,
      scopes: SCOPES,
      ...(forApi && { apis: [api] }),
    };
    const redemption: CodeRedemption = {
      ...payload,
      clientId,
      epoch: 0,
      originHash: sessionDigest(sessionId),
      now,
      credentials,
      consented: SCOPES,
      apiIds: forApi ? [api.apiId] : [],
      createdAt: now,
      createdAfter: new Date(0),
    };
    const issued = await issueTokens(
      services,
      { credentials, now },
      {
        payload,
        scopes: SCOPES,
        decide: (token) => redeemCode(database, redemption, token),
        includesIdToken: () => false,
        nonce: undefined,
        invalidGrantErrors: {},
      },
    );
    return { accessToken: issued.access_token, refreshToken: issued.refresh_token ?? '', email };
  };

  /** Removes prefilled grants from the sample, and returns their tokens. */
  const takePrefilledTokens = (count: number): Tokens[] => {
    const grants = sample.grants.splice(0, count);
    if (grants.length < 32)
      throw new Error('Too few prefilled grants. Increase --rows, because each grant is used once.');
    return grants.map(({ grantId, userId }) => {
      const { sid, email } = deriveBenchUser(userId);
      const payload = { grantId, rotation: 1, userId, sid, authTime, methods, acr, scopes: SCOPES };
      return {
        accessToken: buildPrefilledAccessToken({ grantId, userId }),
        refreshToken: sealRefreshToken(sealer, payload),
        email,
      };
    });
  };

  const repeat = async <Result>(count: number, create: () => Promise<Result>): Promise<Result[]> => {
    const results: Result[] = [];
    while (results.length < count)
      results.push(
        ...(await Promise.all(Array.from({ length: Math.min(64, count - results.length) }, create))),
      );
    return results;
  };

  const enrollPasskeys = (count: number): Promise<SoftwarePasskey[]> =>
    repeat(count, async () => {
      const { userId, email } = nextUser();
      const passkey = createPasskey(issuer);
      const options = await buildCreationOptions(relyingParty, 'AAAA', { userId, email, name: email }, []);
      const credential = await verifyRegistration(
        relyingParty,
        passkey.createCredential(options),
        () => true,
      );
      if ('refused' in credential) throw new Error(credential.refused);
      await addPasskey(database, userId, { ...credential, name: 'Bench' }, 1, new Date());
      return passkey;
    });

  const createAssertions = async (count: number, browserId: string): Promise<string[]> => {
    const next = cycle(await enrollPasskeys(PASSKEY_USER_COUNT));
    const holder = deriveHolderId(sealer, browserId);
    return repeat(count, async () => {
      const challenge = createChallenge(sealer, { purpose: 'sign-in', holder }, new Date());
      return next().createAssertion(await buildRequestOptions(relyingParty, challenge));
    });
  };

  const addProvider = async (providerIssuer: string): Promise<void> => {
    await insertProvider(database, {
      providerId: PROVIDER_ID,
      preset: 'oidc',
      name: 'Bench',
      issuer: providerIssuer,
      clientId: PROVIDER_CLIENT_ID,
      sealedSecret: sealProviderSecret(sealer, 'a secret of the benchmark'),
      options: {},
      trustedEmailDomains: [],
      createdAt: now,
    });
    await database.query(LINK_USERS, [providerIssuer, PROVIDER_ID, now]);
  };

  const COUNT_REVOKED = statement(
    'count_revoked',
    'select count(*)::int as count from grants where revoked_at is not null',
  );

  return {
    api,
    clientId,
    clientSecret,
    nextUser,
    tokens: async (count: number) =>
      options.rows > 0 ? takePrefilledTokens(count) : repeat(count, () => issueTokensForNewGrant()),
    tokensForApi: (count: number) => repeat(count, () => issueTokensForNewGrant(true)),
    createAssertions,
    addProvider,
    countRevoked: async () => (await database.query<{ count: number }>(COUNT_REVOKED, []))[0]?.count ?? 0,
    close: () => database.close(),
  };
}

export function cycle<Item>(items: Item[]): () => Item {
  let next = 0;
  return () => {
    const item = items[next % items.length];
    next += 1;
    if (item === undefined) throw new Error('The list is empty.');
    return item;
  };
}
