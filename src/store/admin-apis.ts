// Lists APIs for administrators and reads an API's details.
import { type AllowedClients, type ApiScope, toIdentifierKey } from '../oauth/api.ts';
import { findEmailsByUser } from './admin-accounts.ts';
import { defineAdminList, MAX_MATCHES, prefixSearchSql } from './admin-lists.ts';
import type { Database } from './database.ts';
import { emailKey } from './emails.ts';
import { findAll, findOne } from './query.ts';

export interface ApiRow {
  apiId: string;
  identifier: string;
  name: string;
  descriptionFr: string;
  descriptionEn: string;
  scopes: ApiScope[];
  allowedClients: AllowedClients;
  ownerId: string;
  ownerEmail: string;
  suspendedAt: Date | null;
  createdAt: Date;
}

const COLUMNS = `a.api_id as "apiId", a.identifier, a.name, a.description_fr as "descriptionFr", a.description_en as "descriptionEn", a.scopes,
  a.allowed_clients as "allowedClients", a.owner_id as "ownerId", a.suspended_at as "suspendedAt",
  a.created_at as "createdAt"`;

type FoundApi = Omit<ApiRow, 'ownerEmail'>;

async function addOwnerEmails(database: Database, found: readonly FoundApi[]): Promise<ApiRow[]> {
  const emailOf = await findEmailsByUser(
    database,
    found.map(({ ownerId }) => ownerId),
  );
  return found.map((api) => ({ ...api, ownerEmail: emailOf(api.ownerId) ?? '' }));
}

const API_STATES = {
  any: 'true',
  suspended: 'a.suspended_at is not null',
  agents: `a.allowed_clients = 'agents'`,
};
export type ApiState = keyof typeof API_STATES;

export const listApisPage = defineAdminList<FoundApi, ApiRow, ApiState>({
  name: 'apis',
  columns: COLUMNS,
  from: 'apis a',
  createdAt: 'a.created_at',
  id: 'a.api_id',
  states: API_STATES,
  matching: `owners as materialized (${prefixSearchSql('users', 'id', 'email_key', '$3::text')}),
    found as materialized (
      (select a.api_id as id from apis a join owners on a.owner_id = owners.id limit ${MAX_MATCHES})
      union ${prefixSearchSql('apis', 'api_id', 'lower(name)', 'lower($4::text)')}
      union select api_id from apis where api_id = $4::text
      union select api_id from apis where identifier_key = $5::text
    )`,
  searchParameters: (text) => [emailKey(text), text, toIdentifierKey(text)],
  idOf: ({ apiId }) => apiId,
  addDetails: addOwnerEmails,
});

const findApiRow = findOne<FoundApi, [apiId: string]>(
  'find_api_detail',
  `select ${COLUMNS} from apis a where a.api_id = $1::text`,
);

export async function findApiDetail(database: Database, apiId: string): Promise<ApiRow | undefined> {
  const found = await findApiRow(database, apiId);
  return found && (await addOwnerEmails(database, [found]))[0];
}

const listApiRows = findAll<FoundApi>(
  'list_apis',
  `select ${COLUMNS} from apis a order by a.created_at, a.api_id`,
);

export const listApis = async (database: Database): Promise<ApiRow[]> =>
  addOwnerEmails(database, await listApiRows(database));
