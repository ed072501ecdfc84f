// Agents: applications that nobody owns. What is known of them, how old it is, how many there may be, and after how long one that
// nobody uses, or never agreed to, is forgotten.
import type { JSONWebKeySet } from 'jose';
import { AGENT_SCOPES } from '../oauth/agent-document.ts';
import { AGENT_REFRESH_GRACE } from '../oauth/lifetimes.ts';
import type { Database, Queryable } from './database.ts';
import { affects, count, execute, findAll, findHot } from './query.ts';

type AgentWay = 'document' | 'registration';

export interface KnownAgent {
  blocked: boolean;
  /** Of one that registered itself: never over. */
  freshUntil: Date | null;
  fetchedAt: Date | null;
}

export const findAgent = findHot<KnownAgent, [clientId: string]>(
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

export interface ReadDocument extends NewAgent {
  origin: string;
  freshUntil: Date;
}

const noteRead = affects<[document: Pick<ReadDocument, 'clientId' | 'freshUntil'>, now: Date]>(
  'note_agent_document',
  `update agents set fetched_at = $2::timestamptz, fresh_until = $3::timestamptz
  where client_id = $1::text and way = 'document' returning client_id`,
  ({ clientId, freshUntil }, now) => [clientId, now, freshUntil],
);

const values = ({ clientId, name, redirectUris, jwks }: NewAgent) => ({
  clientId,
  name,
  type: jwks === null ? 'public' : 'confidential',
  redirectUris,
  jwks: jwks && JSON.stringify(jwks),
});

// Users consented to what the document said, so a change revokes everything that was given before. It is compared with
// the row as it is now.
const change = execute<[document: NewAgent]>(
  'change_agent',
  `update clients c set name = $name::text, type = $type::text, redirect_uris = $redirectUris::text[],
    jwks = $jwks::jsonb, epoch = c.epoch + 1
  where c.client_id = $clientId::text and c.owner_id is null and (c.name, c.type, c.redirect_uris, c.jwks)
    is distinct from ($name::text, $type::text, $redirectUris::text[], $jwks::jsonb)`,
  values,
);

// An agent that returns after it was deleted starts above its former epoch: seconds grow faster than changes.
const insertClient = affects<[agent: NewAgent, now: Date]>(
  'insert_agent_client',
  `insert into clients (client_id, name, type, redirect_uris, jwks, scopes, standard, pkce_required, refresh_grace,
    created_at, epoch)
  values ($clientId::text, $name::text, $type::text, $redirectUris::text[], $jwks::jsonb, $scopes::text[], true, true,
    ${AGENT_REFRESH_GRACE}, $now::timestamptz, (extract(epoch from $now::timestamptz) - 1577836800)::int)
  on conflict (client_id) do nothing returning client_id`,
  (agent, now) => ({ ...values(agent), scopes: AGENT_SCOPES, now }),
);

const insertAgent = execute<[agent: { clientId: string; origin?: string; freshUntil?: Date }, now: Date]>(
  'insert_agent',
  `insert into agents (client_id, way, origin, fetched_at, fresh_until, created_at)
  values ($1::text, case when $2::text is null then 'registration' else 'document' end, $2::text,
    case when $2::text is not null then $4::timestamptz end, $3::timestamptz, $4::timestamptz)`,
  ({ clientId, origin, freshUntil }, now) => [clientId, origin, freshUntil, now],
);

/**
 * Held to add an agent; any constant that no other advisory lock uses. On Citus, processes at different nodes don't wait for each
 * other, so there may be one agent more than allowed for each further node.
 */
const lock = execute('lock_agents', 'select pg_advisory_xact_lock(6184532)');

const countAgents = count<[way: AgentWay]>(
  'count_agents',
  'select count(*)::int as number from agents where way = $1::text',
);

// By the last count. Suspended agents stay suspended.
const IDLE = `c.suspended_at is null
  and coalesce((select l.total from activity l where l.client_id = c.client_id and l.kind = 'live_grants'
    order by l.day desc limit 1), 0) = 0`;

interface IdleAgent {
  clientId: string;
  /** Whether it wasn't fetched or registered in the last 90 days. */
  old: boolean;
}

const findIdle = findAll<Pick<IdleAgent, 'clientId'>, [way: AgentWay, limit: number, offset: number]>(
  'find_idle_agents',
  `select c.client_id as "clientId" from agents a join clients c on c.client_id = a.client_id
  where a.way = $1::text and ${IDLE} order by a.fetched_at, a.created_at, a.client_id limit $2::int offset $3::int`,
);

const findExpired = findAll<IdleAgent, [dayAgo: Date, limit: Date]>(
  'find_expired_agents',
  `select c.client_id as "clientId", coalesce(a.fetched_at, a.created_at) < $2::timestamptz as old
  from agents a join clients c on c.client_id = a.client_id
  where ${IDLE} and (a.way = 'registration' and a.created_at < $1::timestamptz
    or coalesce(a.fetched_at, a.created_at) < $2::timestamptz)`,
);

const findConsented = findAll<Pick<IdleAgent, 'clientId'>, [clientIds: readonly string[], since: Date]>(
  'find_consented_agents',
  `select distinct k.client_id as "clientId" from consents k
  where k.client_id = any($1::text[]) and k.withdrawn_at is null and k.granted_at >= $2::timestamptz`,
);

const deleteAgents = findAll<{ clientId: string }, [clientIds: readonly string[]]>(
  'delete_agents',
  `delete from clients where client_id = any($1::text[]) and owner_id is null and suspended_at is null
  returning client_id as "clientId"`,
);

/**
 * Those without a consent since a time. An agent that gets a consent between this and its deletion is deleted all the same.
 * Its document is then fetched again; a registered agent has to register again.
 */
async function withoutConsent(
  database: Queryable,
  agents: readonly Pick<IdleAgent, 'clientId'>[],
  since: Date,
): Promise<string[]> {
  const ids = agents.map(({ clientId }) => clientId);
  if (ids.length === 0) return [];
  const consented = new Set((await findConsented(database, ids, since)).map(({ clientId }) => clientId));
  return ids.filter((id) => !consented.has(id));
}

const DAY = 24 * 3600 * 1000;

/** How many idle agents are checked for consents at a time. */
const IDLE_BATCH = 200;

/** Deletes one of the oldest agents that aren't used. Returns false if there is none. */
async function evict(transaction: Queryable, way: AgentWay, now: Date): Promise<boolean> {
  // Younger consents than the last count may have grants.
  const since = new Date(now.getTime() - 2 * DAY);
  for (let offset = 0; ; offset += IDLE_BATCH) {
    const idle = await findIdle(transaction, way, IDLE_BATCH, offset);
    // Another transaction may have deleted or suspended the first ones.
    for (const clientId of await withoutConsent(transaction, idle, since))
      if ((await deleteAgents(transaction, [clientId])).length > 0) return true;
    if (idle.length < IDLE_BATCH) return false;
  }
}

const BATCH = 1000;

/**
 * Deletes a batch of agents without live grants: registered ones without a consent after a day, and all without a consent
 * in 90 days.
 * @returns how many
 */
export async function pruneAgents(database: Queryable, now: Date): Promise<number> {
  const limit = new Date(now.getTime() - 90 * DAY);
  const expired = await findExpired(database, new Date(now.getTime() - DAY), limit);
  const [old, young] = [true, false].map((age) => expired.filter((agent) => agent.old === age));
  const unused = [
    ...(await withoutConsent(database, young ?? [], new Date(0))),
    ...(await withoutConsent(database, old ?? [], limit)),
  ];
  return unused.length === 0 ? 0 : (await deleteAgents(database, unused.slice(0, BATCH))).length;
}

/**
 * Stores a document that was fetched.
 * @param most how many there may be in all
 * @returns false if there is no room, and no agent to make room
 */
export const keepDocument = (
  database: Database,
  document: ReadDocument,
  most: number,
  now: Date,
): Promise<boolean> =>
  database.transaction(async (transaction) => {
    if (await update(transaction, document, now)) return true;
    await lock(transaction);
    // Again, because another process may have inserted it before this one got the lock.
    return (await update(transaction, document, now)) || insert(transaction, 'document', document, most, now);
  });

/** Stores an agent that registered itself. Returns false if there is no room. */
export const keepRegistration = (
  database: Database,
  agent: NewAgent,
  most: number,
  now: Date,
): Promise<boolean> =>
  database.transaction(async (transaction) => {
    await lock(transaction);
    return insert(transaction, 'registration', agent, most, now);
  });

async function update(transaction: Queryable, document: ReadDocument, now: Date): Promise<boolean> {
  if (!(await noteRead(transaction, document, now))) return false;
  await change(transaction, document);
  return true;
}

async function insert(
  transaction: Queryable,
  way: AgentWay,
  agent: NewAgent | ReadDocument,
  most: number,
  now: Date,
): Promise<boolean> {
  if ((await countAgents(transaction, way)) >= most && !(await evict(transaction, way, now))) return false;
  // An agent can't take the place of a registered application.
  if (!(await insertClient(transaction, agent, now))) return false;
  await insertAgent(transaction, agent, now);
  return true;
}
