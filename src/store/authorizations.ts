// What an authorization request is decided on: application, session and remembered consent, read at once.
import { identifierKey } from '../oauth/api.ts';
import type { Client } from '../oauth/client.ts';
import { type ShownApi, shownApi } from './apis.ts';
import type { Database } from './database.ts';
import { NO_USER } from './no-user.ts';
import { LIVE_SESSION, type Session, type SessionKey, sessionColumns } from './sessions.ts';
import { statement } from './statement.ts';

export interface AuthorizationFacts {
  client: Client;
  session: Session | undefined;
  /** The scopes that the person has already agreed to share with the application. */
  consentedScopes: string[];
  /** Those of the resources asked about that are APIs, as they stand for the application. */
  apis: ShownApi[];
  /** What account, application and consent say together, for a code to be held to; null without a consent. */
  epoch: number | null;
}

interface Row
  extends Omit<Session, 'idHash'>,
    Required<Omit<Client, 'clientId' | 'name' | 'scopes' | 'agent'>> {
  clientName: string;
  registeredScopes: string[];
  agent: boolean;
  apis: ShownApi[] | null;
  consentedScopes: string[] | null;
  epoch: number | null;
}

const MAX_RESOURCES = 20;

const finding = (apis: string): string =>
  `select c.name as "clientName", c.type, c.redirect_uris as "redirectUris", c.scopes as "registeredScopes", c.standard,
    c.par_required as "parRequired",
    c.pkce_required as "pkceRequired", c.second_factor_required as "secondFactorRequired", c.owner_id is null as agent, ${sessionColumns('$userId')}, k.scopes as "consentedScopes",
    ${apis} as apis,
    s.user_epoch + c.epoch + k.epoch as epoch
  from clients c
  left join (sessions s join users u on u.id = $userId::uuid and ${LIVE_SESSION})
    on s.user_id = $userId::uuid and s.id_hash = $idHash::bytea and s.expires_at > $now::timestamptz
  left join consents k on k.user_id = $userId::uuid and k.user_id = u.id and k.client_id = c.client_id and k.withdrawn_at is null
  where c.client_id = $clientId::text and c.suspended_at is null`;
const FIND = statement('find_authorization_facts', finding('null::jsonb'));
// Left to guess the length of the list, PostgreSQL plans anew for each request, which costs more than the rest.
const FIND_WITH_APIS = statement(
  'find_authorization_facts_with_apis',
  finding(`(select jsonb_agg(${shownApi('c')}) from (select unnest($identifierKeys::text[]) as key limit ${MAX_RESOURCES}) named
    join apis a on a.identifier_key = named.key)`),
);

/**
 * Reads a client with the session of the browser and the consent between the two; undefined if there is no such client.
 * @param resources of the request (RFC 8707)
 */
export async function findAuthorizationFacts(
  database: Database,
  clientId: string,
  key: SessionKey | undefined,
  now: Date,
  resources: readonly string[] = [],
): Promise<AuthorizationFacts | undefined> {
  const identifierKeys = [...new Set(resources.map(identifierKey))].slice(0, MAX_RESOURCES);
  const { userId, idHash } = key ?? { userId: NO_USER, idHash: null };
  const [row] = await database.hotRead<Row>(identifierKeys.length === 0 ? FIND : FIND_WITH_APIS, {
    ...{ clientId, userId, idHash, now, identifierKeys },
  });
  if (row === undefined) return undefined;
  const { clientName, registeredScopes, agent, apis, consentedScopes, epoch, ...columns } = row;
  const { type, redirectUris, standard, parRequired, pkceRequired, secondFactorRequired, ...session } =
    columns;
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
      secondFactorRequired,
      ...(agent && { agent }),
    },
    session: idHash === null || session.sid === null ? undefined : { ...session, idHash },
    consentedScopes: consentedScopes ?? [],
    apis: apis ?? [],
    epoch,
  };
}
