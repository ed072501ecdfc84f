// Lists for operators: a page at a time, latest first, searched by beginnings through indexes, however many rows there are.
import type { Database } from './database.ts';
import { type Statement, statement } from './statement.ts';

export const PAGE = 40;
/** Matches of a search beyond these are not looked at: by then it is time to type another letter. */
export const MATCHES = 500;

/** Where a page of a list goes on: after this row. */
interface After {
  createdAt: Date;
  id: string;
}

export interface Asked<State extends string> {
  search?: string | undefined;
  state?: State | 'any';
  after?: After | undefined;
}

/** A page of a list; `next` is where the following one goes on, if there is one. */
export interface ListPage<Row> {
  rows: Row[];
  next: After | undefined;
  /** Whether a search had more matches than are looked at. */
  capped: boolean;
}

type Listed<Row> = Row & { createdAt: Date; capped?: boolean };

/**
 * The matches of one column of one table by a prefix, in the order of its index so that the index is used. The pattern
 * operators compare bytes, so the bound is the last character that there is.
 */
export const beginsWith = (table: string, id: string, column: string, prefix: string): string =>
  `(select ${id} as id from ${table} where ${column} ~>=~ ${prefix} and ${column} ~<~ (${prefix} || U&'\\+10FFFF')
    order by ${column} using ~<~ limit ${MATCHES})`;

/** A list for operators. The matches of a search are named by its beginning, so that an index finds them. */
interface OperatorsList<Found, Row, State extends string> {
  name: string;
  columns: string;
  /** The tables of a row, and the columns of when it was made and of its id, which an index has in this order. */
  from: string;
  createdAt: string;
  id: string;
  /** The condition of each state; that of `any` holds for every row. */
  states: Record<State | 'any', string>;
  /** The parts of a `with` that find what matches a search, the last of them `found (id)`; their parameters begin at `$3`. */
  matching: string;
  searchFor: (text: string) => unknown[];
  idOf: (row: Found) => string;
  /** Adds what other statements read to the rows of a page. */
  complete: (database: Database, rows: Found[]) => Promise<Row[]>;
}

/** @returns a function that reads the list a page at a time */
export function operatorsList<Found, Row, State extends string>(list: OperatorsList<Found, Row, State>) {
  const { name, columns, from, createdAt, id, idOf, complete } = list;
  const statements = Object.fromEntries(
    Object.entries<string>(list.states).map(([state, condition]) => {
      const page = `where (${createdAt}, ${id}) < ($1::timestamptz, $2) and ${condition}
        order by ${createdAt} desc, ${id} desc limit ${PAGE + 1}`;
      const all = statement(`operators_${name}_${state}`, `select ${columns} from ${from} ${page}`);
      const matching = statement(
        `operators_${name}_${state}_matching`,
        `with ${list.matching}
        select ${columns}, (select count(*) >= ${MATCHES} from found) as capped
        from ${from} join found f on f.id = ${id} ${page}`,
      );
      return [state, { all, matching }];
    }),
  ) as Record<State | 'any', { all: Statement; matching: Statement }>;

  return async (
    database: Database,
    { search, state = 'any', after }: Asked<State>,
  ): Promise<ListPage<Row>> => {
    const { all, matching } = statements[state];
    // Nothing was created that late, so the id makes no difference.
    const before = [after?.createdAt ?? 'infinity', after?.id ?? null];
    const found = await (search === undefined
      ? database.query<Listed<Found>>(all, before)
      : database.query<Listed<Found>>(matching, [...before, ...list.searchFor(search)]));
    const rows = found.slice(0, PAGE);
    const last = rows.at(-1);
    return {
      rows: await complete(database, rows),
      next: found.length > PAGE && last ? { createdAt: last.createdAt, id: idOf(last) } : undefined,
      capped: found[0]?.capped ?? false,
    };
  };
}
