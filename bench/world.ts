// What the service is measured on: an account, an application, and as many tokens and live grants as needed.
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { registerApplication } from '../src/accounts/applications.ts';
import { createPasswordHasher } from '../src/accounts/password-hashing.ts';
import { startSession } from '../src/accounts/sign-in.ts';
import { createAccount } from '../src/accounts/sign-up.ts';
import { issueTokens, type TokenResponse } from '../src/grants/issue.ts';
import type { GrantParts } from '../src/grants/parts.ts';
import { createLogger } from '../src/logger.ts';
import type { Scope } from '../src/oauth/scopes.ts';
import { createSealer } from '../src/oauth/seal.ts';
import { sha256 } from '../src/oauth/secrets.ts';
import { sealRefreshToken } from '../src/oauth/tickets.ts';
import { rememberConsent } from '../src/store/consents.ts';
import { openDatabase } from '../src/store/database.ts';
import { redeemCode } from '../src/store/grants.ts';
import { findSession } from '../src/store/sessions.ts';
import { loadSigningKeys } from '../src/store/signing-keys.ts';
import { gatherUsage } from '../src/usage.ts';
import { options } from './options.ts';

export const REDIRECT_URI = 'https://client.example/callback';
export const EMAIL = 'bench@example.com';
export const PASSWORD = 'a password for the benchmark';
const SCOPES: Scope[] = ['openid', 'profile', 'email'];
const DAY = 24 * 3600;

export type World = Awaited<ReturnType<typeof makeWorld>>;

/** Makes the world in the service's database, with the service's own functions. */
export async function makeWorld(databaseUrl: string, secretKey: string, issuer: string) {
  const database = openDatabase(databaseUrl, 8);
  const sealer = createSealer(secretKey);
  const now = new Date();
  const parts: GrantParts = {
    database,
    usage: gatherUsage(database, createLogger('silent')),
    sealer,
    keys: await loadSigningKeys(database, sealer, now),
    issuer,
    lifetimes: { authorizationCode: 600, accessToken: DAY, refreshTokenIdle: 30 * DAY, refreshTokenMax: 0 },
  };
  const hasher = await createPasswordHasher();
  const account = await createAccount(
    database,
    hasher,
    { email: EMAIL, name: 'Ada Lovelace', password: PASSWORD },
    now,
  );
  if (account === undefined) throw new Error('the account exists already');
  const { userId, passwordHash } = account;
  const { clientId, clientSecret = '' } = await registerApplication(
    database,
    {
      ownerId: userId,
      name: 'Bench',
      type: 'confidential',
      redirectUris: [REDIRECT_URI],
      scopes: SCOPES,
      standard: false,
      refreshGrace: 0,
    },
    now,
  );
  await rememberConsent(database, { userId, clientId, scopes: SCOPES, now });
  const origin = { address: '127.0.0.1', userAgent: 'bench', previousSessionId: undefined };
  const sessionId =
    (await startSession({ database, sessionLifetime: DAY }, userId, passwordHash, origin, now))?.id ?? '';
  const session = await findSession(database, sha256(sessionId), now);
  if (session === undefined) throw new Error('no session');
  const credentials = { clientId, secretHash: sha256(clientSecret), triedBasic: false };

  /** Accounts of their own for sign-ins: simultaneous ones on one account slow each other down. */
  const accounts = async (count: number): Promise<string[]> => {
    const emails = Array.from({ length: count }, () => `${randomUUID()}@example.com`);
    for (const email of emails)
      await createAccount(database, hasher, { email, name: 'Ada', password: PASSWORD }, now);
    return emails;
  };

  const authTime = Math.floor(session.authTime.getTime() / 1000);

  const originHash = sha256(sessionId);

  /** Tokens of a new grant. */
  const tokens = async (): Promise<TokenResponse> => {
    const now = new Date();
    const ticket = {
      grantId: randomUUID(),
      generation: 0,
      userId,
      sid: session.sid,
      authTime,
      scopes: SCOPES,
    };
    const redemption = { ...ticket, clientId, epoch: 0, originHash, now, credentials };
    const limits = { createdAt: now, createdAfter: new Date(0) };
    const issued = await issueTokens(
      parts,
      {
        credentials,
        ticket,
        scopes: SCOPES,
        decide: (token) => redeemCode(database, { ...redemption, ...limits }, token),
        withIdToken: () => false,
        nonce: undefined,
      },
      now,
    );
    if (issued === null || typeof issued === 'string') throw new Error(`no tokens: ${issued}`);
    return issued;
  };

  let filled: string[] = [];

  /** Tokens of grants drawn at random from those that were filled in, each once. */
  const filledTokens = (count: number): Pick<TokenResponse, 'access_token' | 'refresh_token'>[] => {
    const ids = filled.splice(0, count);
    if (ids.length < 32) throw new Error('fill in more rows: each grant is used once');
    const { sid } = session;
    return ids.map((grantId) => ({
      access_token: filledAccessToken(grantId),
      refresh_token: sealRefreshToken(sealer, {
        grantId,
        generation: 1,
        userId,
        sid,
        authTime,
        scopes: SCOPES,
      }),
    }));
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

  return {
    clientId,
    clientSecret,
    sessionId,
    accounts,
    tokens: async (count: number) => (options.rows > 0 ? filledTokens(count) : many(count, tokens)),
    fill: async (rows: number) => {
      filled = await fill(databaseUrl, rows, userId, clientId);
    },
    close: () => database.close(),
  };
}

/** Access tokens of filled grants are no JWTs, but as long: the service looks their hash up and nothing else. */
const FILLER = 'x'.repeat(500);
const filledAccessToken = (grantId: string): string => grantId + FILLER;

/**
 * Fills the tables with live grants and their access tokens, as renewals over an hour would have left them.
 * @returns up to a million of the grants, in random order
 */
async function fill(databaseUrl: string, rows: number, userId: string, clientId: string): Promise<string[]> {
  const connection = new pg.Client({ connectionString: databaseUrl });
  await connection.connect();
  await connection.query(
    `with ids as materialized (select gen_random_uuid() as id from generate_series(1, $1::int)),
    made as (
      insert into grants (id, client_id, user_id, epoch, generation, advanced_by, created_at, advanced_at)
      select id, $2::text, $3::uuid, 0, 1, sha256((id::text || $4::text)::bytea), now(), now()
      from ids returning id, advanced_by
    )
    insert into access_tokens (hash, grant_id, scope, expires_at)
    select advanced_by, id, 'openid profile email', now() + interval '1 day' from made`,
    [rows, clientId, userId, FILLER],
  );
  await connection.query('vacuum analyze grants');
  await connection.query('vacuum analyze access_tokens');
  const drawn = await connection.query<{ id: string }>(
    'select grant_id as id from access_tokens order by random() limit 1000000',
  );
  await connection.end();
  return drawn.rows.map(({ id }) => id);
}
