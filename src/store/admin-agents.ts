// Lists agents for administrators and reads one agent's details.
import { addUserCounts, type WithUserCount } from './admin-clients.ts';
import { defineAdminList, prefixSearchSql } from './admin-lists.ts';
import type { Database, Queryable } from './database.ts';
import { findAll, findOne } from './query.ts';

export interface AgentRow extends WithUserCount {
  clientId: string;
  name: string;
  kind: 'document' | 'registration';
  redirectUris: string[];
  hasKeys: boolean;
  blockedAt: Date | null;
  fetchedAt: Date | null;
  freshUntil: Date | null;
  createdAt: Date;
}

type FoundAgent = Omit<AgentRow, keyof WithUserCount>;

const COLUMNS = `c.client_id as "clientId", c.name, a.kind, c.redirect_uris as "redirectUris",
  c.jwks is not null as "hasKeys", c.suspended_at as "blockedAt", a.fetched_at as "fetchedAt",
  a.fresh_until as "freshUntil", a.created_at as "createdAt"`;

const AGENT_STATES = {
  any: 'true',
  blocked: 'c.suspended_at is not null',
  document: `a.kind = 'document'`,
  registration: `a.kind = 'registration'`,
};
export type AgentState = keyof typeof AGENT_STATES;

export const listAgentsPage = defineAdminList<FoundAgent, AgentRow, AgentState>({
  name: 'agents',
  columns: COLUMNS,
  from: 'agents a join clients c on c.client_id = a.client_id',
  createdAt: 'a.created_at',
  id: 'a.client_id',
  states: AGENT_STATES,
  matching: `found as materialized (
      ${prefixSearchSql('clients', 'client_id', 'lower(name)', 'lower($3::text)')}
      union ${prefixSearchSql('agents', 'client_id', 'origin', `('https://' || $3::text)`)}
      union select client_id from agents where client_id = $3::text
    )`,
  searchParameters: (text) => [text],
  idOf: ({ clientId }) => clientId,
  addDetails: addUserCounts,
});

const findAgentRow = findOne<FoundAgent, [clientId: string]>(
  'find_agent_detail',
  `select ${COLUMNS} from agents a join clients c on c.client_id = a.client_id where a.client_id = $1::text`,
);

export async function findAgentDetail(database: Database, clientId: string): Promise<AgentRow | undefined> {
  const found = await findAgentRow(database, clientId);
  return found && (await addUserCounts(database, [found]))[0];
}

const listAgentRows = findAll<FoundAgent>(
  'list_agents',
  `select ${COLUMNS} from agents a join clients c on c.client_id = a.client_id order by a.created_at, a.client_id`,
);

const countUsers = findAll<{ clientId: string } & WithUserCount, [clientIds: readonly string[]]>(
  'count_users_of_agents',
  `select k.client_id as "clientId", count(*)::int as "userCount" from consents k
  where k.client_id = any($1::text[]) and k.withdrawn_at is null group by k.client_id`,
);

export async function listAgents(database: Queryable): Promise<AgentRow[]> {
  const agents = await listAgentRows(database);
  const counted = await countUsers(
    database,
    agents.map(({ clientId }) => clientId),
  );
  const userCounts = new Map(counted.map((row) => [row.clientId, row.userCount]));
  return agents.map((agent): AgentRow => ({ ...agent, userCount: userCounts.get(agent.clientId) ?? 0 }));
}
