// Agents: applications that nobody owns. What is known of them, how old it is, how many there may be, and after how long one that
// nobody uses, or never agreed to, is forgotten.
import type { JSONWebKeySet } from 'jose';
import { AGENT_SCOPES } from '../oauth/agent-document.ts';
import { AGENT_REFRESH_GRACE } from '../oauth/lifetimes.ts';
import type { Database, Queryable } from './database.ts';
import { affects, count, execute, findHot } from './query.ts';

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

/** Any constant that no other advisory lock uses: held by whoever adds an agent. */
const lock = execute('lock_agents', 'select pg_advisory_xact_lock(6184532)');

const countAgents = count<[way: AgentWay]>(
  'count_agents',
  'select count(*)::int as number from agents where way = $1::text',
);

// Nobody has a live grant of it by the last count (activity), nor agreed to anything since. Those that are blocked stay so.
const UNUSED = `c.suspended_at is null
  and coalesce((select l.total from activity l where l.client_id = c.client_id and l.kind = 'live_grants'
    order by l.day desc limit 1), 0) = 0
  and not exists (select from consents k where k.client_id = c.client_id and k.withdrawn_at is null
    and k.granted_at >= $1::timestamptz - interval '2 days')`;

const evict = affects<[now: Date, way: AgentWay]>(
  'evict_agent',
  `delete from clients where client_id = (
    select c.client_id from agents a join clients c on c.client_id = a.client_id
    where a.way = $2::text and ${UNUSED} order by a.fetched_at, a.created_at limit 1)
  returning client_id`,
);

const BATCH = 1000;

// Those that registered and that nobody let in within a day; those that nobody let in for 90 days and that have no live grant.
/** Deletes a batch of agents that nobody uses. @returns how many */
export const pruneAgents = count<[now: Date]>(
  'prune_agents',
  `with pruned as (
    delete from clients where client_id in (
      select a.client_id from agents a join clients c on c.client_id = a.client_id
      where c.suspended_at is null and (
        a.way = 'registration' and a.created_at < $1::timestamptz - interval '1 day' and not exists (
          select from consents k where k.client_id = a.client_id and k.withdrawn_at is null)
        or coalesce(a.fetched_at, a.created_at) < $1::timestamptz - interval '90 days'
        and not exists (select from consents k where k.client_id = a.client_id and k.withdrawn_at is null
          and k.granted_at >= $1::timestamptz - interval '90 days')
        and coalesce((select l.total from activity l where l.client_id = a.client_id and l.kind = 'live_grants'
          order by l.day desc limit 1), 0) = 0)
      limit ${BATCH})
    returning 1
  )
  select count(*)::int from pruned`,
);

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
    const update = async () => {
      if (!(await noteRead(transaction, document, now))) return false;
      await change(transaction, document);
      return true;
    };
    if (await update()) return true;
    await lock(transaction);
    // Another process may have fetched it meanwhile.
    return (await update()) || insert(transaction, 'document', document, most, now);
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

async function insert(
  transaction: Queryable,
  way: AgentWay,
  agent: NewAgent | ReadDocument,
  most: number,
  now: Date,
): Promise<boolean> {
  if ((await countAgents(transaction, way)) >= most && !(await evict(transaction, now, way))) return false;
  // An agent can't take the place of a registered application.
  if (!(await insertClient(transaction, agent, now))) return false;
  await insertAgent(transaction, agent, now);
  return true;
}
