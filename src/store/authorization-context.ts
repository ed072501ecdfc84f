// Reads an authorization request's client, session, consent and APIs in one statement.
import { toIdentifierKey } from '../oauth/api.ts';
import type { Client } from '../oauth/client.ts';
import { apiDescriptionJsonSql, type DescribedApi } from './apis.ts';
import type { Database } from './database.ts';
import { NIL_USER_ID } from './nil-user-id.ts';
import { LIVE_SESSION_SQL, type Session, type SessionKey, sessionColumnsSql } from './sessions.ts';
import { statement } from './statement.ts';

export interface AuthorizationContext {
  client: Client;
  session: Session | undefined;
  consentedScopes: string[];
  apis: DescribedApi[];
  /** Sum of the account, client and consent epochs. Null if the user hasn't consented. */
  epoch: number | null;
}

interface Row
  extends Omit<Session, 'idHash'>,
    Required<Omit<Client, 'clientId' | 'name' | 'scopes' | 'agent'>> {
  clientName: string;
  registeredScopes: string[];
  agent: boolean;
  apis: DescribedApi[] | null;
  consentedScopes: string[] | null;
  epoch: number | null;
}

const MAX_RESOURCES = 20;

const selectContextSql = (apis: string): string =>
  `select c.name as "clientName", c.type, c.redirect_uris as "redirectUris", c.scopes as "registeredScopes", c.standard,
    c.par_required as "parRequired",
    c.pkce_required as "pkceRequired", c.mfa_required as "mfaRequired", c.owner_id is null as agent, ${sessionColumnsSql('$userId')}, k.scopes as "consentedScopes",
    ${apis} as apis,
    s.user_epoch + c.epoch + k.epoch as epoch
  from clients c
  left join (sessions s join users u on u.id = $userId::uuid and ${LIVE_SESSION_SQL})
    on s.user_id = $userId::uuid and s.id_hash = $idHash::bytea and s.expires_at > $now::timestamptz
  left join consents k on k.user_id = $userId::uuid and k.user_id = u.id and k.client_id = c.client_id and k.withdrawn_at is null
  where c.client_id = $clientId::text and c.suspended_at is null`;
const FIND_CONTEXT = statement('find_authorization_context', selectContextSql('null::jsonb'));
// Without the `limit`, PostgreSQL replans the statement for each request.
const FIND_CONTEXT_WITH_APIS = statement(
  'find_authorization_context_with_apis',
  selectContextSql(`(select jsonb_agg(${apiDescriptionJsonSql('c')}) from (select unnest($identifierKeys::text[]) as key limit ${MAX_RESOURCES}) named
    join apis a on a.identifier_key = named.key)`),
);

/**
 * Returns undefined if the client is unknown or suspended.
 * @param resources the request's `resource` parameters (RFC 8707)
 */
export async function findAuthorizationContext(
  database: Database,
  clientId: string,
  key: SessionKey | undefined,
  now: Date,
  resources: readonly string[] = [],
): Promise<AuthorizationContext | undefined> {
  const identifierKeys = [...new Set(resources.map(toIdentifierKey))].slice(0, MAX_RESOURCES);
  const { userId, idHash } = key ?? { userId: NIL_USER_ID, idHash: null };
  const [row] = await database.hotRead<Row>(
    identifierKeys.length === 0 ? FIND_CONTEXT : FIND_CONTEXT_WITH_APIS,
    {
      ...{ clientId, userId, idHash, now, identifierKeys },
    },
  );
  if (row === undefined) return undefined;
  const { clientName, registeredScopes, agent, apis, consentedScopes, epoch, ...columns } = row;
  const { type, redirectUris, standard, parRequired, pkceRequired, mfaRequired, ...session } = columns;
  return {
    client: {
      clientId,
      name: clientName,
      type,
      redirectUris,
      scopes: registeredScopes,
      standard,
      parRequired,
      pkceRequired,
      mfaRequired,
      ...(agent && { agent }),
    },
    session: idHash === null || session.sid === null ? undefined : { ...session, idHash },
    consentedScopes: consentedScopes ?? [],
    apis: apis ?? [],
    epoch,
  };
}
