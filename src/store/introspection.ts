// Whether a token of an application is live (RFC 7662): the same conditions under which it would be accepted.
import type { Database } from './database.ts';
import { statement } from './statement.ts';

const LIVE_GRANT = `g.revoked_at is null and u.suspended_at is null and c.suspended_at is null
  and g.epoch = u.epoch + c.epoch + k.epoch`;
const OF_GRANT = `join users u on u.id = g.user_id join clients c on c.client_id = g.client_id
  join consents k on k.user_id = g.user_id and k.client_id = g.client_id`;

const ACCESS_TOKEN = statement(
  'is_access_token_live',
  `select from access_tokens t join grants g on g.id = t.grant_id ${OF_GRANT}
  where t.hash = $1::bytea and t.expires_at > $2::timestamptz and g.client_id = $3::text and ${LIVE_GRANT}`,
);

/** Whether an access token, by the hash of the whole of it, is live and this application's. */
export const isAccessTokenLive = async (
  database: Database,
  { hash, clientId, now }: { hash: Buffer; clientId: string; now: Date },
): Promise<boolean> => (await database.hotRead(ACCESS_TOKEN, [hash, now, clientId])).length === 1;

const REFRESH_TOKEN = statement(
  'find_live_refresh_token',
  `select g.advanced_at as "issuedAt", g.created_at as "createdAt" from grants g ${OF_GRANT}
  where g.id = $1::uuid and g.generation = $2::int and g.client_id = $3::text and g.advanced_at > $4::timestamptz
    and g.created_at > $5::timestamptz and ${LIVE_GRANT}`,
);

/** When a refresh token was issued, if it is live and this application's. */
export async function findLiveRefreshToken(
  database: Database,
  token: {
    grantId: string;
    generation: number;
    clientId: string;
    /** What was issued before is too old: idle and absolute lifetime. */
    advancedAfter: Date;
    createdAfter: Date;
  },
): Promise<{ issuedAt: Date; createdAt: Date } | undefined> {
  const [row] = await database.hotRead<{ issuedAt: Date; createdAt: Date }>(REFRESH_TOKEN, [
    token.grantId,
    token.generation,
    token.clientId,
    token.advancedAfter,
    token.createdAfter,
  ]);
  return row;
}
