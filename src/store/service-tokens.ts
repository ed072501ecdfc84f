// Access tokens of applications on their own account (RFC 6749 §4.4): known by their hash, so that they can be revoked.
import type { Credentials } from '../oauth/client-authentication.ts';
import { authenticatedClient } from './clients.ts';
import type { Database, Queryable } from './database.ts';
import { statement } from './statement.ts';

const FIND_RIGHTS = statement(
  'find_service_rights',
  `with client as (${authenticatedClient({ clientId: '$1', proof: '$2', now: '$3' })})
  select client.authenticated, c.resources,
    case c.type when 'confidential' then c.service_scopes else '{}' end as scopes
  from client join clients c on c.client_id = client.client_id`,
);

/** What an authentic application may ask for on its own account, a public one nothing; undefined when it is not authentic. */
export async function findServiceRights(
  database: Database,
  { clientId, proof }: Credentials,
  now: Date,
): Promise<{ scopes: string[]; resources: string[] } | undefined> {
  const [row] = await database.query<{ authenticated: boolean; scopes: string[]; resources: string[] }>(
    FIND_RIGHTS,
    [clientId, proof, now],
  );
  return row?.authenticated ? row : undefined;
}

const INSERT = statement(
  'insert_service_token',
  `insert into service_tokens (hash, client_id, epoch, expires_at)
  select $1::bytea, c.client_id, c.epoch, $3::timestamptz from clients c
  where c.client_id = $2::text and c.suspended_at is null and c.service_scopes @> $4::text[]
    and c.resources @> $5::text[] returning 1 as one`,
);

/** Stores a token about to be given out; false when the application may not have it any more. */
export async function insertServiceToken(
  database: Queryable,
  token: {
    hash: Buffer;
    clientId: string;
    scopes: readonly string[];
    resources: readonly string[];
    expiresAt: Date;
  },
): Promise<boolean> {
  const values = [token.hash, token.clientId, token.expiresAt, token.scopes, token.resources];
  return (await database.query(INSERT, values)).length === 1;
}

const IS_LIVE = statement(
  'is_service_token_live',
  `select from service_tokens t join clients c on c.client_id = t.client_id
  where t.hash = $1::bytea and t.client_id = $2::text and t.expires_at > $3::timestamptz and c.suspended_at is null
    and t.epoch = c.epoch`,
);

export const isServiceTokenLive = async (
  database: Queryable,
  { hash, clientId, now }: { hash: Buffer; clientId: string; now: Date },
): Promise<boolean> => (await database.query(IS_LIVE, [hash, clientId, now])).length === 1;

const DELETE = statement(
  'delete_service_token',
  'delete from service_tokens where hash = $1::bytea and client_id = $2::text',
);

/** Revokes a token of an application that has been authenticated. */
export async function deleteServiceToken(database: Queryable, hash: Buffer, clientId: string): Promise<void> {
  await database.query(DELETE, [hash, clientId]);
}
