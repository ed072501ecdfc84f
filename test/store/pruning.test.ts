// Pruning deletes only invalid rows, in batches, in one process at a time.
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { withdrawConsent } from '../../src/store/consents.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { revokeGrant } from '../../src/store/grants.ts';
import { NIL_USER_ID } from '../../src/store/nil-user-id.ts';
import { type PruneCutoffs, pruneCutoffs, pruneExpired, sweepBatch } from '../../src/store/pruning.ts';
import { findSession, type SessionKey } from '../../src/store/sessions.ts';
import { statements } from '../../src/store/statement.ts';
import { setAccountPassword } from '../../src/store/users.ts';
import { lockClient, waitForBlocked } from '../support/locks.ts';
import {
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
  redeemToken,
  sql,
  suspendUser,
} from '../support/store-fixtures.ts';

let url: string;
let database: Database;
let close: () => Promise<void>;
beforeEach(async () => {
  ({ url, database, close } = await openTestDatabase());
});
afterEach(() => close());

/** The cutoffs are one hour after NOW. Codes expire after a minute, and refresh tokens after half an hour. */
const CUTOFFS: PruneCutoffs = {
  now: later(3600),
  codeIssued: later(3540),
  grantUsed: later(1800),
  grantCreated: new Date(0),
  entryAdded: later(3200),
  audited: later(1000),
  retained: later(2000),
};

const pruneAll = (cutoffs = CUTOFFS): Promise<void> => pruneEverything(database, cutoffs);
const countRows = async (table: string) =>
  (await sql(database, `select count(*)::int as n from ${table}`))[0]?.n;
const listGrantIds = async () => (await sql(database, 'select id from grants')).map(({ id }) => id);

describe('pruning of expired rows', () => {
  test('deletes expired access tokens', async () => {
    const grant = await createGrant(database);
    await redeemToken(database, grant, 0, { accessTokenLifetime: 3599 });
    const { hash } = await redeemToken(database, grant, 1, { accessTokenLifetime: 3600 });
    await pruneAll();
    expect(await sql(database, 'select hash from access_tokens')).toEqual([{ hash }]);
  });

  test('uses each table’s time column and cutoff', async () => {
    const { clientId } = await createClient(database);
    const userId = await createUser(database);
    const [now, audited, retained] = [3600, 1000, 2000];
    const cases: [string, string, limit: number][] = [
      ['used_tokens (user_id, key, expires_at)', 'USER, KEY, AT', now],
      ['throttles (key, empty_at_ms)', 'md5(KEY)::uuid, extract(epoch from AT::timestamptz) * 1000', now],
      [
        'one_time_tokens (hash, kind, user_id, email, detail, created_at, expires_at)',
        "KEY, 'x', USER, '', '{}', AT, AT",
        now,
      ],
      [
        'remembered_devices (hash, id, user_id, browser_epoch, user_agent, created_at, expires_at)',
        "KEY, gen_random_uuid(), USER, 0, '', AT, AT",
        now,
      ],
      [
        'outbox (id, user_id, sealed, created_at, expires_at, next_attempt_at)',
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
        'sessions (id_hash, sid, user_id, user_epoch, auth_time, expires_at, ip, user_agent, started_at)',
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
        'refusals (client_id, at, authenticated, has_credential, endpoint, error, kind, facts, ip, incident)',
        "CLIENT, AT, true, true, '', '', '', '{}', '', ''",
        retained,
      ],
      ['activity (kind, day, total, counts)', "'x', AT, 1, '{}'", retained],
      ['events (at, kind, user_id, detail)', `AT, 'signed_in', '${NIL_USER_ID}', '{}'`, audited],
    ];
    const literals: Record<string, string> = { USER: `'${userId}'`, CLIENT: `'${clientId}'` };
    const insertRow = (into: string, values: string, at: Date, key: string) => {
      const replacements: Record<string, string> = {
        ...literals,
        AT: `'${at.toISOString()}'`,
        KEY: `'${key}'`,
      };
      return sql(
        database,
        `insert into ${into} values (${values.replace(/[A-Z]{2,}/g, (word) => replacements[word] ?? '')})`,
      );
    };
    const remaining: Record<string, unknown> = {};
    for (const [into, values, limit] of cases) {
      await insertRow(into, values, later(limit - 1), 'expired');
      await insertRow(into, values, later(limit), 'kept');
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
      remaining[table] = await countRows(table);
    }
    const oneRowEach = Object.fromEntries(Object.keys(remaining).map((table) => [table, 1]));
    expect(remaining).toEqual({ ...oneRowEach, secrets: 2 });
    expect(await countRows('transfer_offers')).toBe(0);
  });
});

test('every pruning statement selects rows by the table’s full primary key', async () => {
  const keys = await sql(
    database,
    `select conrelid::regclass::text as name, pg_get_constraintdef(oid) as key from pg_constraint where contype = 'p'`,
  );
  const primaryKeys = new Map(keys.map(({ name, key }) => [name, String(key).replace('PRIMARY KEY ', '')]));
  const tables: string[] = [];
  for (const { name, text } of statements.values()) {
    const [, table, key] = /^(?:delete from|update) (\w+) [^(]*(\(.*\)) in\s/.exec(text) ?? [];
    if (table === undefined || !/^(prune|erase_ips_of)_/.test(name) || !primaryKeys.has(table)) continue;
    tables.push(table);
    expect([name, key]).toEqual([name, primaryKeys.get(table)]);
  }
  expect(tables.filter((table) => table === 'events')).toHaveLength(2);
});

describe('IPs older than RETENTION', () => {
  test('are erased from events', async () => {
    for (const at of [later(1999), later(2000)]) {
      await sql(
        database,
        `insert into events (at, kind, user_id, detail, ip)
        values ($1::timestamptz, 'signed_in', '${NIL_USER_ID}', '{}', '192.0.2.1')`,
        [at],
      );
    }
    await pruneAll({ ...CUTOFFS, audited: NOW });
    expect(await sql(database, 'select ip from events order by id')).toEqual([
      { ip: null },
      { ip: '192.0.2.1' },
    ]);
  });

  test('are erased from inactive sessions', async () => {
    const userId = await createUser(database);
    const startSession = (startedAt: Date) =>
      createSession(database, userId, { expiresAt: later(3001 + startedAt.getTime() / 1e12) });
    const [old, seenRecently, recent] = [
      await startSession(NOW),
      await startSession(NOW),
      await startSession(NOW),
    ];
    const updateSql =
      'update sessions set auth_time = $2::timestamptz, last_seen_at = $3::timestamptz where id_hash = $1';
    await sql(database, updateSql, [old?.idHash, later(1999), null]);
    await sql(database, updateSql, [seenRecently?.idHash, later(0), later(2000)]);
    await sql(database, updateSql, [recent?.idHash, later(2000), null]);
    await pruneAll();
    const rows = await sql(database, 'select id_hash, ip from sessions');
    const findIp = (session: SessionKey | undefined) =>
      rows.find((row) => session?.idHash.equals(row.id_hash as Buffer))?.ip;
    expect([findIp(old), findIp(seenRecently), findIp(recent)]).toEqual(['', '192.0.2.1', '192.0.2.1']);
    expect(old && (await findSession(database, old, NOW))?.userId, 'the session is still live').toBe(userId);
  });
});

describe('pruning of grants', () => {
  test('deletes grants after their idle or absolute lifetime', async () => {
    const [idle, old, live] = [
      await createGrant(database, { at: later(100) }),
      await createGrant(database),
      await createGrant(database, { at: later(100) }),
    ];
    await redeemToken(database, idle, 0, { at: later(1799) });
    await redeemToken(database, old, 0, { at: later(3000) });
    await redeemToken(database, live, 0, { at: later(1800) });
    await pruneAll();
    expect((await listGrantIds()).toSorted()).toEqual([old.grantId, live.grantId].toSorted());
    await pruneAll({ ...CUTOFFS, grantCreated: later(100) });
    expect(await listGrantIds()).toEqual([live.grantId]);
  });

  test('keeps a revoked grant until its code has expired', async () => {
    const createRevokedGrant = async (at: Date) => {
      const grant = await createGrant(database, { at });
      await redeemToken(database, grant, 0, { at: later(3550) });
      const { credentials, userId, grantId } = grant;
      await revokeGrant(database, { credentials, now: later(3550) }, { userId, grantId });
      return grant;
    };
    await createRevokedGrant(later(3539));
    const recent = await createRevokedGrant(later(3540));
    await pruneAll();
    expect(await listGrantIds()).toEqual([recent.grantId]);
    expect((await redeemToken(database, recent, 0, { at: later(3599), idle: 60 })).outcome).toBeNull();
  });

  test('does not count invalid grants as live', async () => {
    const createRedeemedGrant = async () => {
      const grant = await createGrant(database, { at: later(3540) });
      await redeemToken(database, grant, 0, { at: later(3550) });
      return grant;
    };
    const [live, revoked, suspended] = [
      await createRedeemedGrant(),
      await createRedeemedGrant(),
      await createRedeemedGrant(),
    ];
    const { credentials, userId, grantId } = revoked;
    await revokeGrant(database, { credentials, now: later(3551) }, { userId, grantId });
    await suspendUser(database, suspended.userId, later(3551));
    const swept = await sweepBatch(database, 'grants', CUTOFFS, undefined);
    expect(swept).toMatchObject({ deleted: 0, live: { [live.credentials.clientId]: 1 } });
    expect(Object.keys(swept?.live ?? {})).toEqual([live.credentials.clientId]);
  });

  test('deletes only invalid grants before the end of their lifetime', async () => {
    const createRedeemedGrant = async () => {
      const grant = await createGrant(database);
      await redeemToken(database, grant, 0, { at: later(3000) });
      return grant;
    };
    const live = await createRedeemedGrant();
    const revoked = await createRedeemedGrant();
    const { credentials, userId, grantId } = revoked;
    await revokeGrant(database, { credentials, now: NOW }, { userId, grantId });
    await suspendUser(database, (await createRedeemedGrant()).userId, NOW);
    await setAccountPassword(database, (await createRedeemedGrant()).userId, 'different hash');
    await deleteUser(database, (await createRedeemedGrant()).userId);
    await deleteClient(database, (await createRedeemedGrant()).credentials.clientId);
    const withdrawn = await createRedeemedGrant();
    await withdrawConsent(database, withdrawn.userId, withdrawn.credentials.clientId, NOW);
    expect(await countRows('grants')).toBe(7);
    await pruneAll();
    expect(await listGrantIds()).toEqual([live.grantId]);
    expect((await redeemToken(database, live, 1, { at: later(3600) })).outcome).toBe('rotated');
  });
});

describe('consents', () => {
  test('are deleted with their client', async () => {
    const [deleted, withdrawn, live] = [
      await createGrant(database),
      await createGrant(database),
      await createGrant(database),
    ];
    await deleteClient(database, deleted.credentials.clientId);
    await withdrawConsent(database, withdrawn.userId, withdrawn.credentials.clientId, NOW);
    await pruneAll();
    const clientIds = (await sql(database, 'select client_id from consents')).map((row) => row.client_id);
    expect(clientIds.toSorted()).toEqual(
      [withdrawn.credentials.clientId, live.credentials.clientId].toSorted(),
    );
  });
});

describe('a pruning batch', () => {
  test('deletes at most a thousand expired rows per table', async () => {
    await sql(
      database,
      `insert into access_tokens (user_id, hash, grant_id, scope, expires_at)
      select $1::uuid, decode(md5(n::text), 'hex'), $1::uuid, 'openid', $2::timestamptz from generate_series(1, 2500) n`,
      [randomUUID(), NOW],
    );
    const remaining: unknown[] = [];
    for (let hasMore = true; hasMore; remaining.push(await countRows('access_tokens')))
      hasMore = (await pruneExpired(database, CUTOFFS))?.hasMore === true;
    expect(remaining).toEqual([1500, 500, 0]);
  });
});

test('agents are deleted in the same transaction as expired rows', async () => {
  const { clientId } = await createClient(database, { type: 'public' });
  await sql(database, 'update clients set owner_id = null where client_id = $1', [clientId]);
  await sql(
    database,
    `insert into agents (client_id, kind, created_at) values ($1::text, 'registration', $2::timestamptz)`,
    [clientId, later(-24 * 3600)],
  );
  await redeemToken(database, await createGrant(database), 0, { accessTokenLifetime: 10 });
  const lock = await lockClient(url, clientId);
  const pruned = pruneExpired(database, CUTOFFS);
  await lock.waitForBlocked(1);
  expect(await countRows('access_tokens')).toBe(1);
  expect(await pruneExpired(database, CUTOFFS), 'a second process prunes nothing').toBeUndefined();
  await lock.release();
  expect((await pruned)?.deleted).toMatchObject({ access_tokens: 1, agents: 1 });
});

describe('a second process', () => {
  test.each<[string, string, () => Promise<unknown>, () => Promise<unknown>]>([
    [
      'pruning of expired rows',
      'access_tokens',
      () => pruneExpired(database, CUTOFFS),
      () => pruneExpired(secondProcess, CUTOFFS),
    ],
    [
      'pruning of grants',
      'grants',
      () => sweepBatch(database, 'grants', CUTOFFS, undefined),
      () => sweepBatch(secondProcess, 'grants', CUTOFFS, undefined),
    ],
  ])('skips %s while the first process is working', async (_, table, prune, pruneInSecondProcess) => {
    const grant = await createGrant(database);
    await redeemToken(database, grant, 0, { accessTokenLifetime: 10 });
    // Block the first process during its batch.
    let first: Promise<unknown> | undefined;
    await secondProcess.transaction(async (transaction) => {
      await transaction.query({ name: '', text: `select from ${table} for update` }, []);
      first = prune();
      await waitForBlocked(url);
      expect(await pruneInSecondProcess()).toBeUndefined();
    });
    expect(await first).toBeDefined();
    expect(await countRows(table)).toBe(0);
    expect(await pruneInSecondProcess(), 'the lock is released').toBeDefined();
  });

  let secondProcess: Database;
  beforeEach(() => {
    secondProcess = openDatabase(url, 3);
  });
  afterEach(() => secondProcess.close());
});

test('a grant is deleted only after its last access token has expired', () => {
  const config = {
    authorizationCodeTtl: 60,
    accessTokenTtl: 3600,
    refreshTokenIdleTtl: 1000,
    refreshTokenMaxTtl: 5000,
  } as Parameters<typeof pruneCutoffs>[0];
  const cutoffs = pruneCutoffs(config, NOW);
  expect(cutoffs.grantUsed.getTime()).toBeLessThanOrEqual(later(-1000 - 3600).getTime());
  expect(cutoffs.grantCreated.getTime()).toBeLessThanOrEqual(later(-5000 - 3600).getTime());
  expect(cutoffs.codeIssued.getTime()).toBeLessThanOrEqual(later(-60).getTime());
  expect(cutoffs.now.getTime()).toBeLessThanOrEqual(NOW.getTime());
  expect(pruneCutoffs({ ...config, refreshTokenMaxTtl: 0 }, NOW).grantCreated).toEqual(new Date(0));
});
