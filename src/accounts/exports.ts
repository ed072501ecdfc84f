// Streams an account's data export, page by page.
import { Readable } from 'node:stream';
import { overloaded } from '../oauth/errors.ts';
import type { Database } from '../store/database.ts';
import { recordOwnEvent } from '../store/events.ts';
import { readLists, readProfile, type Section } from '../store/exported-data.ts';

/** Maximum concurrent exports of a process: each keeps a page of rows in memory. An account has one at a time. */
const MAX_EXPORTS = 50;
/** Milliseconds after which an unfinished export is cut off. */
const EXPORT_TIMEOUT = 10 * 60_000;

export interface Exporting {
  userId: string;
  address: string;
  issuer: string;
  /** Whether the user may still have it; checked before every page. */
  mayContinue: () => Promise<boolean>;
}

/**
 * Makes the function that starts an export, in the audit log.
 * @throws OAuthError `temporarily_unavailable` when the process has too many, or the account has one
 */
export function openExports(): (database: Database, what: Exporting, now: Date) => Promise<Readable> {
  const open = new Set<string>();
  return async (database, what, now) => {
    const { userId, address, issuer } = what;
    if (open.size >= MAX_EXPORTS || open.has(userId)) throw overloaded(30);
    open.add(userId);
    try {
      await recordOwnEvent(database, { kind: 'data_exported', userId, address }, now);
      // Read before the response begins, so that a failure is still shown as one.
      const head = { issuer, exported_at: now, profile: await readProfile(database, userId) };
      // One page ahead of the peer and no more.
      const stream = Readable.from(write(database, head, what), { objectMode: true, highWaterMark: 1 });
      const tooLong = setTimeout(() => stream.destroy(), EXPORT_TIMEOUT).unref();
      return stream.once('close', () => {
        clearTimeout(tooLong);
        open.delete(userId);
      });
    } catch (error) {
      open.delete(userId);
      throw error;
    }
  };
}

/** The text of the file, piece by piece. It ends only when it is whole: whatever happens before that is thrown. */
async function* write(
  database: Database,
  head: Section,
  { userId, mayContinue }: Exporting,
): AsyncGenerator<string, void> {
  yield JSON.stringify(head, null, 2).replace(/\n\}$/, '');
  let list: string | undefined;
  let rowsOfList = 0;
  for await (const page of readLists(database, userId)) {
    if (!(await mayContinue())) throw new Error('the session of an export ended before it');
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
