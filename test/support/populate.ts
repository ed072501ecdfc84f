// Rows for tests of the store: people, applications, consents and grants, written by the store's own functions.

import { randomUUID } from 'node:crypto';
import { dayOf } from '../../src/background/activity.ts';
import type { Credentials } from '../../src/oauth/client-authentication.ts';
import { accessTokenDigest, clientSecretHash } from '../../src/oauth/digests.ts';
import type { Scope } from '../../src/oauth/scopes.ts';
import { newAccountSecret, newClientId, newClientSecret, randomSecret } from '../../src/oauth/secrets.ts';
import { rotateSecret } from '../../src/ownership/secrets.ts';
import { noteLiveGrants } from '../../src/store/activity.ts';
import type { TokenTarget } from '../../src/store/apis.ts';
import { insertClient, type NewClient } from '../../src/store/clients.ts';
import { findContactOf } from '../../src/store/credentials.ts';
import { type Database, openDatabase, type Queryable } from '../../src/store/database.ts';
import { advanceGrant, redeemCode } from '../../src/store/grants.ts';
import { ACCOUNT_CHANGES, deleteAccount } from '../../src/store/moderation.ts';
import { deleteOwned } from '../../src/store/owned.ts';
import {
  type Place,
  type PruneBefore,
  pruneExpired,
  WALKED_TABLES,
  walkOn,
} from '../../src/store/pruning.ts';
import { insertSecret } from '../../src/store/secrets.ts';
import { insertSession } from '../../src/store/session-starts.ts';
import { type SessionKey, sessionKeyOf } from '../../src/store/sessions.ts';
import { statement } from '../../src/store/statement.ts';
import { insertUser, type NewUser } from '../../src/store/users.ts';
import { createTestDatabase } from './database.ts';

/** The moment at which tests of the store take place; the database's own clock must not matter (D36). */
export const NOW = new Date('2031-05-06T07:08:09.123Z');
export const later = (seconds: number): Date => new Date(NOW.getTime() + seconds * 1000);

export const PASSWORD_HASH = '$argon2id$v=19$m=1,t=1,p=1$c2FsdHNhbHQ$aGFzaA';

/** A database of the test's own, opened as the service opens it. */
export async function openTestDatabase(
  poolSize = 3,
): Promise<{ url: string; database: Database; close(): Promise<void> }> {
  const own = await createTestDatabase();
  const database = openDatabase(own.url, poolSize);
  return {
    url: own.url,
    database,
    close: async () => {
      await database.close();
      await own.drop();
    },
  };
}

/** Runs one statement as it stands. */
export const sql = (
  database: Database,
  text: string,
  values: unknown[] = [],
): Promise<Record<string, unknown>[]> => database.query({ name: '', text }, values);

/** Creates an account and gives its id. */
export async function createUser(database: Database, fields: Partial<NewUser> = {}): Promise<string> {
  const id = randomUUID();
  const user: NewUser = {
    id,
    email: `${id}@example.com`,
    name: 'Ada Lovelace',
    phone: null,
    emailVerified: false,
    passwordHash: PASSWORD_HASH,
    operator: false,
    ...fields,
  };
  if (!(await database.transaction((transaction) => insertUser(transaction, user, NOW))))
    throw new Error(`the email ${user.email} is taken`);
  return user.id;
}

/** Registers an application; a confidential one gets a secret, whose credentials are returned. */
export async function createClient(
  database: Database,
  fields: Partial<NewClient> = {},
): Promise<Credentials> {
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

/** Starts a session and gives its key; undefined when the store refused. */
export async function createSession(
  database: Database,
  userId: string,
  { expiresAt = later(3600), passwordHash = PASSWORD_HASH, sid = randomUUID() as string } = {},
): Promise<SessionKey | undefined> {
  const key = keyOf(newAccountSecret(userId));
  const started = await insertSession(database, {
    ...key,
    sid,
    authTime: NOW,
    expiresAt,
    address: '192.0.2.1',
    userAgent: 'test',
    proof: { by: 'password', passwordHash },
    methods: ['pwd'],
    kind: 'signed_in',
  });
  return started === undefined ? undefined : key;
}

/** The key of the session that a cookie names. @throws Error if it names none */
export function keyOf(cookie: string | undefined): SessionKey {
  const key = sessionKeyOf(cookie ?? '');
  if (key === undefined) throw new Error('no session id');
  return key;
}

/** A grant with all that it hangs on. */
export interface TestGrant {
  grantId: string;
  userId: string;
  credentials: Credentials;
  scopes: Scope[];
  /** What its code says. */
  clientId: string;
  sid: string;
  epoch: number;
  originHash: Buffer;
  createdAt: Date;
}

/** A consent as a page would have stored it. @returns the epochs of consent and client together */
export async function rememberConsent(
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

/** A code that was given out, for a person with a session: consent remembered, nothing redeemed. */
export async function createGrant(
  database: Database,
  fields: Partial<TestGrant> & { client?: Partial<NewClient>; at?: Date; sid?: string } = {},
): Promise<TestGrant> {
  const userId = fields.userId ?? (await createUser(database));
  const credentials = fields.credentials ?? (await createClient(database, fields.client));
  const { scopes = ['openid', 'profile'], sid = randomUUID(), at: createdAt = NOW } = fields;
  const { clientId } = credentials;
  const remembered = await rememberConsent(database, { userId, clientId, scopes, now: createdAt });
  const originHash = (await createSession(database, userId, { sid }))?.idHash;
  if (originHash === undefined) throw new Error('the session was refused');
  const epoch = remembered + (await epochOf(database, userId));
  return { grantId: randomUUID(), userId, credentials, scopes, clientId, sid, epoch, originHash, createdAt };
}

/** The epoch that a session begun now would have. */
async function epochOf(database: Database, userId: string): Promise<number> {
  const find = statement('epoch_of', 'select u.epoch from users u where u.id = $1::uuid');
  const [row] = await database.query<{ epoch: number }>(find, [userId]);
  return row?.epoch ?? 0;
}

/** What a test changes of an advance. Lifetimes in seconds; without them nothing expires. */
export interface Advancing {
  at?: Date;
  idle?: number;
  absolute?: number;
  credentials?: Credentials;
  accessTokenLifetime?: number;
  target?: TokenTarget | null;
}

/** Presents a code (generation 0) or a refresh token, with an access token of its own whose hash is returned. */
export async function advance(
  database: Database,
  grant: TestGrant,
  generation: number,
  {
    at = NOW,
    idle,
    absolute,
    credentials = grant.credentials,
    accessTokenLifetime = 3600,
    target = null,
  }: Advancing = {},
) {
  const hash = accessTokenDigest(randomSecret());
  const before = (seconds: number | undefined) =>
    seconds === undefined ? new Date(0) : new Date(at.getTime() - seconds * 1000);
  const token = {
    hash,
    expiresAt: new Date(at.getTime() + accessTokenLifetime * 1000),
    scope: grant.scopes.join(' '),
    target,
  };
  const presented = { ...grant, credentials, now: at };
  const { outcome, standard, person } = await (generation === 0
    ? redeemCode(
        database,
        {
          ...presented,
          consented: grant.scopes,
          apiIds: target === null ? [] : [target.apiId],
          createdAfter: before(idle),
        },
        token,
      )
    : advanceGrant(
        database,
        {
          ...presented,
          generation,
          advancedAfter: before(idle),
          createdAfter: before(absolute),
          strong: false,
          demand: 'optional',
        },
        token,
      ));
  return { outcome, standard, person, hash };
}

/** Prunes until nothing is left to do, counting the grants that are live. @throws Error when another process is at it */
export async function pruneAll(database: Database, limits: PruneBefore): Promise<void> {
  const live = new Map<string, number>();
  for (const table of WALKED_TABLES) {
    let place: Place;
    do {
      const walked = mine(await walkOn(database, table, limits, place));
      place = walked.place;
      if (table !== 'grants') continue;
      for (const [clientId, count] of Object.entries(walked.live))
        live.set(clientId, (live.get(clientId) ?? 0) + count);
    } while (place !== undefined);
  }
  await noteLiveGrants(database, dayOf(limits.now), live);
  while (mine(await pruneExpired(database, limits)).more);
}

/** What a batch has come to. @throws Error when another process is at it */
function mine<Result>(result: Result | undefined): Result {
  if (result === undefined) throw new Error('another process prunes');
  return result;
}

/** Suspends an account; false when it is so already, or when there is no such account. */
export const suspendUser = (database: Queryable, userId: string, now: Date): Promise<boolean> =>
  ACCOUNT_CHANGES.suspend(database, userId, now);

/** Deletes an account; false when there is none. */
export const deleteUser = async (database: Queryable, userId: string): Promise<boolean> =>
  (await deleteAccount(database, userId)) !== undefined;

/** Deletes an application, whoever it belongs to; false when there is none. */
export async function deleteClient(database: Queryable, clientId: string): Promise<boolean> {
  const owner = await findContactOf(database, 'application', clientId);
  if (owner === undefined) return false;
  return (await deleteOwned(database, 'application', owner.userId, clientId, owner.thing)) !== undefined;
}

/** Gives an application another secret, as the command line does. */
export async function newSecret(
  database: Database,
  clientId: string,
  overlap: number,
  now: Date,
): Promise<string> {
  const { userId = '' } = (await findContactOf(database, 'application', clientId)) ?? {};
  const owner = { userId, address: undefined };
  const secret = await rotateSecret(database, owner, { kind: 'application', id: clientId, overlap }, now);
  if (secret === undefined) throw new Error(`no secret for ${clientId}`);
  return secret;
}
