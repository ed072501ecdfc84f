// By what APIs authenticate where they ask about tokens (D56): their secrets, their public keys, and what counted already.
import type { JSONWebKeySet } from 'jose';
import { clientSecretHash } from '../oauth/digests.ts';
import { endingOf } from '../oauth/secrets.ts';
import type { Database, Queryable } from './database.ts';
import { statement } from './statement.ts';

const INSERT = statement(
  'insert_api_secret',
  `with api as (
    update apis set secrets_given = secrets_given + 1 where api_id = $1::text returning api_id, secrets_given
  )
  insert into api_secrets (api_id, secret_hash, created_at, number, ending)
  select a.api_id, $2::bytea, $3::timestamptz, a.secrets_given, $4::text from api a returning number`,
);

/** Gives an API one more secret. @returns its number: the first is 1, none comes again */
export async function insertApiSecret(
  database: Queryable,
  apiId: string,
  secret: string,
  now: Date,
): Promise<number> {
  const values = [apiId, clientSecretHash(secret), now, endingOf(secret)];
  const [row] = await database.query<{ number: number }>(INSERT, values);
  if (row === undefined) throw new Error(`no API has the identifier ${apiId}`);
  return row.number;
}

/**
 * The shared SQL fragment by which a statement authenticates the API `a` itself: by a live secret or an assertion just
 * accepted. What an application authenticates by stands in other tables.
 */
export const authenticatedApi = (parameter: { proof: string; now: string }): string =>
  `(exists (
      select from api_secrets s
      where s.api_id = a.api_id and s.secret_hash = ${parameter.proof}::bytea
        and (s.expires_at is null or s.expires_at > ${parameter.now}::timestamptz))
    or exists (
      select from api_assertions x where x.api_id = a.api_id and x.jti_hash = ${parameter.proof}::bytea))`;

const FIND_KEYS = statement(
  'find_api_keys',
  'select a.jwks from apis a where a.api_id = $1::text and a.jwks is not null',
);

/** The public keys that an API has registered, if any. */
export async function findApiKeys(database: Database, apiId: string): Promise<JSONWebKeySet | undefined> {
  const [row] = await database.hotRead<{ jwks: JSONWebKeySet }>(FIND_KEYS, [apiId]);
  return row?.jwks;
}

const USE = statement(
  'use_api_assertion',
  `insert into api_assertions (api_id, jti_hash, expires_at)
  select a.api_id, $2::bytea, $3::timestamptz from apis a where a.api_id = $1::text
  on conflict (api_id, jti_hash) do nothing returning 1 as one`,
);

/** Notes that an assertion of an API, which is named as any client is, counts now; false when it counted before. */
export const useApiAssertion = async (
  database: Database,
  { clientId: apiId, jtiHash, expiresAt }: { clientId: string; jtiHash: Buffer; expiresAt: Date },
): Promise<boolean> => (await database.query(USE, [apiId, jtiHash, expiresAt])).length === 1;
