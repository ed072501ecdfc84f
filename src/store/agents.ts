// Stores, limits and prunes agents, which are clients without an owner.
import type { JSONWebKeySet } from 'jose';
import { AGENT_SCOPES } from '../oauth/client-metadata.ts';
import { AGENT_REFRESH_GRACE_PERIOD } from '../oauth/lifetimes.ts';
import type { Database, Queryable } from './database.ts';
import { initialEpochSql } from './epochs.ts';
import { count, execute, findAll, findHot, hasRows } from './query.ts';

type AgentKind = 'document' | 'registration';

export interface StoredAgent {
  blocked: boolean;
  /** When the document must be fetched again. Null for a dynamic client. */
  freshUntil: Date | null;
  fetchedAt: Date | null;
}

export const findAgent = findHot<StoredAgent, [clientId: string]>(
  'find_agent',
  `select c.suspended_at is not null as blocked, a.fresh_until as "freshUntil", a.fetched_at as "fetchedAt"
  from agents a join clients c on c.client_id = a.client_id where a.client_id = $1::text`,
);

export interface NewAgent {
  clientId: string;
  name: string;
  redirectUris: string[];
  jwks: JSONWebKeySet | null;
}

export interface FetchedDocument extends NewAgent {
  origin: string;
  freshUntil: Date;
}

const updateFetchTime = hasRows<[document: Pick<FetchedDocument, 'clientId' | 'freshUntil'>, now: Date]>(
  'update_agent_fetch_time',
  `update agents set fetched_at = $2::timestamptz, fresh_until = $3::timestamptz
  where client_id = $1::text and kind = 'document' returning client_id`,
  ({ clientId, freshUntil }, now) => [clientId, now, freshUntil],
);

const toClientValues = ({ clientId, name, redirectUris, jwks }: NewAgent) => ({
  clientId,
  name,
  type: jwks === null ? 'public' : 'confidential',
  redirectUris,
  jwks: jwks && JSON.stringify(jwks),
});

// Revokes the client's grants because users consented to the previous document.
const updateClient = execute<[document: NewAgent]>(
  'update_agent_client',
  `update clients c set name = $name::text, type = $type::text, redirect_uris = $redirectUris::text[],
    jwks = $jwks::jsonb, epoch = c.epoch + 1
  where c.client_id = $clientId::text and c.owner_id is null and (c.name, c.type, c.redirect_uris, c.jwks)
    is distinct from ($name::text, $type::text, $redirectUris::text[], $jwks::jsonb)`,
  toClientValues,
);

const insertClient = hasRows<[agent: NewAgent, now: Date]>(
  'insert_agent_client',
  `insert into clients (client_id, name, type, redirect_uris, jwks, scopes, standard, pkce_required, refresh_grace,
    created_at, epoch)
  values ($clientId::text, $name::text, $type::text, $redirectUris::text[], $jwks::jsonb, $scopes::text[], true, true,
    ${AGENT_REFRESH_GRACE_PERIOD}, $now::timestamptz, ${initialEpochSql('$now')})
  on conflict (client_id) do nothing returning client_id`,
  (agent, now) => ({ ...toClientValues(agent), scopes: AGENT_SCOPES, now }),
);

const insertAgent = execute<[agent: { clientId: string; origin?: string; freshUntil?: Date }, now: Date]>(
  'insert_agent',
  `insert into agents (client_id, kind, origin, fetched_at, fresh_until, created_at)
  values ($1::text, case when $2::text is null then 'registration' else 'document' end, $2::text,
    case when $2::text is not null then $4::timestamptz end, $3::timestamptz, $4::timestamptz)`,
  ({ clientId, origin, freshUntil }, now) => [clientId, origin, freshUntil, now],
);

/**
 * Serializes inserts of agents. The number must differ from all other advisory locks.
 * On Citus, nodes have separate locks, so the limit may be exceeded slightly.
 */
const lockAgents = execute('lock_agents', 'select pg_advisory_xact_lock(6184532)');

const countAgents = count<[kind: AgentKind]>(
  'count_agents',
  'select count(*)::int as number from agents where kind = $1::text',
);

// SQL condition: the agent may be deleted. Suspended agents are kept because they could be stored again without the
// suspension.
const IS_IDLE_SQL = `c.suspended_at is null
  and coalesce((select l.total from activity l where l.client_id = c.client_id and l.kind = 'live_grants'
    order by l.day desc limit 1), 0) = 0`;

interface IdleAgent {
  clientId: string;
  old: boolean;
}

const findIdleAgents = findAll<Pick<IdleAgent, 'clientId'>, [kind: AgentKind, limit: number, offset: number]>(
  'find_idle_agents',
  `select c.client_id as "clientId" from agents a join clients c on c.client_id = a.client_id
  where a.kind = $1::text and ${IS_IDLE_SQL} order by a.fetched_at, a.created_at, a.client_id limit $2::int offset $3::int`,
);

const findExpiredAgents = findAll<IdleAgent, [registeredBefore: Date, oldBefore: Date]>(
  'find_expired_agents',
  `select c.client_id as "clientId", coalesce(a.fetched_at, a.created_at) < $2::timestamptz as old
  from agents a join clients c on c.client_id = a.client_id
  where ${IS_IDLE_SQL} and (a.kind = 'registration' and a.created_at < $1::timestamptz
    or coalesce(a.fetched_at, a.created_at) < $2::timestamptz)`,
);

const findConsentedAgents = findAll<Pick<IdleAgent, 'clientId'>, [clientIds: readonly string[], since: Date]>(
  'find_consented_agents',
  `select distinct k.client_id as "clientId" from consents k
  where k.client_id = any($1::text[]) and k.withdrawn_at is null and k.granted_at >= $2::timestamptz`,
);

const deleteAgents = findAll<{ clientId: string }, [clientIds: readonly string[]]>(
  'delete_agents',
  `delete from clients where client_id = any($1::text[]) and owner_id is null and suspended_at is null
  returning client_id as "clientId"`,
);

/** Returns the ids of agents to which no user has consented since the given time. May overlook concurrent consents. */
async function excludeConsentedAgents(
  database: Queryable,
  agents: readonly Pick<IdleAgent, 'clientId'>[],
  since: Date,
): Promise<string[]> {
  const ids = agents.map(({ clientId }) => clientId);
  if (ids.length === 0) return [];
  const consented = new Set(
    (await findConsentedAgents(database, ids, since)).map(({ clientId }) => clientId),
  );
  return ids.filter((id) => !consented.has(id));
}

const MS_PER_DAY = 24 * 3600 * 1000;

const IDLE_BATCH_SIZE = 200;

async function evictIdleAgent(transaction: Queryable, kind: AgentKind, now: Date): Promise<boolean> {
  // The stored number of live grants may be two days old.
  const since = new Date(now.getTime() - 2 * MS_PER_DAY);
  for (let offset = 0; ; offset += IDLE_BATCH_SIZE) {
    const idle = await findIdleAgents(transaction, kind, IDLE_BATCH_SIZE, offset);
    for (const clientId of await excludeConsentedAgents(transaction, idle, since))
      if ((await deleteAgents(transaction, [clientId])).length > 0) return true;
    if (idle.length < IDLE_BATCH_SIZE) return false;
  }
}

const PRUNE_BATCH_SIZE = 1000;

/**
 * Deletes a batch of agents without live grants. Dynamic clients without a consent are deleted a day after
 * registration. Other agents are deleted after 90 days without a consent or a document fetch.
 * @returns the number of deleted agents
 */
export async function pruneAgents(database: Queryable, now: Date): Promise<number> {
  const unusedSince = new Date(now.getTime() - 90 * MS_PER_DAY);
  const expired = await findExpiredAgents(database, new Date(now.getTime() - MS_PER_DAY), unusedSince);
  const [old, recent] = [true, false].map((isOld) => expired.filter((agent) => agent.old === isOld));
  const unused = [
    ...(await excludeConsentedAgents(database, recent ?? [], new Date(0))),
    ...(await excludeConsentedAgents(database, old ?? [], unusedSince)),
  ];
  return unused.length === 0 ? 0 : (await deleteAgents(database, unused.slice(0, PRUNE_BATCH_SIZE))).length;
}

/** Stores a metadata document. If the limit is reached, evicts an idle agent, or returns false if there is none. */
export const storeDocument = (
  database: Database,
  document: FetchedDocument,
  limit: number,
  now: Date,
): Promise<boolean> =>
  database.transaction(async (transaction) => {
    if (await updateAgent(transaction, document, now)) return true;
    await lockAgents(transaction);
    return (
      (await updateAgent(transaction, document, now)) ||
      insertWithinLimit(transaction, 'document', document, limit, now)
    );
  });

export const storeRegistration = (
  database: Database,
  agent: NewAgent,
  limit: number,
  now: Date,
): Promise<boolean> =>
  database.transaction(async (transaction) => {
    await lockAgents(transaction);
    return insertWithinLimit(transaction, 'registration', agent, limit, now);
  });

async function updateAgent(transaction: Queryable, document: FetchedDocument, now: Date): Promise<boolean> {
  if (!(await updateFetchTime(transaction, document, now))) return false;
  await updateClient(transaction, document);
  return true;
}

async function insertWithinLimit(
  transaction: Queryable,
  kind: AgentKind,
  agent: NewAgent | FetchedDocument,
  limit: number,
  now: Date,
): Promise<boolean> {
  if ((await countAgents(transaction, kind)) >= limit && !(await evictIdleAgent(transaction, kind, now)))
    return false;
  if (!(await insertClient(transaction, agent, now))) return false;
  await insertAgent(transaction, agent, now);
  return true;
}
