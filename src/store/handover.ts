// What goes to the new owner of an application with it, and what ends there of the former one (D61).
import type { JSONWebKeySet } from 'jose';
import type { ClientType } from '../oauth/redirect-uri.ts';
import type { Queryable } from './database.ts';
import { type OwnSecret, ownSecrets } from './own-secrets.ts';
import { statement } from './statement.ts';

/** All by which somebody may be the application, or be told what it is told. */
export interface Handover {
  name: string;
  type: ClientType;
  redirectUris: string[];
  scopes: string[];
  /** What ends with the acceptance. */
  jwks: JSONWebKeySet | null;
  backchannelLogoutUri: string | null;
  postLogoutRedirectUris: string[];
  /** What APIs granted to its owner's application on its own account, by their names. */
  serviceAccess: { api: string; scopes: string[] }[];
  /** What stays. */
  /** Those in force, latest first. */
  secrets: Omit<OwnSecret, 'lastUsedAt'>[];
}

const LOCK = statement(
  'lock_application',
  'select c.client_id from clients c where c.client_id = $1::text for no key update of c',
);

/** Holds an application against every other change until the transaction ends; what is read after it stands. */
export async function lockApplication(transaction: Queryable, clientId: string): Promise<void> {
  await transaction.query(LOCK, [clientId]);
}

const FIND = statement(
  'find_handover',
  `select c.name, c.type, c.redirect_uris as "redirectUris", c.scopes, c.jwks,
    c.backchannel_logout_uri as "backchannelLogoutUri", c.post_logout_redirect_uris as "postLogoutRedirectUris",
    (select coalesce(jsonb_agg(jsonb_build_object('api', a.name, 'scopes', s.scopes) order by s.asked_at, s.api_id), '[]')
      from api_service_access s join apis a on a.api_id = s.api_id where s.client_id = c.client_id) as "serviceAccess"
  from clients c where c.client_id = $1::text`,
);

/** What an application would bring to whoever took it now; undefined when it is gone. */
export async function findHandover(
  database: Queryable,
  clientId: string,
  now: Date,
): Promise<Handover | undefined> {
  const [row] = await database.query<Omit<Handover, 'secrets'>>(FIND, [clientId]);
  const secrets = await ownSecrets.listInForce(database, clientId, now);
  return row && { ...row, secrets };
}

// The verified owner is not behind it any more. The epoch is that of all it was ever given.
const CHANGE_OWNER = statement(
  'change_owner',
  `update clients set owner_id = $3::uuid, verified_at = null, redirect_uris = $4::text[], jwks = null,
    backchannel_logout_uri = null, post_logout_redirect_uris = '{}',
    epoch = epoch + case when $5::boolean then 1 else 0 end
  where client_id = $1::text and owner_id = $2::uuid returning client_id`,
);

/**
 * Gives an application to another account, without the keys and addresses of the former one.
 * @param kept the callback URLs that stay
 * @param endTokens whether all that it was ever given ends, too
 * @returns false when it is no longer that owner's
 */
export async function changeOwner(
  database: Queryable,
  clientId: string,
  { from, to }: { from: string; to: string },
  { kept, endTokens }: { kept: readonly string[]; endTokens: boolean },
): Promise<boolean> {
  return (await database.query(CHANGE_OWNER, [clientId, from, to, kept, endTokens])).length === 1;
}
