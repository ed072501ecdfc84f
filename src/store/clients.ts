// OAuth clients: authentication, registration, and lists for the command line.
import type { Client } from '../oauth/client.ts';
import type { ClientCredentials } from '../oauth/client-authentication.ts';
import type { Queryable } from './database.ts';
import { initialEpochSql } from './epochs.ts';
import { execute, findAll, findHotValue, findOne, hasRows } from './query.ts';

/** SQL that authenticates a client. If `$asserted` is true, the caller has verified a client assertion. */
export const AUTHENTICATE_CLIENT_SQL = `select c.client_id, c.owner_id, c.standard, c.refresh_grace, c.epoch,
    c.id_token_algorithm, c.mfa_required, coalesce(c.id_token_claims, c.standard) as id_token_claims,
    c.suspended_at is null and case c.type
      when 'public' then $secretHash::bytea is null and not $asserted::boolean
      else $asserted::boolean or exists (
        select from secrets s
        where s.holder = c.client_id and s.secret_hash = $secretHash::bytea
          and (s.expires_at is null or s.expires_at > $now::timestamptz))
    end as authenticated
  from clients c where c.client_id = $clientId::text`;

/** Authenticates the client of a request that was already refused for another reason. */
export const authenticateClient = findHotValue<boolean, [credentials: ClientCredentials, now: Date]>(
  'authenticate_client',
  `select authenticated from (${AUTHENTICATE_CLIENT_SQL}) client`,
  (credentials, now) => ({ ...credentials, now }),
);

export interface NewClient extends Client {
  ownerId: string;
  refreshGrace: number;
  postLogoutRedirectUris?: string[];
}

export const insertClient = execute<[client: NewClient, now: Date]>(
  'insert_client',
  `insert into clients (client_id, owner_id, name, type, redirect_uris, scopes, standard, refresh_grace, created_at,
    post_logout_redirect_uris)
  values ($clientId::text, $ownerId::uuid, $name::text, $type::text, $redirectUris::text[], $scopes::text[],
    $standard::boolean, $refreshGrace::int, $now::timestamptz, $postLogoutRedirectUris::text[])`,
  (client, now) => ({ postLogoutRedirectUris: [], ...client, now }),
);

const insertWithId = hasRows<[client: NewClient, now: Date]>(
  'insert_client_with_id',
  `insert into clients (client_id, owner_id, name, type, redirect_uris, scopes, standard, refresh_grace, created_at,
    post_logout_redirect_uris, epoch)
  values ($clientId::text, $ownerId::uuid, $name::text, $type::text, $redirectUris::text[], $scopes::text[],
    $standard::boolean, $refreshGrace::int, $now::timestamptz, $postLogoutRedirectUris::text[],
    ${initialEpochSql('$now')})
  on conflict (client_id) do nothing returning client_id`,
  (client, now) => ({ postLogoutRedirectUris: [], ...client, now }),
);

const withdrawClientConsents = execute<[clientId: string, now: Date]>(
  'withdraw_consents_of_client',
  `update consents set withdrawn_at = $2::timestamptz, epoch = epoch + 1
  where client_id = $1::text and withdrawn_at is null`,
);

/**
 * Also withdraws consents given to a deleted client with the same client_id.
 * @returns false if the client_id is taken
 */
export async function insertClientWithId(
  transaction: Queryable,
  client: NewClient,
  now: Date,
): Promise<boolean> {
  if (!(await insertWithId(transaction, client, now))) return false;
  await withdrawClientConsents(transaction, client.clientId, now);
  return true;
}

export const setImportedState = execute<
  [clientId: string, state: { createdAt: Date; verifiedAt: Date | null; suspendedAt: Date | null }]
>(
  'set_imported_client_state',
  `update clients set created_at = $2::timestamptz, verified_at = $3::timestamptz, suspended_at = $4::timestamptz
  where client_id = $1::text`,
  (clientId, { createdAt, verifiedAt, suspendedAt }) => [clientId, createdAt, verifiedAt, suspendedAt],
);

export const clientExists = hasRows<[clientId: string]>(
  'client_exists',
  'select from clients c where c.client_id = $1::text',
);

export interface ClientRow extends Client {
  ownerEmail: string;
  refreshGrace: number;
  suspended: boolean;
  createdAt: Date;
}

export const listClients = findAll<ClientRow>(
  'list_clients',
  `select c.client_id as "clientId", c.name, c.type, c.redirect_uris as "redirectUris", c.scopes, c.standard,
    c.refresh_grace as "refreshGrace", u.email as "ownerEmail", c.suspended_at is not null as suspended,
    c.created_at as "createdAt"
  from clients c join users u on u.id = c.owner_id order by c.created_at, c.client_id`,
);

export const findPostLogoutClient = findOne<
  { name: string; logo: string | null },
  [clientId: string, redirectUri: string]
>(
  'find_post_logout_client',
  `select c.name, c.logo from clients c where c.client_id = $1::text and c.suspended_at is null
    and $2::text = any (c.post_logout_redirect_uris)`,
);

export const replaceRedirectUris = hasRows<
  [clientId: string, redirectUris: string[], postLogoutRedirectUris?: string[]]
>(
  'replace_redirect_uris',
  `update clients set redirect_uris = $2::text[],
    post_logout_redirect_uris = coalesce($3::text[], post_logout_redirect_uris)
  where client_id = $1::text returning client_id`,
  (clientId, redirectUris, postLogoutRedirectUris) => [clientId, redirectUris, postLogoutRedirectUris],
);
