// Audit log searches on a large table use indexes.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type EventFilter,
  type EventSubject,
  hasRecentEvent,
  listEvents,
} from '../../src/store/audit-log.ts';
import { findEventSubjects } from '../../src/store/audit-search.ts';
import type { Queryable } from '../../src/store/database.ts';
import { orderValues, type Statement, type Values } from '../../src/store/statement.ts';
import { createUser, NOW, openTestDatabase, sql } from '../support/store-fixtures.ts';

const { database, close } = await openTestDatabase();
afterAll(() => close());
let userId: string;
const EVENT_COUNT = 50_000;
const NEWEST_EVENT_AT = new Date(NOW.getTime() + EVENT_COUNT * 1000);

beforeAll(async () => {
  userId = await createUser(database);
  // One account has a tenth of the events, and one event in 5,000 has a rare kind.
  await sql(
    database,
    `insert into events (at, kind, actor_id, user_id, client_id, api_id, ip, detail)
    select $1::timestamptz + make_interval(secs => n),
      case when n % 5000 = 0 then 'account_suspended' when n % 2 = 0 then 'signed_in' else 'signed_out' end,
      case when n % 10 = 0 then $2::uuid else md5((n % 997)::text)::uuid end,
      case when n % 10 = 0 then $2::uuid else md5((n % 991)::text)::uuid end,
      'app_' || n % 50, 'api_' || n % 50, '192.0.2.' || n % 250, '{}'
    from generate_series(1, ${EVENT_COUNT}) n`,
    [NOW, userId],
  );
  await sql(database, 'analyze events', []);
});

/** Runs `work` and returns the plan of each of its queries on `events`. */
async function explain(work: (recording: Queryable) => Promise<unknown>): Promise<string[]> {
  const plans: string[] = [];
  await work({
    query: async <Row>(statement: Statement, values: Values = []) => {
      if (/\bfrom events\b/.test(statement.text)) {
        const text = `explain (analyze, costs off, timing off, summary off) ${statement.text}`;
        const rows = await database.query<Record<string, string>>(
          { name: '', text },
          orderValues(statement, values),
        );
        plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'));
      }
      return database.query<Row & Record<string, unknown>>(statement, values);
    },
  } as Queryable);
  return plans;
}

/** Maximum number of rows that a scan in the plan returned or discarded. */
const countRows = (plan: string): number =>
  Math.max(
    ...[...plan.matchAll(/Scan.*\brows=([\d.]+)|Removed by Filter: (\d+)/g)].map(([, read, removed]) =>
      Number(read ?? removed),
    ),
  );

describe('an audit log search', () => {
  const subjects: EventSubject[] = [
    { kind: 'account_suspended' },
    { kind: 'signed_in' },
    { clientId: 'app_7' },
    { apiId: 'api_7' },
    { ip: '192.0.2.7' },
  ];
  test.each([
    ['no filter', {}],
    ['a period', { from: new Date(NOW.getTime() + 1000_000), until: NEWEST_EVENT_AT }],
  ] as [string, EventFilter][])('reads few rows per subject (%s)', async (_, filter) => {
    const anyOf = [...subjects, { actorId: userId }, { affectedId: userId }];
    for (const before of [undefined, { at: new Date(NOW.getTime() + 40_000_000), id: '40000' }]) {
      const plans = await explain((recording) =>
        listEvents(recording, { ...filter, anyOf }, { before, limit: 26 }),
      );
      expect(plans).toHaveLength(anyOf.length);
      for (const plan of plans) {
        expect(plan).not.toContain('Seq Scan on events');
        // If a subject has many events, PostgreSQL may scan the index on `at` instead.
        expect(countRows(plan)).toBeLessThan(EVENT_COUNT / 10);
      }
    }
  });
});

test('an audit log search returns all matches in order, page by page', async () => {
  const filter = { userId, anyOf: [{ kind: 'account_suspended' }, { clientId: 'app_10' }, { kind: 'none' }] };
  const all = await listEvents(database, filter, { limit: 5000 });
  const paged: typeof all = [];
  for (let page = all.slice(0, 0); paged.length < all.length; paged.push(...page))
    page = await listEvents(database, filter, { before: paged.at(-1), limit: 100 });
  expect(all.length).toBe(1000 + EVENT_COUNT / 5000);
  expect(paged).toEqual(all);
  expect(all.map(({ at }) => at.getTime())).toEqual(
    all.map(({ at }) => at.getTime()).toSorted((a, b) => b - a),
  );
});

test('an audit log search without subjects lists nothing', async () => {
  expect(await listEvents(database, { anyOf: [] }, { limit: 5 })).toEqual([]);
  const { subjects } = await findEventSubjects(database, 'two words');
  expect(subjects).toEqual([]);
});

test('a recent event is found by account, kind and time', async () => {
  const last = new Date(NOW.getTime() + EVENT_COUNT * 1000);
  expect(await hasRecentEvent(database, userId, 'account_suspended', last)).toBe(true);
  expect(await hasRecentEvent(database, userId, 'account_suspended', new Date(last.getTime() + 1))).toBe(
    false,
  );
  expect(await hasRecentEvent(database, userId, 'email_changed', NOW)).toBe(false);
});
