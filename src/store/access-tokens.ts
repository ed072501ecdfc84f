// Access tokens, known by their hash: whose they are, while they are live. The statements in grants.ts write them.
import type { Person } from '../oauth/claims.ts';
import { findHot } from './query.ts';
import { PERSON_COLUMNS } from './users.ts';

/** Whether a grant `g` is live; needs `ofGrant`. */
export const LIVE_GRANT = `g.revoked_at is null and u.suspended_at is null and c.suspended_at is null
  and g.epoch = u.epoch + c.epoch + k.epoch`;
// With `limit 1` PostgreSQL looks rows up by their whole key. Otherwise, the account being a constant in each table, it may read
// and merge all rows of the account.
/** Joins what a grant `g` of an account depends on. @param userId the SQL parameter that `g.user_id` is compared with */
export const ofGrant = (userId: string): string => `join users u on u.id = ${userId}
  join clients c on c.client_id = g.client_id
  cross join lateral (
    select k.epoch from consents k where k.user_id = ${userId} and k.client_id = g.client_id limit 1
  ) k`;

/** Joins the grant `g` of an access token `t`, and what the grant depends on. */
export const ofToken = (userId: string): string => `cross join lateral (
    select g.* from grants g where g.user_id = ${userId} and g.id = t.grant_id limit 1
  ) g ${ofGrant(userId)}`;

export interface AccessTokenHolder extends Person {
  clientId: string;
  scope: string;
  standard: boolean;
}

/** The user of a live access token, by its unverified subject and the digest of the whole; undefined if it isn't live. */
export const findAccessTokenHolder = findHot<AccessTokenHolder, [userId: string, hash: Buffer, now: Date]>(
  'find_access_token_holder',
  `select t.scope, g.client_id as "clientId", c.standard, ${PERSON_COLUMNS}
  from access_tokens t ${ofToken('$1::uuid')}
  where t.user_id = $1::uuid and t.hash = $2::bytea and t.expires_at > $3::timestamptz and ${LIVE_GRANT}`,
);
