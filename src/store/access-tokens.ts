// Access tokens, known by their hash: whose they are, while they are live. The statements in grants.ts write them.
import type { Person } from '../oauth/claims.ts';
import { findHot } from './query.ts';
import { PERSON_COLUMNS } from './users.ts';

/** Whether a grant `g` is live; needs OF_GRANT beside it. */
export const LIVE_GRANT = `g.revoked_at is null and u.suspended_at is null and c.suspended_at is null
  and g.epoch = u.epoch + c.epoch + k.epoch`;
/** What a grant `g` rests on. */
export const OF_GRANT = `join users u on u.id = g.user_id join clients c on c.client_id = g.client_id
  join consents k on k.user_id = g.user_id and k.client_id = g.client_id`;

export interface AccessTokenHolder extends Person {
  clientId: string;
  scope: string;
  standard: boolean;
}

/** The person behind a live access token, by the hash of the whole token; undefined when it is not live. */
export const findAccessTokenHolder = findHot<AccessTokenHolder, [hash: Buffer, now: Date]>(
  'find_access_token_holder',
  `select t.scope, g.client_id as "clientId", c.standard, ${PERSON_COLUMNS}
  from access_tokens t join grants g on g.id = t.grant_id ${OF_GRANT}
  where t.hash = $1::bytea and t.expires_at > $2::timestamptz and ${LIVE_GRANT}`,
);
