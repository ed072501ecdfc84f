// Paginated lists with prefix search for administrators.
import type { Database } from './database.ts';
import { type Statement, statement } from './statement.ts';

export const PAGE_SIZE = 40;
/** Maximum number of matches. Limits the cost of short prefixes. */
export const MAX_MATCHES = 500;

interface Cursor {
  createdAt: Date;
  id: string;
}

export interface ListQuery<State extends string> {
  search?: string | undefined;
  state?: State | 'any';
  after?: Cursor | undefined;
}

export interface ListPage<Row> {
  rows: Row[];
  next: Cursor | undefined;
  /** Whether there may be more than `MAX_MATCHES` matches. */
  capped: boolean;
}

type ListedRow<Row> = Row & { createdAt: Date; capped?: boolean };

/** SQL for a prefix search with a text_pattern_ops index. The upper bound is the prefix followed by U+10FFFF. */
export const prefixSearchSql = (table: string, id: string, column: string, prefix: string): string =>
  `(select ${id} as id from ${table} where ${column} ~>=~ ${prefix} and ${column} ~<~ (${prefix} || U&'\\+10FFFF')
    order by ${column} using ~<~ limit ${MAX_MATCHES})`;

interface AdminList<Found, Row, State extends string> {
  name: string;
  columns: string;
  from: string;
  /** SQL for the first sort key. `id` is the second. One index must cover both. */
  createdAt: string;
  id: string;
  states: Record<State | 'any', string>;
  /** SQL for the CTEs of a search. The last one must be `found (id)`. Search parameters begin at `$3`. */
  matching: string;
  searchParameters: (text: string) => unknown[];
  idOf: (row: Found) => string;
  addDetails: (database: Database, rows: Found[]) => Promise<Row[]>;
}

export function defineAdminList<Found, Row, State extends string>(list: AdminList<Found, Row, State>) {
  const { name, columns, from, createdAt, id, idOf, addDetails } = list;
  const statements = Object.fromEntries(
    Object.entries<string>(list.states).map(([state, condition]) => {
      const page = `where (${createdAt}, ${id}) < ($1::timestamptz, $2) and ${condition}
        order by ${createdAt} desc, ${id} desc limit ${PAGE_SIZE + 1}`;
      const all = statement(`admin_${name}_${state}`, `select ${columns} from ${from} ${page}`);
      const matching = statement(
        `admin_${name}_${state}_matching`,
        `with ${list.matching}
        select ${columns}, (select count(*) >= ${MAX_MATCHES} from found) as capped
        from ${from} join found f on f.id = ${id} ${page}`,
      );
      return [state, { all, matching }];
    }),
  ) as Record<State | 'any', { all: Statement; matching: Statement }>;

  return async (
    database: Database,
    { search, state = 'any', after }: ListQuery<State>,
  ): Promise<ListPage<Row>> => {
    const { all, matching } = statements[state];
    const cursorValues = [after?.createdAt ?? 'infinity', after?.id ?? null];
    const found = await (search === undefined
      ? database.query<ListedRow<Found>>(all, cursorValues)
      : database.query<ListedRow<Found>>(matching, [...cursorValues, ...list.searchParameters(search)]));
    const rows = found.slice(0, PAGE_SIZE);
    const last = rows.at(-1);
    return {
      rows: await addDetails(database, rows),
      next: found.length > PAGE_SIZE && last ? { createdAt: last.createdAt, id: idOf(last) } : undefined,
      capped: found[0]?.capped ?? false,
    };
  };
}
