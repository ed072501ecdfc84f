// Client assertions (RFC 7523): the public keys of clients and APIs, and the assertions that were used.
import type { JSONWebKeySet } from 'jose';
import { affects, findHotValue } from './query.ts';

/** The registered public keys of a client or an API, if it has any. */
export const findKeys = findHotValue<JSONWebKeySet, [holder: string]>(
  'find_keys',
  `select c.jwks from clients c where c.client_id = $1::text and c.jwks is not null
  union all select a.jwks from apis a where a.api_id = $1::text and a.jwks is not null`,
);

/** Records the use of an assertion. Returns false if it was used before. */
export const useAssertion = affects<[holder: string, assertion: { jtiHash: Buffer; expiresAt: Date }]>(
  'use_assertion',
  `insert into used_assertions (holder, jti_hash, expires_at) values ($1::text, $2::bytea, $3::timestamptz)
  on conflict (holder, jti_hash) do nothing returning 1 as one`,
  (holder, { jtiHash, expiresAt }) => [holder, jtiHash, expiresAt],
);
