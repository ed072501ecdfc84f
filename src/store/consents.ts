// Consents: what an account agreed to share with an application (D7).
import { type Queryable, statement } from './database.ts';

const UPSERT = statement(
  'upsert_consent',
  `insert into consents (user_id, client_id, scopes, granted_at)
  select u.id, c.client_id, $3::text[], $4::timestamptz
  from users u, clients c where u.id = $1::uuid and c.client_id = $2::text
  on conflict (user_id, client_id) do update
  set scopes = case when consents.withdrawn_at is null
        then array(select distinct unnest(consents.scopes || excluded.scopes)) else excluded.scopes end,
      granted_at = excluded.granted_at, withdrawn_at = null
  returning user_id`,
);

/** Remembers a consent, added to what was agreed before; false when the account or the application is gone. */
export async function rememberConsent(
  database: Queryable,
  consent: { userId: string; clientId: string; scopes: readonly string[]; now: Date },
): Promise<boolean> {
  const { userId, clientId, scopes, now } = consent;
  return (await database.query(UPSERT, [userId, clientId, scopes, now])).length === 1;
}

const WITHDRAW = statement(
  'withdraw_consent',
  `update consents set withdrawn_at = $3::timestamptz, epoch = epoch + 1
  where user_id = $1::uuid and client_id = $2::text and withdrawn_at is null returning user_id`,
);

/** Withdraws a consent: every code and token between the two dies at once (D28). False when there was none. */
export async function withdrawConsent(
  database: Queryable,
  userId: string,
  clientId: string,
  now: Date,
): Promise<boolean> {
  return (await database.query(WITHDRAW, [userId, clientId, now])).length === 1;
}
