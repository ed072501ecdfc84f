// What operators see of applications: the list, and one of them. Bounded counts.
import type { Client } from '../oauth/client.ts';
import { findEmails } from './account-lists.ts';
import type { Database, Queryable } from './database.ts';
import { emailKey } from './emails.ts';
import { beginsWith, MATCHES, operatorsList } from './list-pages.ts';
import { count, findOne } from './query.ts';

/** An application as operators see it. `people` stops at a thousand. */
export interface ApplicationRow extends Client {
  ownerId: string;
  ownerEmail: string;
  suspendedAt: Date | null;
  verifiedAt: Date | null;
  createdAt: Date;
  people: number;
}

/** What `people` counts to at most, so that a list with large applications is as quick as any. */
export const PEOPLE_COUNTED = 1000;

const countPeople = count<[clientId: string]>(
  'count_some_people_of_client',
  `select count(*)::int as number from (select 1 from consents k where k.client_id = $1::text and k.withdrawn_at is null
    limit ${PEOPLE_COUNTED}) x`,
);

/** Adds to the clients of a page how many accounts have given each a consent, up to `PEOPLE_COUNTED`. */
export async function withPeople<Row extends { clientId: string }>(
  database: Queryable,
  rows: readonly Row[],
): Promise<(Row & { people: number })[]> {
  const counted: (Row & { people: number })[] = [];
  for (const row of rows) counted.push({ ...row, people: await countPeople(database, row.clientId) });
  return counted;
}

type FoundApplication = Omit<ApplicationRow, 'ownerEmail' | 'people'>;

async function complete(database: Database, found: readonly FoundApplication[]): Promise<ApplicationRow[]> {
  const emailOf = await findEmails(
    database,
    found.map(({ ownerId }) => ownerId),
  );
  const rows = await withPeople(database, found);
  return rows.map((row) => ({ ...row, ownerEmail: emailOf(row.ownerId) ?? '' }));
}

const APPLICATION_COLUMNS = `c.client_id as "clientId", c.name, c.type, c.redirect_uris as "redirectUris", c.scopes,
  c.standard, c.owner_id as "ownerId", c.suspended_at as "suspendedAt",
  c.verified_at as "verifiedAt", c.created_at as "createdAt"`;

/** Agents, which nobody owns, have a list of their own. */
const OWNED = 'c.owner_id is not null';

const APPLICATION_STATES = {
  any: OWNED,
  suspended: `${OWNED} and c.suspended_at is not null`,
  verified: `${OWNED} and c.verified_at is not null`,
  unverified: `${OWNED} and c.verified_at is null`,
};
export type ApplicationState = keyof typeof APPLICATION_STATES;

/** Applications, latest first: all of a state, or those whose name or owner's email begins with a text, or by Client ID. */
export const listApplicationsPage = operatorsList<FoundApplication, ApplicationRow, ApplicationState>({
  name: 'clients',
  columns: APPLICATION_COLUMNS,
  from: 'clients c',
  createdAt: 'c.created_at',
  id: 'c.client_id',
  states: APPLICATION_STATES,
  matching: `owners as materialized (${beginsWith('users', 'id', 'email_key', '$3::text')}),
    found as materialized (
      (select c.client_id as id from clients c join owners on c.owner_id = owners.id limit ${MATCHES})
      union ${beginsWith('clients', 'client_id', 'lower(name)', 'lower($4::text)')}
      union select client_id from clients where client_id = $4::text
    )`,
  searchFor: (text) => [emailKey(text), text],
  idOf: ({ clientId }) => clientId,
  complete,
});

const find = findOne<FoundApplication, [clientId: string]>(
  'operators_client',
  `select ${APPLICATION_COLUMNS} from clients c where ${OWNED} and c.client_id = $1::text`,
);

export async function findApplication(
  database: Database,
  clientId: string,
): Promise<ApplicationRow | undefined> {
  const found = await find(database, clientId);
  return found && (await complete(database, [found]))[0];
}
