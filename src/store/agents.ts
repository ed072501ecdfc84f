// Agents: applications that nobody owns. What is known of them, how old it is, how many there may be, and after how long one that
// nobody uses, or never agreed to, is forgotten.
import type { JSONWebKeySet } from 'jose';
import { AGENT_SCOPES } from '../oauth/agent-document.ts';
import { AGENT_REFRESH_GRACE } from '../oauth/lifetimes.ts';
import type { Database, Queryable } from './database.ts';
import { affects, findHot } from './query.ts';
import { statement } from './statement.ts';

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

/** What an agent says of itself, as it is kept. */
export interface NewAgent {
  clientId: string;
  name: string;
  redirectUris: string[];
  /** Public keys of one that authenticates with them. */
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

// What people agreed to is what the document said: whoever says something else is asked about again, and what was given
// before ends with the epoch. Compared with the row that is changed, whatever was read before.
const CHANGE = statement(
  'change_agent',
  `update clients c set name = $2::text, type = $3::text, redirect_uris = $4::text[], jwks = $5::jsonb, epoch = c.epoch + 1
  where c.client_id = $1::text and c.owner_id is null
    and (c.name, c.type, c.redirect_uris, c.jwks) is distinct from ($2::text, $3::text, $4::text[], $5::jsonb)
  returning c.client_id`,
);

// An agent that comes again after it was forgotten begins above whatever its epoch was: seconds grow faster than changes.
const INSERT = statement(
  'insert_agent_client',
  `insert into clients (client_id, name, type, redirect_uris, jwks, scopes, standard, pkce_required, refresh_grace,
    created_at, epoch)
  values ($1::text, $2::text, $3::text, $4::text[], $5::jsonb, $6::text[], true, true, ${AGENT_REFRESH_GRACE}, $7::timestamptz,
    (extract(epoch from $7::timestamptz) - 1577836800)::int)
  on conflict (client_id) do nothing returning client_id`,
);

const INSERT_AGENT = statement(
  'insert_agent',
  `insert into agents (client_id, way, origin, fetched_at, fresh_until, created_at)
  values ($1::text, case when $2::text is null then 'registration' else 'document' end, $2::text,
    case when $2::text is not null then $4::timestamptz end, $3::timestamptz, $4::timestamptz)`,
);

/** Any constant that no other advisory lock uses: held by whoever adds an agent. */
const LOCK = statement('lock_agents', 'select pg_advisory_xact_lock(6184532)');

const COUNT = statement('count_agents', 'select count(*)::int as number from agents where way = $1::text');

// Nobody has a live grant of it by the last count (activity), nor agreed to anything since. Those that are blocked stay so.
const UNUSED = `c.suspended_at is null
  and coalesce((select l.total from activity l where l.client_id = c.client_id and l.kind = 'live_grants'
    order by l.day desc limit 1), 0) = 0
  and not exists (select from consents k where k.client_id = c.client_id and k.withdrawn_at is null
    and k.granted_at >= $1::timestamptz - interval '2 days')`;

const EVICT = statement(
  'evict_agent',
  `delete from clients where client_id = (
    select c.client_id from agents a join clients c on c.client_id = a.client_id
    where a.way = $2::text and ${UNUSED} order by a.fetched_at, a.created_at limit 1)
  returning client_id`,
);

/** Agents in one batch of pruning. */
const BATCH = 1000;

// Those that registered and that nobody let in within a day; those that nobody let in for 90 days and that have no live grant.
const PRUNE = statement(
  'prune_agents',
  `delete from clients where client_id in (
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
  returning 1 as one`,
);

/** Forgets a batch of agents that nobody uses. @returns how many */
export const pruneAgents = async (transaction: Queryable, now: Date): Promise<number> =>
  (await transaction.query(PRUNE, [now])).length;

const typeOf = ({ jwks }: NewAgent) => (jwks === null ? 'public' : 'confidential');
const jsonOf = ({ jwks }: NewAgent) => (jwks === null ? null : JSON.stringify(jwks));

/**
 * Keeps a document that was read.
 * @param most how many there may be in all
 * @returns false where there is no room, and nobody to make room
 */
export const keepDocument = (
  database: Database,
  document: ReadDocument,
  most: number,
  now: Date,
): Promise<boolean> =>
  database.transaction(async (transaction) => {
    const change = async () => {
      if (!(await noteRead(transaction, document, now))) return false;
      const { clientId, name, redirectUris } = document;
      await transaction.query(CHANGE, [clientId, name, typeOf(document), redirectUris, jsonOf(document)]);
      return true;
    };
    if (await change()) return true;
    await transaction.query(LOCK, []);
    // Another process may have read it meanwhile.
    return (await change()) || insert(transaction, document, document, most, now);
  });

/** Keeps an agent that registered itself. False where there is no room. */
export const keepRegistration = (
  database: Database,
  agent: NewAgent,
  most: number,
  now: Date,
): Promise<boolean> =>
  database.transaction(async (transaction) => {
    await transaction.query(LOCK, []);
    return insert(transaction, agent, undefined, most, now);
  });

async function insert(
  transaction: Queryable,
  agent: NewAgent,
  document: ReadDocument | undefined,
  most: number,
  now: Date,
): Promise<boolean> {
  const way = document === undefined ? 'registration' : 'document';
  const [count] = await transaction.query<{ number: number }>(COUNT, [way]);
  if ((count?.number ?? 0) >= most && (await transaction.query(EVICT, [now, way])).length === 0) return false;
  const { clientId, name, redirectUris } = agent;
  const made = await transaction.query(INSERT, [
    ...[clientId, name, typeOf(agent), redirectUris, jsonOf(agent), AGENT_SCOPES, now],
  ]);
  if (made.length === 0) return false; // somebody's application, which it cannot take the place of
  const { origin = null, freshUntil = null } = document ?? {};
  await transaction.query(INSERT_AGENT, [clientId, origin, freshUntil, now]);
  return true;
}
