// What undoing a disowned change needs beside the statements of forms: consents and logos put back, applications held.
import { HELD_BY_OWNER } from './applications.ts';
import type { Queryable } from './database.ts';
import { statement } from './statement.ts';

const LOCK_CONSENT = statement(
  'lock_consent',
  `select k.scopes from consents k where k.user_id = $1::uuid and k.client_id = $2::text and k.withdrawn_at is null
  for no key update of k`,
);

/** What was agreed so far, held until the transaction ends; null without a consent in force. */
export async function lockConsent(
  transaction: Queryable,
  userId: string,
  clientId: string,
): Promise<string[] | null> {
  const [row] = await transaction.query<{ scopes: string[] }>(LOCK_CONSENT, [userId, clientId]);
  return row?.scopes ?? null;
}

const RESTORE_CONSENT = statement(
  'restore_consent',
  `update consents set epoch = epoch + 1,
    scopes = case when $3::text[] is null then scopes else array(
      select agreed from unnest(scopes) as agreed where agreed = any ($3::text[])) end,
    withdrawn_at = case when $3::text[] is null then $4::timestamptz end
  where user_id = $1::uuid and client_id = $2::text and withdrawn_at is null returning client_id`,
);

/**
 * Puts a consent back to what was agreed before, or withdraws it where that was nothing. Codes and tokens between the
 * two die in any case (D28): they may hold more. False when there is none in force.
 */
export async function restoreConsent(
  transaction: Queryable,
  userId: string,
  clientId: string,
  before: string[] | null,
  now: Date,
): Promise<boolean> {
  return (await transaction.query(RESTORE_CONSENT, [userId, clientId, before, now])).length === 1;
}

const RESTORE_LOGO = statement(
  'restore_logo',
  `update clients set verified_at = null, logo = (select p.hash from pictures p where p.hash = $3::text)
  where owner_id = $1::uuid and client_id = $2::text and logo is not distinct from $4::text returning client_id`,
);

/** Puts a logo back, or none where the former picture is gone. False when it is another one by now. */
export async function restoreLogo(
  transaction: Queryable,
  ownerId: string,
  clientId: string,
  { before, after }: { before: string | null; after: string | null },
): Promise<boolean> {
  return (await transaction.query(RESTORE_LOGO, [ownerId, clientId, before, after])).length === 1;
}

// An operator's suspension is the one that began before: it is never taken for what is held, whatever the clocks say.
// `held_by` is the owner who may lift it, or nobody: the word of whoever gave the application away stands above that of
// whoever has it now.
const HOLD = statement(
  'hold_application',
  `update clients set held_by = case when owner_id = $1::uuid then owner_id end, epoch = epoch + 1,
    held_at = coalesce(held_at, greatest($3::timestamptz, suspended_at + interval '1 millisecond')),
    suspended_at = coalesce(suspended_at, $3::timestamptz)
  where client_id = $2::text and (held_at is null or held_by is not null and owner_id <> $1::uuid)
  returning client_id`,
);

/** Suspends an application at the word of an account. False when it is gone, or held already. */
export async function holdApplication(
  transaction: Queryable,
  userId: string,
  clientId: string,
  now: Date,
): Promise<boolean> {
  return (await transaction.query(HOLD, [userId, clientId, now])).length === 1;
}

const END_TOKENS = statement(
  'end_tokens_of_application',
  'update clients set epoch = epoch + 1 where owner_id = $1::uuid and client_id = $2::text returning client_id',
);

/** Ends every code and token that an application of an account was ever given: some went to somebody else. */
export async function endTokensOfApplication(
  transaction: Queryable,
  ownerId: string,
  clientId: string,
): Promise<void> {
  await transaction.query(END_TOKENS, [ownerId, clientId]);
}

const RELEASE = statement(
  'release_application',
  `update clients set suspended_at = null, held_at = null, held_by = null
  where owner_id = $1::uuid and client_id = $2::text and ${HELD_BY_OWNER} returning client_id`,
);

/** Lifts what an application's owner holds themselves, and nothing that anybody else decided. False when there is none. */
export async function releaseApplication(
  transaction: Queryable,
  ownerId: string,
  clientId: string,
): Promise<boolean> {
  return (await transaction.query(RELEASE, [ownerId, clientId])).length === 1;
}
