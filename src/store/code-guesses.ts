// Counts of codes tried at a second factor. One slows the next attempt down and is forgotten with the right code; the other bounds
// how many codes of the app are looked at in a month, whatever comes between them (ADR 13).
import type { Queryable } from './database.ts';
import { counting } from './sign-in-failures.ts';
import { statement } from './statement.ts';

/** Wrong codes of the app that are looked at without a pause. */
const ROOM = 10;
/** Seconds in which there is room for one more: 250 codes in 30 days, each right by 3 in 1,000,000. */
const REFILL = 3 * 3600;
/** Seconds that the clocks of processes may be apart, and an attempt may wait for another. */
const SLACK = 60;
/** As long as a count is empty no later than in so many seconds, there is room for one more. */
const FULL = REFILL * (ROOM - 1) + SLACK;

/** What the codes of an account count under. */
export interface CodeKeys {
  /** By which the next one is slowed down. */
  slowed: Buffer;
  /** By which they are bounded: in a browser that the account knows apart from those of strangers. */
  strange: Buffer;
  home: Buffer;
}

// Who is refused is not counted: otherwise whoever goes on trying would keep everybody else out for good.
const COUNT = statement(
  'count_code',
  `with own as materialized (
    select coalesce((select $4::bytea from users u
      where u.id = $5::uuid and uuid_send(u.id) || int4send(u.browser_epoch) = any($6::bytea[])), $3::bytea) as key
  ),
  slowed as (${counting('select $1::bytea', '$2')}),
  bounded as (
    insert into sign_in_failures as f (key, empty_at)
    select own.key, $2::timestamptz + make_interval(secs => ${REFILL}) from own where $7::boolean
    on conflict (key) do update
    set empty_at = greatest(f.empty_at, $2::timestamptz) + make_interval(secs => ${REFILL})
    where greatest(f.empty_at, $2::timestamptz) <= $2::timestamptz + make_interval(secs => ${FULL})
    returning key, empty_at > $2::timestamptz + make_interval(secs => ${FULL}) as last
  )
  select s.count, own.key as bound, not $7::boolean or b.key is not null as allowed, coalesce(b.last, false) as last
  from own cross join slowed s left join bounded b on true`,
);

export interface CountedCode {
  /** How many came before it and have not drained away. */
  before: number;
  /** The key that it was bounded under. */
  bound: Buffer;
  /** Whether it may be looked at; a recovery code always may. */
  allowed: boolean;
  /** Whether it used up the room that there was. */
  last: boolean;
}

/**
 * Counts a code before it is looked at, so that simultaneous ones see each other.
 * @param known what the browser brought: accounts at home in it
 * @param guessable whether it can be found by trying: a code of the app
 */
export async function countCode(
  database: Queryable,
  { slowed, strange, home }: CodeKeys,
  { userId, known, guessable }: { userId: string; known: readonly Buffer[]; guessable: boolean },
  now: Date,
): Promise<CountedCode> {
  const values = [slowed, now, strange, home, userId, known, guessable];
  const [row] = await database.query<{ count: number; bound: Buffer; allowed: boolean; last: boolean }>(
    COUNT,
    values,
  );
  if (row === undefined) throw new Error('a count that was written was not given back');
  const { count, ...counted } = row;
  return { ...counted, before: count - 1 };
}

const SETTLE = statement(
  'settle_code',
  `with forgotten as (delete from sign_in_failures where key = $1::bytea)
  update sign_in_failures set empty_at = empty_at - make_interval(secs => ${REFILL}) where $3::boolean and key = $2::bytea`,
);

/** The code was right: it was no guess, and those before it still were. */
export async function settleCode(
  database: Queryable,
  slowed: Buffer,
  bound: Buffer,
  guessable: boolean,
): Promise<void> {
  await database.query(SETTLE, [slowed, bound, guessable]);
}
