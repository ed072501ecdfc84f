// Lists for operators: a page at a time, latest first, searched by beginnings through indexes, however many rows there are.
import type { Statement } from './statement.ts';

/** Rows of a list that are shown at once. */
export const PAGE = 40;
/** Matches of a search beyond these are not looked at: by then it is time to type another letter. */
export const MATCHES = 500;

/** Where a page of a list goes on: after this row. */
interface After {
  createdAt: Date;
  id: string;
}

/** What is asked of a list. */
export interface Asked<State extends string> {
  search?: string | undefined;
  state?: State;
  after?: After | undefined;
}

/** A page of a list; `next` is where the following one goes on, if there is one. */
export interface ListPage<Row> {
  rows: Row[];
  next: After | undefined;
  /** Whether a search had more matches than are looked at. */
  capped: boolean;
}

/** A row as its statement gives it. */
export type Listed<Row> = Row & { createdAt: Date; capped?: boolean };

/** The page that rows make, one more of which were asked for than are shown. */
export function pageOf<Row>(found: Listed<Row>[], idOf: (row: Row) => string): ListPage<Row> {
  const rows = found.slice(0, PAGE);
  const last = rows.at(-1);
  return {
    rows,
    next: found.length > PAGE && last ? { createdAt: last.createdAt, id: idOf(last) } : undefined,
    capped: found[0]?.capped ?? false,
  };
}

/** Bounds of what begins with a text, for the pattern operators, which go by bytes: the last character there is. */
export const upTo = (prefix: string): string => `${prefix}\u{10ffff}`;

/** The matches of one column of one table by its beginning, in the order of its index so that the index is used. */
export const beginsWith = (table: string, id: string, column: string, from: string, to: string): string =>
  `(select ${id} as id from ${table} where ${column} ~>=~ ${from} and ${column} ~<~ (${to})
    order by ${column} using ~<~ limit ${MATCHES})`;

/** The two statements of a list for each of its states. */
export function perState<State extends string>(
  states: Record<State, string>,
  make: (state: State, condition: string) => { all: Statement; matching: Statement },
): Record<State, { all: Statement; matching: Statement }> {
  const entries = Object.entries(states) as [State, string][];
  return Object.fromEntries(
    entries.map(([state, condition]) => [state, make(state, condition)]),
  ) as ReturnType<typeof perState<State>>;
}
