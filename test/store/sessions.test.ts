// Browser sessions: known by the hash of their id, ended by time, sign-out and whatever ends the account (D28, D32).
import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { byPassword } from '../../src/credentials/session-start.ts';
import { openDatabase } from '../../src/store/database.ts';
import { insertSession } from '../../src/store/session-starts.ts';
import { deleteSessionOfUser, findSession } from '../../src/store/sessions.ts';
import { changePassword } from '../../src/store/users.ts';
import { suspendUser } from '../support/accounts.ts';
import {
  createSession,
  createUser,
  later,
  NOW,
  openTestDatabase,
  PASSWORD_HASH,
  sql,
} from '../support/populate.ts';

const { url, database, close } = await openTestDatabase();
afterAll(() => close());

/** The hash of a session that was started; a refused start fails the test. */
async function startedSession(userId: string, options = {}): Promise<Buffer> {
  const idHash = await createSession(database, userId, options);
  if (idHash === undefined) throw new Error('no session was started');
  return idHash;
}

describe('a live session', () => {
  test('says whose it is and when the person signed in', async () => {
    const userId = await createUser(database, {
      email: 'Zoe@Example.com',
      name: 'Zoé',
      phone: '+33612345678',
    });
    const idHash = await startedSession(userId);
    expect(await findSession(database, idHash, NOW)).toEqual({
      idHash,
      originHash: idHash,
      sid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      userEpoch: 0,
      startedAt: NOW,
      authTime: NOW,
      fullyProvenAt: NOW,
      userId,
      name: 'Zoé',
      email: 'Zoe@Example.com',
      emailVerified: false,
      phone: '+33612345678',
      pictureHash: null,
      locale: null,
      operator: false,
      methods: ['pwd'],
      asksForCode: false,
      passkeyMethods: [],
      hasPassword: true,
      profileUpdatedAt: NOW,
      createdAt: NOW,
    });
  });

  test('begun twice at once from one browser: both go by one sid, and end with it', async () => {
    const userId = await createUser(database);
    const previousIdHash = await startedSession(userId);
    const { sid = '' } = (await findSession(database, previousIdHash, NOW)) ?? {};
    const begin = async (at: Date) => {
      const idHash = randomBytes(32);
      const fields = {
        ...byPassword(userId, { passwordHash: PASSWORD_HASH }),
        address: '192.0.2.1',
        userAgent: 'test',
      };
      const kind = 'signed_in';
      const times = { authTime: at, expiresAt: later(7200) };
      const session = {
        ...fields,
        ...times,
        kind,
        idHash,
        sid: randomUUID(),
        previousIdHashes: [previousIdHash],
      } as const;
      expect(await insertSession(database, session)).toEqual({
        sid,
        browserEpoch: 0,
        lacksPasskey: true,
        way: 'password',
      });
      return idHash;
    };
    const both = [await begin(NOW), await begin(NOW)];
    for (const one of both) expect((await findSession(database, one, NOW))?.sid).toBe(sid);
    expect(await deleteSessionOfUser(database, userId, sid, NOW)).toBe(true);
    for (const one of both) expect(await findSession(database, one, NOW)).toBeUndefined();
    expect(await deleteSessionOfUser(database, userId, sid, NOW)).toBe(false);
  });

  test('after one that is over begins under another sid: applications were told that the former ended', async () => {
    const userId = await createUser(database);
    const expired = await startedSession(userId, { expiresAt: later(60) });
    const { sid } = (await findSession(database, expired, NOW)) ?? {};
    const idHash = randomBytes(32);
    const own = randomUUID();
    const started = await insertSession(database, {
      ...byPassword(userId, { passwordHash: PASSWORD_HASH }),
      ...{ idHash, sid: own, previousIdHashes: [expired] },
      ...{
        authTime: later(60),
        expiresAt: later(120),
        address: '',
        userAgent: '',
        kind: 'signed_in' as const,
      },
    });
    expect([started, (await findSession(database, idHash, later(60)))?.sid]).toEqual([
      expect.objectContaining({ sid: own }),
      own,
    ]);
    expect(own).not.toBe(sid);
  });

  test('is started without a look at the others of its account, however many', async () => {
    const single = openDatabase(url, 1);
    const scans = async () => {
      await sql(single, 'select pg_stat_force_next_flush()');
      const read =
        "select idx_scan::int as scans from pg_stat_user_indexes where indexrelname = 'sessions_user_id_sid'";
      return (await sql(single, read))[0]?.scans;
    };
    // To the planner an account has one session, like everybody: either index looks as good.
    await sql(
      single,
      `with made as (
        insert into users (id, email, email_key, name, email_verified, password_hash, operator, profile_updated_at, created_at)
        select gen_random_uuid(), n || '@many', n || '@many', 'n', true, 'h', false, $1, $1
        from generate_series(1, 2000) n returning id
      )
      insert into sessions (id_hash, sid, user_id, user_epoch, started_at, auth_time, expires_at, address, user_agent)
      select sha256(id::text::bytea), id, id, 0, $1, $1, $1, '', '' from made`,
      [NOW],
    );
    await sql(single, 'analyze sessions, users');
    const userId = await createUser(single);
    const before = await scans();
    // More than PostgreSQL plans anew before it keeps to one plan.
    for (let i = 0; i < 20; i++) {
      const fields = { ...byPassword(userId, { passwordHash: PASSWORD_HASH }), address: '', userAgent: '' };
      const previousIdHashes = i % 2 === 0 ? undefined : [randomBytes(32)];
      const times = { authTime: NOW, expiresAt: later(60) };
      const own = { idHash: randomBytes(32), sid: randomUUID(), kind: 'signed_in' as const };
      expect(await insertSession(single, { ...fields, ...times, ...own, previousIdHashes })).toBeDefined();
    }
    expect(await scans()).toBe(before);
    await single.close();
  });

  test('is found by its own hash alone', async () => {
    const idHash = await startedSession(await createUser(database));
    for (const hash of [Buffer.alloc(32), Buffer.alloc(0), idHash.subarray(0, 31)])
      expect(await findSession(database, hash, NOW)).toBeUndefined();
  });
});

describe('a session is not started when the account changed while the password was checked', () => {
  test('suspended', async () => {
    const userId = await createUser(database);
    await suspendUser(database, userId, NOW);
    expect(await createSession(database, userId)).toBeUndefined();
  });

  test('given another password', async () => {
    const userId = await createUser(database);
    await changePassword(database, userId, 'another hash');
    expect(await createSession(database, userId, { passwordHash: PASSWORD_HASH })).toBeUndefined();
    const idHash = await startedSession(userId, { passwordHash: 'another hash' });
    expect(await findSession(database, idHash, NOW)).toBeDefined();
  });

  test('given another password, by whoever has just changed it', async () => {
    const userId = await createUser(database);
    const begin = (passwordHash: string) => {
      const idHash = randomBytes(32);
      return insertSession(database, {
        ...{ userId, proof: { by: 'change', passwordHash, fullyProvenAt: NOW, idHash }, methods: ['pwd'] },
        ...{ authTime: NOW, expiresAt: later(60), address: '', userAgent: '' },
        ...{ idHash, sid: randomUUID(), kind: 'signed_in' },
      });
    };
    await changePassword(database, userId, 'the last one');
    expect(await begin('the one before')).toBeUndefined();
    expect(await begin('the last one')).toBeDefined();
  });
});
