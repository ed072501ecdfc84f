// Taking all data away: written while it is read, for whoever takes it at whatever speed, and only so many at a time.
import { Readable } from 'node:stream';
import { overloaded } from '../oauth/errors.ts';
import type { Database, Queryable } from '../store/database.ts';
import { recordOwnEvent } from '../store/events.ts';
import { readLists, readProfile, type Section } from '../store/exported-data.ts';
import { openLine } from './lines.ts';

/** Under way at a time in a process. Each keeps a page of rows in memory, and one of an account is enough. */
const OPEN = 50;
/** Of those, how many read from the database at the same time: they must not be all that its connections are used for. */
const READING = 2;
/** Milliseconds after which whoever has not taken everything yet is cut off: they would keep a place for ever. */
const LONGEST = 10 * 60_000;

interface Export {
  database: Database;
  userId: string;
  /** What stands before the lists: read already, so that whatever fails at once is still answered as a failure. */
  head: Section;
  /** Whether whoever asked for it still may have it; asked before every page. */
  mayGoOn: () => Promise<boolean>;
}

export interface Exports {
  /**
   * Takes the place of an account.
   * @returns what begins the export, and what gives the place back if it never begins
   * @throws OAuthError `temporarily_unavailable` when all places are taken, or the account has one
   */
  enter(userId: string): { begin: (what: Omit<Export, 'userId'>) => Readable; leave: () => void };
}

/** Reads what an export begins with, and writes down that all of it is taken. */
export async function beginExport(
  database: Database,
  { userId, address }: { userId: string; address: string },
  now: Date,
): Promise<Section | undefined> {
  await recordOwnEvent(database, { kind: 'data_exported', userId, address }, now);
  return readProfile(database, userId);
}

export function openExports(): Exports {
  const open = new Set<string>();
  const line = openLine(READING, OPEN);
  /** The database for what is read: every statement in its turn, on a connection that it gives back. */
  const inTurn = (database: Database): Queryable => ({
    query: async (statement, values) => {
      const rows = await line(
        '',
        (work) => work(),
        () => database.query(statement, values),
      );
      if (typeof rows === 'symbol') throw overloaded(5);
      return rows as never;
    },
  });
  return {
    enter: (userId) => {
      if (open.size >= OPEN || open.has(userId)) throw overloaded(30);
      open.add(userId);
      const leave = () => {
        open.delete(userId);
      };
      const begin = ({ database, head, mayGoOn }: Omit<Export, 'userId'>) => {
        const written = write({ database: inTurn(database), userId, head, mayGoOn });
        // One page ahead of the peer and no more; each waits until the one before it has been taken.
        const stream = Readable.from(written, { objectMode: true, highWaterMark: 1 });
        const tooLong = setTimeout(() => stream.destroy(), LONGEST).unref();
        stream.once('close', () => {
          clearTimeout(tooLong);
          leave();
        });
        return stream;
      };
      return { begin, leave };
    },
  };
}

/** The text of the file, piece by piece. It ends only when it is whole: whatever happens before that is thrown. */
async function* write({
  database,
  userId,
  head,
  mayGoOn,
}: Omit<Export, 'database'> & { database: Queryable }): AsyncGenerator<string, void> {
  yield JSON.stringify(head, null, 2).replace(/\n\}$/, '');
  let list: string | undefined;
  let rowsOfList = 0;
  for await (const page of readLists(database, userId)) {
    if (!(await mayGoOn())) throw new Error('the session of an export ended before it');
    let text = '';
    if (page.list !== list) {
      text += `,\n  ${JSON.stringify(page.list)}: [`;
      rowsOfList = 0;
    }
    list = page.list;
    for (const row of page.rows) text += `${rowsOfList++ === 0 ? '' : ','}\n    ${indented(row)}`;
    if (page.last) text += rowsOfList === 0 ? ']' : '\n  ]';
    yield text;
  }
  yield '\n}\n';
}

/** Within a string of JSON, a line break is two other characters: those that are here stand between values. */
const indented = (row: Section): string => JSON.stringify(row, null, 2).replaceAll('\n', '\n    ');
