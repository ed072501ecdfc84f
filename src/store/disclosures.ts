// The ledger of what each application received about a person, as that person reads it (store/usage.ts writes it).
import type { Queryable } from './database.ts';
import { statement } from './statement.ts';

/** The claims that one application received together, how often, and when. */
export interface DisclosureRow {
  clientId: string;
  applicationName: string;
  /** The names of the claims. */
  fields: string[];
  firstAt: Date;
  lastAt: Date;
  times: number;
}

const LIST = statement(
  'list_disclosures',
  `select d.client_id as "clientId", d.application_name as "applicationName", string_to_array(d.fields, ' ') as fields,
    d.first_at as "firstAt", d.last_at as "lastAt", d.times::float8 as times
  from disclosures d where d.user_id = $1::uuid order by d.last_at desc, d.client_id, d.fields`,
);

/** All that applications received about an account, latest first; also those that may no longer, or are gone. */
export const listDisclosures = (database: Queryable, userId: string): Promise<DisclosureRow[]> =>
  database.query(LIST, [userId]);
