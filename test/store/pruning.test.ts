// Pruning: only dead rows go, in batches, by one process at a time.
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { withdrawConsent } from '../../src/store/consents.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { revokeGrant } from '../../src/store/grants.ts';
import { NO_USER } from '../../src/store/no-user.ts';
import { limitsOf, type PruneBefore, pruneExpired, walkOn } from '../../src/store/pruning.ts';
import { findSession, type SessionKey } from '../../src/store/sessions.ts';
import { statements } from '../../src/store/statement.ts';
import { changePassword } from '../../src/store/users.ts';
import { heldUp, lockApplication } from '../support/locks.ts';
import {
  advance,
  createClient,
  createGrant,
  createSession,
  createUser,
  deleteClient,
  deleteUser,
  later,
  NOW,
  openTestDatabase,
  pruneAll as pruneEverything,
  sql,
  suspendUser,
} from '../support/populate.ts';

let url: string;
let database: Database;
let close: () => Promise<void>;
beforeEach(async () => {
  ({ url, database, close } = await openTestDatabase());
});
afterEach(() => close());

/** Limits as they are an hour after NOW: codes live a minute, refresh tokens half an hour, grants for ever. */
const LIMITS: PruneBefore = {
  now: later(3600),
  codeIssued: later(3540),
  grantUsed: later(1800),
  grantCreated: new Date(0),
  entryAdded: later(3200),
  audited: later(1000),
  retained: later(2000),
};

const pruneAll = (limits = LIMITS): Promise<void> => pruneEverything(database, limits);
const count = async (table: string) => (await sql(database, `select count(*)::int as n from ${table}`))[0]?.n;
const grantIds = async () => (await sql(database, 'select id from grants')).map(({ id }) => id);

describe('by time', () => {
  test('access tokens after their expiry', async () => {
    const grant = await createGrant(database);
    await advance(database, grant, 0, { accessTokenLifetime: 3599 });
    const { hash } = await advance(database, grant, 1, { accessTokenLifetime: 3600 });
    await pruneAll();
    expect(await sql(database, 'select hash from access_tokens')).toEqual([{ hash }]);
  });

  test('everything else by its column and limit; secrets without an end stay', async () => {
    const { clientId } = await createClient(database);
    const userId = await createUser(database);
    const [now, audited, retained] = [3600, 1000, 2000];
    const cases: [string, string, limit: number][] = [
      ['spent_tokens (user_id, key, expires_at)', 'USER, KEY, AT', now],
      ['throttles (key, empty_ms)', 'md5(KEY)::uuid, extract(epoch from AT::timestamptz) * 1000', now],
      [
        'one_time_tokens (hash, kind, user_id, email, detail, created_at, expires_at)',
        "KEY, 'x', USER, '', '{}', AT, AT",
        now,
      ],
      [
        'trusted_browsers (hash, id, user_id, browser_epoch, user_agent, created_at, expires_at)',
        "KEY, gen_random_uuid(), USER, 0, '', AT, AT",
        now,
      ],
      [
        'mails (id, user_id, sealed, created_at, expires_at, next_attempt_at)',
        "gen_random_uuid(), USER, '', AT, AT, AT",
        now,
      ],
      [
        'device_requests (user_code_mac, device_code_hash, client_id, scopes, created_at, expires_at, interval)',
        "KEY, KEY, CLIENT, '{}', AT, AT, 5",
        now,
      ],
      ['used_assertions (holder, jti_hash, expires_at)', "'x', KEY, AT", now],
      ['added_entries (holder, entry, added_at)', "'x', KEY, AT", 3200],
      [
        'sessions (id_hash, sid, user_id, user_epoch, auth_time, expires_at, address, user_agent, started_at)',
        "KEY, gen_random_uuid(), USER, 0, AT, AT, '', '', AT",
        retained,
      ],
      [
        'secrets (client_id, secret_hash, ending, created_at, expires_at)',
        "CLIENT, KEY, '', AT, AT",
        retained,
      ],
      ['logout_deliveries (client_id, user_id, sid, created_at)', 'CLIENT, USER, USER, AT', retained],
      [
        'refusals (client_id, at, authenticated, held, endpoint, error, kind, facts, address, incident)',
        "CLIENT, AT, true, true, '', '', '', '{}', '', ''",
        retained,
      ],
      ['activity (kind, day, total, counts)', "'x', AT, 1, '{}'", retained],
      ['events (at, kind, user_id, detail)', `AT, 'signed_in', '${NO_USER}', '{}'`, audited],
    ];
    const words: Record<string, string> = { USER: `'${userId}'`, CLIENT: `'${clientId}'` };
    const insert = (into: string, values: string, at: Date, key: string) => {
      const all: Record<string, string> = { ...words, AT: `'${at.toISOString()}'`, KEY: `'${key}'` };
      return sql(
        database,
        `insert into ${into} values (${values.replace(/[A-Z]{2,}/g, (word) => all[word] ?? '')})`,
      );
    };
    const left: Record<string, unknown> = {};
    for (const [into, values, limit] of cases) {
      await insert(into, values, later(limit - 1), 'gone');
      await insert(into, values, later(limit), 'kept');
    }
    await sql(
      database,
      `insert into transfer_offers (client_id, email, email_key, offered_at, expires_at, owner_epoch)
      values ($1::text, '', '', $2::timestamptz, $2::timestamptz, 0)`,
      [clientId, later(3599)],
    );
    await pruneAll();
    for (const [into] of cases) {
      const [table = ''] = into.split(' ');
      left[table] = await count(table);
    }
    const one = Object.fromEntries(Object.keys(left).map((table) => [table, 1]));
    expect(left).toEqual({ ...one, secrets: 2 });
    expect(await count('transfer_offers')).toBe(0);
  });
});

test('every batch is selected and changed by the whole primary key of its table', async () => {
  const keys = await sql(
    database,
    `select conrelid::regclass::text as name, pg_get_constraintdef(oid) as key from pg_constraint where contype = 'p'`,
  );
  const keyOf = new Map(keys.map(({ name, key }) => [name, String(key).replace('PRIMARY KEY ', '')]));
  const tables: string[] = [];
  for (const { name, text } of statements.values()) {
    const [, table, key] = /^(?:delete from|update) (\w+) [^(]*(\(.*\)) in\s/.exec(text) ?? [];
    if (table === undefined || !/^(prune|forget_addresses_of)_/.test(name) || !keyOf.has(table)) continue;
    tables.push(table);
    expect([name, key]).toEqual([name, keyOf.get(table)]);
  }
  expect(tables.filter((table) => table === 'events')).toHaveLength(2);
});

describe('IP addresses are forgotten, and what they belonged to is kept (RETENTION)', () => {
  test('in events', async () => {
    for (const at of [later(1999), later(2000)]) {
      await sql(
        database,
        `insert into events (at, kind, user_id, detail, address)
        values ($1::timestamptz, 'signed_in', '${NO_USER}', '{}', '192.0.2.1')`,
        [at],
      );
    }
    await pruneAll({ ...LIMITS, audited: NOW });
    expect(await sql(database, 'select address from events order by id')).toEqual([
      { address: null },
      { address: '192.0.2.1' },
    ]);
  });

  test('in sessions by when they were last seen, live or ended', async () => {
    const userId = await createUser(database);
    const begin = (begun: Date) =>
      createSession(database, userId, { expiresAt: later(3001 + begun.getTime() / 1e12) });
    const [old, seen, young] = [await begin(NOW), await begin(NOW), await begin(NOW)];
    const set =
      'update sessions set auth_time = $2::timestamptz, last_seen_at = $3::timestamptz where id_hash = $1';
    await sql(database, set, [old?.idHash, later(1999), null]);
    await sql(database, set, [seen?.idHash, later(0), later(2000)]);
    await sql(database, set, [young?.idHash, later(2000), null]);
    await pruneAll();
    const addresses = await sql(database, 'select id_hash, address from sessions');
    const addressOf = (session: SessionKey | undefined) =>
      addresses.find((row) => session?.idHash.equals(row.id_hash as Buffer))?.address;
    expect([addressOf(old), addressOf(seen), addressOf(young)]).toEqual(['', '192.0.2.1', '192.0.2.1']);
    expect(old && (await findSession(database, old, NOW))?.userId, 'it goes on').toBe(userId);
  });
});

describe('grants', () => {
  test('a refresh token that was not used in time, and what has reached its absolute lifetime, used or not', async () => {
    const [idle, old, live] = [
      await createGrant(database, { at: later(100) }),
      await createGrant(database),
      await createGrant(database, { at: later(100) }),
    ];
    await advance(database, idle, 0, { at: later(1799) });
    await advance(database, old, 0, { at: later(3000) });
    await advance(database, live, 0, { at: later(1800) });
    await pruneAll();
    expect((await grantIds()).toSorted()).toEqual([old.grantId, live.grantId].toSorted());
    await pruneAll({ ...LIMITS, grantCreated: later(100) });
    expect(await grantIds()).toEqual([live.grantId]);
  });

  test('one that was revoked while its code is young stays: the code is used up by its being there (D13)', async () => {
    const redeemed = async (at: Date) => {
      const grant = await createGrant(database, { at });
      await advance(database, grant, 0, { at: later(3550) });
      const { credentials, userId, grantId } = grant;
      await revokeGrant(database, { credentials, now: later(3550) }, { userId, grantId });
      return grant;
    };
    await redeemed(later(3539));
    const young = await redeemed(later(3540));
    await pruneAll();
    expect(await grantIds()).toEqual([young.grantId]);
    expect((await advance(database, young, 0, { at: later(3599), idle: 60 })).outcome).toBeNull();
  });

  test('those that are revoked or dead, but too young to delete, are not counted as live', async () => {
    const redeemed = async () => {
      const grant = await createGrant(database, { at: later(3540) });
      await advance(database, grant, 0, { at: later(3550) });
      return grant;
    };
    const [live, revoked, dead] = [await redeemed(), await redeemed(), await redeemed()];
    const { credentials, userId, grantId } = revoked;
    await revokeGrant(database, { credentials, now: later(3551) }, { userId, grantId });
    await suspendUser(database, dead.userId, later(3551));
    const walked = await walkOn(database, 'grants', LIMITS, undefined);
    expect(walked).toMatchObject({ deleted: 0, live: { [live.credentials.clientId]: 1 } });
    expect(Object.keys(walked?.live ?? {})).toEqual([live.credentials.clientId]);
  });

  test('what was revoked, and what an epoch or a deletion has killed (D28); nothing else', async () => {
    const newGrant = async () => {
      const grant = await createGrant(database);
      await advance(database, grant, 0, { at: later(3000) });
      return grant;
    };
    const live = await newGrant();
    const revoked = await newGrant();
    const { credentials, userId, grantId } = revoked;
    await revokeGrant(database, { credentials, now: NOW }, { userId, grantId });
    await suspendUser(database, (await newGrant()).userId, NOW);
    await changePassword(database, (await newGrant()).userId, 'another hash');
    await deleteUser(database, (await newGrant()).userId);
    await deleteClient(database, (await newGrant()).credentials.clientId);
    const withdrawn = await newGrant();
    await withdrawConsent(database, withdrawn.userId, withdrawn.credentials.clientId, NOW);
    expect(await count('grants')).toBe(7);
    await pruneAll();
    expect(await grantIds()).toEqual([live.grantId]);
    expect((await advance(database, live, 1, { at: later(3600) })).outcome).toBe('advanced');
  });
});

describe('consents', () => {
  test('those of deleted applications go; a withdrawn one keeps its epoch', async () => {
    const [gone, withdrawn, live] = [
      await createGrant(database),
      await createGrant(database),
      await createGrant(database),
    ];
    await deleteClient(database, gone.credentials.clientId);
    await withdrawConsent(database, withdrawn.userId, withdrawn.credentials.clientId, NOW);
    await pruneAll();
    const left = (await sql(database, 'select client_id from consents')).map((row) => row.client_id);
    expect(left.toSorted()).toEqual([withdrawn.credentials.clientId, live.credentials.clientId].toSorted());
  });
});

describe('in batches', () => {
  test('expired rows go a thousand at a time', async () => {
    await sql(
      database,
      `insert into access_tokens (user_id, hash, grant_id, scope, expires_at)
      select $1::uuid, decode(md5(n::text), 'hex'), $1::uuid, 'openid', $2::timestamptz from generate_series(1, 2500) n`,
      [randomUUID(), NOW],
    );
    const left: unknown[] = [];
    for (let more = true; more; left.push(await count('access_tokens')))
      more = (await pruneExpired(database, LIMITS))?.more === true;
    expect(left).toEqual([1500, 500, 0]);
  });
});

test('agents are deleted in the same transaction as expired rows', async () => {
  const { clientId } = await createClient(database, { type: 'public' });
  await sql(database, 'update clients set owner_id = null where client_id = $1', [clientId]);
  await sql(
    database,
    `insert into agents (client_id, way, created_at) values ($1::text, 'registration', $2::timestamptz)`,
    [clientId, later(-24 * 3600)],
  );
  await advance(database, await createGrant(database), 0, { accessTokenLifetime: 10 });
  const lock = await lockApplication(url, clientId);
  const pruned = pruneExpired(database, LIMITS);
  await lock.heldUp(1);
  expect(await count('access_tokens')).toBe(1);
  expect(await pruneExpired(database, LIMITS), 'another process does nothing').toBeUndefined();
  await lock.release();
  expect((await pruned)?.deleted).toMatchObject({ access_tokens: 1, agents: 1 });
});

describe('while one process prunes, another leaves at once and touches nothing', () => {
  test.each<[string, string, () => Promise<unknown>, () => Promise<unknown>]>([
    [
      'what ends by its time',
      'access_tokens',
      () => pruneExpired(database, LIMITS),
      () => pruneExpired(elsewhere, LIMITS),
    ],
    [
      'on a walk',
      'grants',
      () => walkOn(database, 'grants', LIMITS, undefined),
      () => walkOn(elsewhere, 'grants', LIMITS, undefined),
    ],
  ])('%s', async (_, table, prune, pruneElsewhere) => {
    const grant = await createGrant(database);
    await advance(database, grant, 0, { accessTokenLifetime: 10 });
    // Somebody looks at the row that the first process wants to delete, so it waits in the middle of its batch.
    let first: Promise<unknown> | undefined;
    await elsewhere.transaction(async (transaction) => {
      await transaction.query({ name: '', text: `select from ${table} for update` }, []);
      first = prune();
      await heldUp(url);
      expect(await pruneElsewhere()).toBeUndefined();
    });
    expect(await first).toBeDefined();
    expect(await count(table)).toBe(0);
    expect(await pruneElsewhere(), 'its lock went with its transaction').toBeDefined();
  });

  let elsewhere: Database;
  beforeEach(() => {
    elsewhere = openDatabase(url, 3);
  });
  afterEach(() => elsewhere.close());
});

test('a grant is kept while an access token of it may live: refresh lifetimes end later by that much (D15)', () => {
  const config = {
    authorizationCodeTtl: 60,
    accessTokenTtl: 3600,
    refreshTokenIdleTtl: 1000,
    refreshTokenMaxTtl: 5000,
  } as Parameters<typeof limitsOf>[0];
  const limits = limitsOf(config, NOW);
  expect(limits.grantUsed.getTime()).toBeLessThanOrEqual(later(-1000 - 3600).getTime());
  expect(limits.grantCreated.getTime()).toBeLessThanOrEqual(later(-5000 - 3600).getTime());
  expect(limits.codeIssued.getTime()).toBeLessThanOrEqual(later(-60).getTime());
  expect(limits.now.getTime()).toBeLessThanOrEqual(NOW.getTime());
  expect(limitsOf({ ...config, refreshTokenMaxTtl: 0 }, NOW).grantCreated).toEqual(new Date(0));
});
