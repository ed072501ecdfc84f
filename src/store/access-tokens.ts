// Looks up users' access tokens.
import type { ClaimsSubject } from '../oauth/claims.ts';
import { findHot } from './query.ts';
import { CLAIMS_SUBJECT_COLUMNS } from './users.ts';

export const LIVE_GRANT_SQL = `g.revoked_at is null and u.suspended_at is null and c.suspended_at is null
  and g.epoch = u.epoch + c.epoch + k.epoch`;

/**
 * Joins the user, client and consent of the grant `g`. The `limit 1` makes PostgreSQL use the primary key of `consents`.
 * @param userId SQL for the user's id
 */
export const joinGrantDependenciesSql = (userId: string): string => `join users u on u.id = ${userId}
  join clients c on c.client_id = g.client_id
  cross join lateral (
    select k.epoch from consents k where k.user_id = ${userId} and k.client_id = g.client_id limit 1
  ) k`;

/** Joins the grant of the token `t`. The reason for `limit 1` is given at `joinGrantDependenciesSql`. */
export const joinTokenGrantSql = (userId: string): string => `cross join lateral (
    select g.* from grants g where g.user_id = ${userId} and g.id = t.grant_id limit 1
  ) g ${joinGrantDependenciesSql(userId)}`;

export interface AccessTokenUser extends ClaimsSubject {
  clientId: string;
  scope: string;
  standard: boolean;
}

/** @param userId user id parsed from the token, not yet verified */
export const findAccessTokenUser = findHot<AccessTokenUser, [userId: string, hash: Buffer, now: Date]>(
  'find_access_token_user',
  `select t.scope, g.client_id as "clientId", c.standard, ${CLAIMS_SUBJECT_COLUMNS}
  from access_tokens t ${joinTokenGrantSql('$1::uuid')}
  where t.user_id = $1::uuid and t.hash = $2::bytea and t.expires_at > $3::timestamptz and ${LIVE_GRANT_SQL}`,
);
