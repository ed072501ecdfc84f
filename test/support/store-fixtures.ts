// Creates database rows with the functions in src/store.

import { randomUUID } from 'node:crypto';
import { truncateToDay } from '../../src/background/activity.ts';
import type { ClientCredentials } from '../../src/oauth/client-authentication.ts';
import { accessTokenDigest, clientSecretHash } from '../../src/oauth/digests.ts';
import type { Scope } from '../../src/oauth/scopes.ts';
import { newAccountSecret, newClientId, newClientSecret, randomSecret } from '../../src/oauth/secrets.ts';
import { rotateSecret } from '../../src/ownership/secrets.ts';
import { storeLiveGrants } from '../../src/store/activity.ts';
import { ACCOUNT_CHANGES, deleteAccount } from '../../src/store/admin-actions.ts';
import type { TokenTarget } from '../../src/store/apis.ts';
import { insertClient, type NewClient } from '../../src/store/clients.ts';
import { findOwnerContact } from '../../src/store/credentials.ts';
import { type Database, openDatabase, type Queryable } from '../../src/store/database.ts';
import { redeemCode, rotateGrant } from '../../src/store/grants.ts';
import { deleteOwnedResource } from '../../src/store/owned-resources.ts';
import {
  type PruneCutoffs,
  pruneExpired,
  SWEPT_TABLES,
  type SweepCursor,
  sweepBatch,
} from '../../src/store/pruning.ts';
import { insertSecret } from '../../src/store/secrets.ts';
import { insertSession } from '../../src/store/session-creation.ts';
import { parseSessionId, type SessionKey } from '../../src/store/sessions.ts';
import { statement } from '../../src/store/statement.ts';
import { insertUser, type NewUser } from '../../src/store/users.ts';
import { createTestDatabase } from './database.ts';

/** Far from the current time, so that tests fail if code uses the database's clock. */
export const NOW = new Date('2031-05-06T07:08:09.123Z');
export const later = (seconds: number): Date => new Date(NOW.getTime() + seconds * 1000);

export const PASSWORD_HASH = '$argon2id$v=19$m=1,t=1,p=1$c2FsdHNhbHQ$aGFzaA';

export async function openTestDatabase(
  poolSize = 3,
): Promise<{ url: string; database: Database; close(): Promise<void> }> {
  const testDatabase = await createTestDatabase();
  const database = openDatabase(testDatabase.url, poolSize);
  return {
    url: testDatabase.url,
    database,
    close: async () => {
      await database.close();
      await testDatabase.drop();
    },
  };
}

export const sql = (
  database: Database,
  text: string,
  values: unknown[] = [],
): Promise<Record<string, unknown>[]> => database.query({ name: '', text }, values);

export async function createUser(database: Database, fields: Partial<NewUser> = {}): Promise<string> {
  const id = randomUUID();
  const user: NewUser = {
    id,
    email: `${id}@example.com`,
    name: 'Ada Lovelace',
    phone: null,
    emailVerified: false,
    passwordHash: PASSWORD_HASH,
    isAdmin: false,
    ...fields,
  };
  if (!(await database.transaction((transaction) => insertUser(transaction, user, NOW))))
    throw new Error(`the email address ${user.email} is already in use`);
  return user.id;
}

export async function createClient(
  database: Database,
  fields: Partial<NewClient> = {},
): Promise<ClientCredentials> {
  const clientId = newClientId();
  const client: NewClient = {
    clientId,
    ownerId: fields.ownerId ?? (await createUser(database)),
    name: 'Carnet',
    type: 'confidential',
    redirectUris: ['https://client.example/callback'],
    scopes: ['openid', 'profile', 'email', 'phone'],
    standard: false,
    refreshGrace: 0,
    ...fields,
  };
  await insertClient(database, client, NOW);
  if (client.type === 'public') return { clientId, secretHash: null, asserted: false, triedBasic: false };
  const clientSecret = newClientSecret();
  await insertSecret(database, 'application', clientId, clientSecret, NOW);
  return { clientId, secretHash: clientSecretHash(clientSecret), asserted: false, triedBasic: false };
}

export async function createSession(
  database: Database,
  userId: string,
  { expiresAt = later(3600), passwordHash = PASSWORD_HASH, sid = randomUUID() as string } = {},
): Promise<SessionKey | undefined> {
  const key = parseSessionCookie(newAccountSecret(userId));
  const started = await insertSession(database, {
    ...key,
    sid,
    authTime: NOW,
    expiresAt,
    ip: '192.0.2.1',
    userAgent: 'test',
    proof: { by: 'password', passwordHash },
    methods: ['pwd'],
    kind: 'signed_in',
  });
  return started === undefined ? undefined : key;
}

export function parseSessionCookie(cookie: string | undefined): SessionKey {
  const key = parseSessionId(cookie ?? '');
  if (key === undefined) throw new Error('no session id');
  return key;
}

export interface TestGrant {
  grantId: string;
  userId: string;
  credentials: ClientCredentials;
  scopes: Scope[];
  clientId: string;
  sid: string;
  epoch: number;
  originHash: Buffer;
  createdAt: Date;
}

/** Returns the sum of the consent's and the client's epochs. */
export async function insertConsent(
  database: Database,
  { userId, clientId, scopes, now }: { userId: string; clientId: string; scopes: string[]; now: Date },
): Promise<number> {
  const [row] = await sql(
    database,
    `with given as (
      insert into consents as k (user_id, client_id, scopes, granted_at) values ($1, $2, $3, $4)
      on conflict (user_id, client_id) do update
      set scopes = k.scopes || excluded.scopes, granted_at = excluded.granted_at, withdrawn_at = null
      returning epoch)
    select given.epoch + c.epoch as epoch from given, clients c where c.client_id = $2`,
    [userId, clientId, scopes, now],
  );
  return Number(row?.epoch);
}

/** Creates the rows that an authorization code refers to. The grant's row is inserted on redemption. */
export async function createGrant(
  database: Database,
  fields: Partial<TestGrant> & { client?: Partial<NewClient>; at?: Date; sid?: string } = {},
): Promise<TestGrant> {
  const userId = fields.userId ?? (await createUser(database));
  const credentials = fields.credentials ?? (await createClient(database, fields.client));
  const { scopes = ['openid', 'profile'], sid = randomUUID(), at: createdAt = NOW } = fields;
  const { clientId } = credentials;
  const consentEpoch = await insertConsent(database, { userId, clientId, scopes, now: createdAt });
  const originHash = (await createSession(database, userId, { sid }))?.idHash;
  if (originHash === undefined) throw new Error('the session was not started');
  const epoch = consentEpoch + (await findEpoch(database, userId));
  return { grantId: randomUUID(), userId, credentials, scopes, clientId, sid, epoch, originHash, createdAt };
}

async function findEpoch(database: Database, userId: string): Promise<number> {
  const find = statement('test_epoch_of', 'select u.epoch from users u where u.id = $1::uuid');
  const [row] = await database.query<{ epoch: number }>(find, [userId]);
  return row?.epoch ?? 0;
}

/** Lifetimes are in seconds and unlimited by default. */
export interface RedeemOptions {
  at?: Date;
  idle?: number;
  absolute?: number;
  credentials?: ClientCredentials;
  accessTokenLifetime?: number;
  target?: TokenTarget | null;
}

/** @param rotation 0 redeems the code. Other values redeem a refresh token. */
export async function redeemToken(
  database: Database,
  grant: TestGrant,
  rotation: number,
  {
    at = NOW,
    idle,
    absolute,
    credentials = grant.credentials,
    accessTokenLifetime = 3600,
    target = null,
  }: RedeemOptions = {},
) {
  const hash = accessTokenDigest(randomSecret());
  const secondsBefore = (seconds: number | undefined) =>
    seconds === undefined ? new Date(0) : new Date(at.getTime() - seconds * 1000);
  const token = {
    hash,
    expiresAt: new Date(at.getTime() + accessTokenLifetime * 1000),
    scope: grant.scopes.join(' '),
    target,
  };
  const request = { ...grant, credentials, now: at };
  const { outcome, standard, claimsSubject } = await (rotation === 0
    ? redeemCode(
        database,
        {
          ...request,
          consented: grant.scopes,
          apiIds: target === null ? [] : [target.apiId],
          createdAfter: secondsBefore(idle),
        },
        token,
      )
    : rotateGrant(
        database,
        {
          ...request,
          rotation,
          rotatedAfter: secondsBefore(idle),
          createdAfter: secondsBefore(absolute),
          hasMfa: false,
          mfaPolicy: 'optional',
        },
        token,
      ));
  return { outcome, standard, claimsSubject, hash };
}

/** Deletes expired rows and stores the number of live grants. Throws if another process is pruning. */
export async function pruneAll(database: Database, cutoffs: PruneCutoffs): Promise<void> {
  const live = new Map<string, number>();
  for (const table of SWEPT_TABLES) {
    let cursor: SweepCursor;
    do {
      const swept = requireResult(await sweepBatch(database, table, cutoffs, cursor));
      cursor = swept.cursor;
      if (table !== 'grants') continue;
      for (const [clientId, count] of Object.entries(swept.live))
        live.set(clientId, (live.get(clientId) ?? 0) + count);
    } while (cursor !== undefined);
  }
  await storeLiveGrants(database, truncateToDay(cutoffs.now), live);
  while (requireResult(await pruneExpired(database, cutoffs)).hasMore);
}

function requireResult<Result>(result: Result | undefined): Result {
  if (result === undefined) throw new Error('another process is pruning');
  return result;
}

export const suspendUser = (database: Queryable, userId: string, now: Date): Promise<boolean> =>
  ACCOUNT_CHANGES.suspend(database, userId, now);

export const deleteUser = async (database: Queryable, userId: string): Promise<boolean> =>
  (await deleteAccount(database, userId)) !== undefined;

export async function deleteClient(database: Queryable, clientId: string): Promise<boolean> {
  const owner = await findOwnerContact(database, 'application', clientId);
  if (owner === undefined) return false;
  return (
    (await deleteOwnedResource(database, 'application', owner.userId, clientId, owner.resourceName)) !==
    undefined
  );
}

export async function rotateClientSecret(
  database: Database,
  clientId: string,
  overlap: number,
  now: Date,
): Promise<string> {
  const { userId = '' } = (await findOwnerContact(database, 'application', clientId)) ?? {};
  const owner = { userId, ip: undefined };
  const secret = await rotateSecret(database, owner, { kind: 'application', id: clientId, overlap }, now);
  if (secret === undefined) throw new Error(`no secret for ${clientId}`);
  return secret;
}
