// Finds keys for client assertions (RFC 7523) and records used assertions.
import type { JSONWebKeySet } from 'jose';
import { findHotValue, hasRows } from './query.ts';

export const findAssertionKeys = findHotValue<JSONWebKeySet, [holder: string]>(
  'find_assertion_keys',
  `select c.jwks from clients c where c.client_id = $1::text and c.jwks is not null
  union all select a.jwks from apis a where a.api_id = $1::text and a.jwks is not null`,
);

export const recordAssertionUse = hasRows<[holder: string, assertion: { jtiHash: Buffer; expiresAt: Date }]>(
  'record_assertion_use',
  `insert into used_assertions (holder, jti_hash, expires_at) values ($1::text, $2::bytea, $3::timestamptz)
  on conflict (holder, jti_hash) do nothing returning 1 as one`,
  (holder, { jtiHash, expiresAt }) => [holder, jtiHash, expiresAt],
);
