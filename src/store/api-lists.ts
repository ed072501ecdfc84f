// What operators see of APIs: the list, and one of them.
import { type Admission, type ApiScope, identifierKey } from '../oauth/api.ts';
import type { Queryable } from './database.ts';
import {
  type Asked,
  beginsWith,
  type Listed,
  type ListPage,
  MATCHES,
  PAGE,
  pageOf,
  perState,
  upTo,
} from './list-pages.ts';
import { statement } from './statement.ts';
import { emailKey } from './users.ts';

/** An API as operators see it. */
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
  /** Suspended by the word of an account that disowned what was done to it, not by an operator. */
  held: boolean;
  createdAt: Date;
}

const COLUMNS = `a.api_id as "apiId", a.identifier, a.name, a.words_fr as "wordsFr", a.words_en as "wordsEn", a.scopes,
  a.admits, a.owner_id as "ownerId", o.email as "ownerEmail", a.suspended_at as "suspendedAt",
  coalesce(a.held_at <= a.suspended_at, false) as held, a.created_at as "createdAt"`;

const STATES = { any: 'true', suspended: 'a.suspended_at is not null', agents: `a.admits = 'agents'` };
export type ApiState = keyof typeof STATES;

const LIST = perState(STATES, (state, condition) => ({
  all: statement(
    `operators_apis_${state}`,
    `select ${COLUMNS} from apis a join users o on o.id = a.owner_id
    where (a.created_at, a.api_id) < ($1::timestamptz, $2::text) and ${condition}
    order by a.created_at desc, a.api_id desc limit ${PAGE + 1}`,
  ),
  matching: statement(
    `operators_apis_${state}_matching`,
    `with owners as materialized (${beginsWith('users', 'id', 'email_key', '$3::text', '$4::text')}),
    found as materialized (
      (select a.api_id as id from apis a join owners on a.owner_id = owners.id limit ${MATCHES})
      union ${beginsWith('apis', 'api_id', 'lower(name)', 'lower($5::text)', 'lower($5::text) || $6::text')}
      union select api_id from apis where api_id = $5::text
      union select api_id from apis where identifier_key = $7::text
    )
    select ${COLUMNS}, (select count(*) >= ${MATCHES} from found) as capped
    from found f join apis a on a.api_id = f.id join users o on o.id = a.owner_id
    where (a.created_at, a.api_id) < ($1::timestamptz, $2::text) and ${condition}
    order by a.created_at desc, a.api_id desc limit ${PAGE + 1}`,
  ),
}));

/** APIs, latest first: all of a state, or those whose name or owner's email begins with a text, or by an identifier. */
export async function listApisPage(
  database: Queryable,
  { search, state = 'any', after }: Asked<ApiState>,
): Promise<ListPage<ApiRow>> {
  const from = [after?.createdAt ?? 'infinity', after?.id ?? ''];
  const found = await (search === undefined
    ? database.query<Listed<ApiRow>>(LIST[state].all, from)
    : database.query<Listed<ApiRow>>(LIST[state].matching, [
        ...from,
        emailKey(search),
        upTo(emailKey(search)),
        search,
        upTo(''),
        identifierKey(search),
      ]));
  return pageOf(found, ({ apiId }) => apiId);
}

const FIND = statement(
  'operators_api',
  `select ${COLUMNS} from apis a join users o on o.id = a.owner_id where a.api_id = $1::text`,
);

/** One API by its id. */
export async function findApi(database: Queryable, apiId: string): Promise<ApiRow | undefined> {
  const [row] = await database.query<ApiRow>(FIND, [apiId]);
  return row;
}

const LIST_ALL = statement(
  'list_apis',
  `select ${COLUMNS} from apis a join users o on o.id = a.owner_id order by a.created_at, a.api_id`,
);

/** All APIs, oldest first. */
export const listApis = (database: Queryable): Promise<ApiRow[]> => database.query(LIST_ALL, []);
