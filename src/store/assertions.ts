// Applications and APIs that prove who they are with a key of their own (RFC 7523): their public keys, and what counted already.
import type { JSONWebKeySet } from 'jose';
import type { Database } from './database.ts';
import { statement } from './statement.ts';

/** @param holders the table of applications, or that of APIs: who has keys */
function assertionsOf({
  holders,
  assertions,
  id,
}: {
  holders: 'clients' | 'apis';
  assertions: 'client_assertions' | 'api_assertions';
  id: 'client_id' | 'api_id';
}) {
  const FIND_KEYS = statement(
    `find_keys_in_${holders}`,
    `select c.jwks from ${holders} c where c.${id} = $1::text and c.jwks is not null`,
  );
  const USE = statement(
    `use_one_of_${assertions}`,
    `insert into ${assertions} (${id}, jti_hash, expires_at)
    select c.${id}, $2::bytea, $3::timestamptz from ${holders} c where c.${id} = $1::text
    on conflict (${id}, jti_hash) do nothing returning 1 as one`,
  );
  return {
    /** The public keys that are registered, if any. */
    async findKeys(database: Database, holder: string): Promise<JSONWebKeySet | undefined> {
      const [row] = await database.hotRead<{ jwks: JSONWebKeySet }>(FIND_KEYS, [holder]);
      return row?.jwks;
    },

    /** Notes that an assertion counts now; false when it counted before. */
    use: async (
      database: Database,
      holder: string,
      { jtiHash, expiresAt }: { jtiHash: Buffer; expiresAt: Date },
    ): Promise<boolean> => (await database.query(USE, [holder, jtiHash, expiresAt])).length === 1,
  };
}

export const clientAssertions = assertionsOf({
  holders: 'clients',
  assertions: 'client_assertions',
  id: 'client_id',
});
export const apiAssertions = assertionsOf({ holders: 'apis', assertions: 'api_assertions', id: 'api_id' });
