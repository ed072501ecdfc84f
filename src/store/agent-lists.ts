// What operators see of agents: the list, and one of them. Bounded counts.
import { withPeople } from './application-lists.ts';
import type { Database, Queryable } from './database.ts';
import { beginsWith, operatorsList } from './list-pages.ts';
import { findAll, findOne } from './query.ts';

export interface AgentRow {
  clientId: string;
  name: string;
  way: 'document' | 'registration';
  redirectUris: string[];
  hasKeys: boolean;
  blockedAt: Date | null;
  fetchedAt: Date | null;
  freshUntil: Date | null;
  createdAt: Date;
  people: number;
}

const COLUMNS = `c.client_id as "clientId", c.name, a.way, c.redirect_uris as "redirectUris",
  c.jwks is not null as "hasKeys", c.suspended_at as "blockedAt", a.fetched_at as "fetchedAt",
  a.fresh_until as "freshUntil", a.created_at as "createdAt"`;

type FoundAgent = Omit<AgentRow, 'people'>;

const STATES = {
  any: 'true',
  blocked: 'c.suspended_at is not null',
  document: `a.way = 'document'`,
  registration: `a.way = 'registration'`,
};
export type AgentState = keyof typeof STATES;

/** Agents, latest first: all of a state, or those whose name or host begins with a text, or by what they are called. */
export const listAgentsPage = operatorsList<FoundAgent, AgentRow, AgentState>({
  name: 'agents',
  columns: COLUMNS,
  from: 'agents a join clients c on c.client_id = a.client_id',
  createdAt: 'a.created_at',
  id: 'a.client_id',
  states: STATES,
  matching: `found as materialized (
      ${beginsWith('clients', 'client_id', 'lower(name)', 'lower($3::text)')}
      union ${beginsWith('agents', 'client_id', 'origin', `('https://' || $3::text)`)}
      union select client_id from agents where client_id = $3::text
    )`,
  searchFor: (text) => [text],
  idOf: ({ clientId }) => clientId,
  complete: withPeople,
});

const find = findOne<FoundAgent, [clientId: string]>(
  'operators_agent',
  `select ${COLUMNS} from agents a join clients c on c.client_id = a.client_id where a.client_id = $1::text`,
);

export async function findAgentRow(database: Database, clientId: string): Promise<AgentRow | undefined> {
  const found = await find(database, clientId);
  return found && (await withPeople(database, [found]))[0];
}

const list = findAll<FoundAgent>(
  'list_agents',
  `select ${COLUMNS} from agents a join clients c on c.client_id = a.client_id order by a.created_at, a.client_id`,
);

const countPeople = findAll<{ clientId: string; people: number }, [clientIds: readonly string[]]>(
  'count_people_of_agents',
  `select k.client_id as "clientId", count(*)::int as people from consents k
  where k.client_id = any($1::text[]) and k.withdrawn_at is null group by k.client_id`,
);

/** All agents, oldest first. `people` isn't limited. */
export async function listAgents(database: Queryable): Promise<AgentRow[]> {
  const agents = await list(database);
  const counted = await countPeople(
    database,
    agents.map(({ clientId }) => clientId),
  );
  const people = new Map(counted.map((row) => [row.clientId, row.people]));
  return agents.map((agent) => ({ ...agent, people: people.get(agent.clientId) ?? 0 }));
}
