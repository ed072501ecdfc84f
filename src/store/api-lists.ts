// What operators see of APIs: the list, and one of them.
import { type Admission, type ApiScope, identifierKey } from '../oauth/api.ts';
import { findEmails } from './account-lists.ts';
import type { Database } from './database.ts';
import { emailKey } from './emails.ts';
import { beginsWith, MATCHES, operatorsList } from './list-pages.ts';
import { findAll, findOne } from './query.ts';

export interface ApiRow {
  apiId: string;
  identifier: string;
  name: string;
  wordsFr: string;
  wordsEn: string;
  scopes: ApiScope[];
  admits: Admission;
  ownerId: string;
  ownerEmail: string;
  suspendedAt: Date | null;
  createdAt: Date;
}

const COLUMNS = `a.api_id as "apiId", a.identifier, a.name, a.words_fr as "wordsFr", a.words_en as "wordsEn", a.scopes,
  a.admits, a.owner_id as "ownerId", a.suspended_at as "suspendedAt",
  a.created_at as "createdAt"`;

type FoundApi = Omit<ApiRow, 'ownerEmail'>;

async function complete(database: Database, found: readonly FoundApi[]): Promise<ApiRow[]> {
  const emailOf = await findEmails(
    database,
    found.map(({ ownerId }) => ownerId),
  );
  return found.map((api) => ({ ...api, ownerEmail: emailOf(api.ownerId) ?? '' }));
}

const STATES = { any: 'true', suspended: 'a.suspended_at is not null', agents: `a.admits = 'agents'` };
export type ApiState = keyof typeof STATES;

/** APIs, latest first: all of a state, or those whose name or owner's email begins with a text, or by an identifier. */
export const listApisPage = operatorsList<FoundApi, ApiRow, ApiState>({
  name: 'apis',
  columns: COLUMNS,
  from: 'apis a',
  createdAt: 'a.created_at',
  id: 'a.api_id',
  states: STATES,
  matching: `owners as materialized (${beginsWith('users', 'id', 'email_key', '$3::text')}),
    found as materialized (
      (select a.api_id as id from apis a join owners on a.owner_id = owners.id limit ${MATCHES})
      union ${beginsWith('apis', 'api_id', 'lower(name)', 'lower($4::text)')}
      union select api_id from apis where api_id = $4::text
      union select api_id from apis where identifier_key = $5::text
    )`,
  searchFor: (text) => [emailKey(text), text, identifierKey(text)],
  idOf: ({ apiId }) => apiId,
  complete,
});

const find = findOne<FoundApi, [apiId: string]>(
  'operators_api',
  `select ${COLUMNS} from apis a where a.api_id = $1::text`,
);

export async function findApi(database: Database, apiId: string): Promise<ApiRow | undefined> {
  const found = await find(database, apiId);
  return found && (await complete(database, [found]))[0];
}

const list = findAll<FoundApi>('list_apis', `select ${COLUMNS} from apis a order by a.created_at, a.api_id`);

export const listApis = async (database: Database): Promise<ApiRow[]> =>
  complete(database, await list(database));
