// Applications that prove who they are with a key of their own (RFC 7523): their public keys, and what counted already.
import type { JSONWebKeySet } from 'jose';
import type { Database } from './database.ts';
import { statement } from './statement.ts';

const FIND_KEYS = statement(
  'find_client_keys',
  'select c.jwks from clients c where c.client_id = $1::text and c.jwks is not null',
);

/** The public keys that an application has registered, if any. */
export async function findClientKeys(
  database: Database,
  clientId: string,
): Promise<JSONWebKeySet | undefined> {
  const [row] = await database.hotRead<{ jwks: JSONWebKeySet }>(FIND_KEYS, [clientId]);
  return row?.jwks;
}

const USE = statement(
  'use_client_assertion',
  `insert into client_assertions (client_id, jti_hash, expires_at)
  select c.client_id, $2::bytea, $3::timestamptz from clients c where c.client_id = $1::text
  on conflict (client_id, jti_hash) do nothing returning 1 as one`,
);

/** Notes that an assertion counts now; false when it counted before. */
export const useAssertion = async (
  database: Database,
  assertion: { clientId: string; jtiHash: Buffer; expiresAt: Date },
): Promise<boolean> => {
  const { clientId, jtiHash, expiresAt } = assertion;
  return (await database.query(USE, [clientId, jtiHash, expiresAt])).length === 1;
};
