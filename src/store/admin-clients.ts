// Lists clients for administrators and reads a client's details.
import type { Client } from '../oauth/client.ts';
import { findEmailsByUser } from './admin-accounts.ts';
import { defineAdminList, MAX_MATCHES, prefixSearchSql } from './admin-lists.ts';
import type { Database, Queryable } from './database.ts';
import { emailKey } from './emails.ts';
import { count, findOne } from './query.ts';

export interface WithUserCount {
  userCount: number;
}

export interface AdminClientRow extends Client, WithUserCount {
  logo: string | null;
  ownerId: string;
  ownerEmail: string;
  suspendedAt: Date | null;
  verifiedAt: Date | null;
  createdAt: Date;
}
type FoundClient = Omit<AdminClientRow, 'ownerEmail' | keyof WithUserCount>;

/** Maximum number of users counted per client, to keep the lists fast. */
export const MAX_USER_COUNT = 1000;

const countUsers = count<[clientId: string]>(
  'count_users_of_client_capped',
  `select count(*)::int as number from (select 1 from consents k where k.client_id = $1::text and k.withdrawn_at is null
    limit ${MAX_USER_COUNT}) x`,
);

export async function addUserCounts<Row extends { clientId: string }>(
  database: Queryable,
  rows: readonly Row[],
): Promise<(Row & WithUserCount)[]> {
  const counted: (Row & WithUserCount)[] = [];
  for (const row of rows) counted.push({ ...row, userCount: await countUsers(database, row.clientId) });
  return counted;
}

async function addUserCountsAndEmails(
  database: Database,
  found: readonly FoundClient[],
): Promise<AdminClientRow[]> {
  const emailOf = await findEmailsByUser(
    database,
    found.map(({ ownerId }) => ownerId),
  );
  const rows = await addUserCounts(database, found);
  return rows.map((row) => ({ ...row, ownerEmail: emailOf(row.ownerId) ?? '' }));
}

const COLUMNS = `c.client_id as "clientId", c.name, c.logo, c.type, c.redirect_uris as "redirectUris", c.scopes,
  c.standard, c.owner_id as "ownerId", c.suspended_at as "suspendedAt",
  c.verified_at as "verifiedAt", c.created_at as "createdAt"`;

const IS_OWNED_SQL = 'c.owner_id is not null';

const CLIENT_STATES = {
  any: IS_OWNED_SQL,
  suspended: `${IS_OWNED_SQL} and c.suspended_at is not null`,
  verified: `${IS_OWNED_SQL} and c.verified_at is not null`,
  unverified: `${IS_OWNED_SQL} and c.verified_at is null`,
};
export type ClientState = keyof typeof CLIENT_STATES;

export const listClientsPage = defineAdminList<FoundClient, AdminClientRow, ClientState>({
  name: 'clients',
  columns: COLUMNS,
  from: 'clients c',
  createdAt: 'c.created_at',
  id: 'c.client_id',
  states: CLIENT_STATES,
  matching: `owners as materialized (${prefixSearchSql('users', 'id', 'email_key', '$3::text')}),
    found as materialized (
      (select c.client_id as id from clients c join owners on c.owner_id = owners.id limit ${MAX_MATCHES})
      union ${prefixSearchSql('clients', 'client_id', 'lower(name)', 'lower($4::text)')}
      union select client_id from clients where client_id = $4::text
    )`,
  searchParameters: (text) => [emailKey(text), text],
  idOf: ({ clientId }) => clientId,
  addDetails: addUserCountsAndEmails,
});

const findClientRow = findOne<FoundClient, [clientId: string]>(
  'find_client_detail',
  `select ${COLUMNS} from clients c where ${IS_OWNED_SQL} and c.client_id = $1::text`,
);

export async function findClientDetail(
  database: Database,
  clientId: string,
): Promise<AdminClientRow | undefined> {
  const found = await findClientRow(database, clientId);
  return found && (await addUserCountsAndEmails(database, [found]))[0];
}
