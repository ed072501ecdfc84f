// Streams an account's data export, page by page.
import { Readable } from 'node:stream';
import { overloaded } from '../oauth/errors.ts';
import { recordOwnEvent } from '../store/audit-log.ts';
import { type ExportSection, exportLists, exportProfile } from '../store/data-export.ts';
import type { Database } from '../store/database.ts';

/** Maximum concurrent exports per process. Each holds one page of rows in memory. */
const MAX_EXPORTS = 50;
/** Milliseconds. */
const EXPORT_TIMEOUT = 10 * 60_000;

export interface ExportRequest {
  userId: string;
  ip: string;
  issuer: string;
  /** Called before each page is read. The export is aborted if this returns false. */
  mayContinue: () => Promise<boolean>;
}

/**
 * Creates a function that starts an export and records it in the audit log.
 * @throws OAuthError `temporarily_unavailable` (from the created function) if an export of this account or too many
 *   others are running
 */
export function createExporter(): (
  database: Database,
  request: ExportRequest,
  now: Date,
) => Promise<Readable> {
  const running = new Set<string>();
  return async (database, request, now) => {
    const { userId, ip, issuer } = request;
    if (running.size >= MAX_EXPORTS || running.has(userId)) throw overloaded(30);
    running.add(userId);
    try {
      await recordOwnEvent(database, { kind: 'data_exported', userId, ip }, now);
      // Read the profile first so that a failure still produces an error response.
      const head = { issuer, exported_at: now, profile: await exportProfile(database, userId) };
      const stream = Readable.from(generateJson(database, head, request), {
        objectMode: true,
        highWaterMark: 1,
      });
      const timeout = setTimeout(() => stream.destroy(), EXPORT_TIMEOUT).unref();
      return stream.once('close', () => {
        clearTimeout(timeout);
        running.delete(userId);
      });
    } catch (error) {
      running.delete(userId);
      throw error;
    }
  };
}

/** Errors abort the response, so a truncated export can't look complete. */
async function* generateJson(
  database: Database,
  head: ExportSection,
  { userId, mayContinue }: ExportRequest,
): AsyncGenerator<string, void> {
  yield JSON.stringify(head, null, 2).replace(/\n\}$/, '');
  let currentList: string | undefined;
  let rowCount = 0;
  for await (const page of exportLists(database, userId)) {
    if (!(await mayContinue())) throw new Error('data export aborted because the session has ended');
    let text = '';
    if (page.list !== currentList) {
      text += `,\n  ${JSON.stringify(page.list)}: [`;
      rowCount = 0;
    }
    currentList = page.list;
    for (const row of page.rows) text += `${rowCount++ === 0 ? '' : ','}\n    ${formatRow(row)}`;
    if (page.last) text += rowCount === 0 ? ']' : '\n  ]';
    yield text;
  }
  yield '\n}\n';
}

const formatRow = (row: ExportSection): string => JSON.stringify(row, null, 2).replaceAll('\n', '\n    ');
