// What undoing a disowned change to an API needs beside the statements of forms: APIs held, and released again.
import { HELD_BY_OWNER } from './applications.ts';
import type { Queryable } from './database.ts';
import { statement } from './statement.ts';

// As with applications (restoring.ts): an operator's suspension is the one that began before, and the word of whoever gave
// it away stands above that of whoever has it now.
const HOLD = statement(
  'hold_api',
  `update apis set held_by = case when owner_id = $1::uuid then owner_id end,
    held_at = coalesce(held_at, greatest($3::timestamptz, suspended_at + interval '1 millisecond')),
    suspended_at = coalesce(suspended_at, $3::timestamptz)
  where api_id = $2::text and (held_at is null or held_by is not null and owner_id <> $1::uuid)
  returning api_id`,
);

/** Suspends an API at the word of an account. False when it is gone, or held already. */
export async function holdApi(
  transaction: Queryable,
  userId: string,
  apiId: string,
  now: Date,
): Promise<boolean> {
  return (await transaction.query(HOLD, [userId, apiId, now])).length === 1;
}

const RELEASE = statement(
  'release_api',
  `update apis set suspended_at = null, held_at = null, held_by = null
  where owner_id = $1::uuid and api_id = $2::text and ${HELD_BY_OWNER} returning api_id`,
);

/** Lifts what an API's owner holds themselves, and nothing that anybody else decided. False when there is none. */
export async function releaseHeldApi(
  transaction: Queryable,
  ownerId: string,
  apiId: string,
): Promise<boolean> {
  return (await transaction.query(RELEASE, [ownerId, apiId])).length === 1;
}
