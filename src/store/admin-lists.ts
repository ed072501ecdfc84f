// Paginated lists with prefix search for administrators.
import type { Database } from './database.ts';
import { type Statement, statement } from './statement.ts';

export const PAGE_SIZE = 40;
/** Maximum number of matches. Without this limit, a search for a short prefix would read an entire table. */
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
  /** Undefined on the last page. */
  next: Cursor | undefined;
  /** Whether the search stopped at `MAX_MATCHES`, in which case there may be more matches. */
  capped: boolean;
}

type ListedRow<Row> = Row & { createdAt: Date; capped?: boolean };

/**
 * SQL for a prefix search with the column's text_pattern_ops index, which compares bytes. The upper bound is the
 * prefix followed by U+10FFFF.
 */
export const prefixSearchSql = (table: string, id: string, column: string, prefix: string): string =>
  `(select ${id} as id from ${table} where ${column} ~>=~ ${prefix} and ${column} ~<~ (${prefix} || U&'\\+10FFFF')
    order by ${column} using ~<~ limit ${MAX_MATCHES})`;

interface AdminList<Found, Row, State extends string> {
  name: string;
  columns: string;
  from: string;
  /** SQL for the first sort key. The second sort key is `id`. A single index must cover both sort keys. */
  createdAt: string;
  id: string;
  states: Record<State | 'any', string>;
  /** SQL for the CTEs of a search, the last of which must be `found (id)`. Search parameters begin at `$3`. */
  matching: string;
  searchParameters: (text: string) => unknown[];
  idOf: (row: Found) => string;
  /** Runs further statements to add details to the rows of a page. */
  addDetails: (database: Database, rows: Found[]) => Promise<Row[]>;
}

/** Defines a function that reads a page of a list, newest rows first. */
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
    // The first page starts at `infinity`. All rows precede this time, so the id isn't needed.
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
