// Streams the audit log as JSON or CSV.
import { Readable } from 'node:stream';
import {
  type EventCursor,
  type EventFilter,
  type EventRow,
  eventToJson,
  listEvents,
} from '../../store/audit-log.ts';
import type { Database } from '../../store/database.ts';

/** A JSON file with this many events is about 3 MB. */
export const MAX_EXPORTED_EVENTS = 5000;
/** A download keeps at most this many events in memory. */
const BATCH_SIZE = 500;
const EXPORT_TIMEOUT = 5 * 60_000;

export type ExportFormat = 'json' | 'csv';

export interface EventExport {
  database: Database;
  filter: EventFilter;
  before: EventCursor | undefined;
  /** The URL of the next download, which starts after `position`. */
  urlAfter: (position: EventCursor) => string;
  /** Returns false to abort the download. */
  mayContinue: () => Promise<boolean>;
}

/** Reads the first batch before the response starts. If reading fails, the client gets an error response. */
export async function startExport(format: ExportFormat, source: EventExport): Promise<Readable> {
  const batches = readBatches(source);
  const first = await batches.next();
  const chunks = format === 'json' ? generateJson(first, batches, source) : generateCsv(first, batches);
  const stream = Readable.from(chunks, { objectMode: true, highWaterMark: 1 });
  const timeout = setTimeout(() => stream.destroy(), EXPORT_TIMEOUT).unref();
  return stream.once('close', () => clearTimeout(timeout));
}

type Batches = AsyncGenerator<EventRow[], EventCursor | undefined, void>;
type Batch = Awaited<ReturnType<Batches['next']>>;

/** Yields the newest events first. Returns the last position if there are more than `MAX_EXPORTED_EVENTS`. */
async function* readBatches({ database, filter, before, mayContinue }: EventExport): Batches {
  let position = before;
  for (let count = 0; count < MAX_EXPORTED_EVENTS; count += BATCH_SIZE) {
    if (!(await mayContinue())) throw new Error('audit log export aborted because the session has ended');
    const rows = await listEvents(database, filter, { before: position, limit: BATCH_SIZE + 1 });
    const batch = rows.slice(0, BATCH_SIZE);
    if (batch.length > 0) yield batch;
    if (rows.length <= BATCH_SIZE) return undefined;
    position = batch.at(-1);
  }
  return position;
}

async function* generateJson(first: Batch, batches: Batches, { urlAfter }: EventExport) {
  let separator = '{"events":[';
  let batch = first;
  for (; !batch.done; batch = await batches.next()) {
    yield separator + batch.value.map((event) => JSON.stringify(eventToJson(event))).join(',');
    separator = ',';
  }
  const next = batch.value === undefined ? null : urlAfter(batch.value);
  yield `${separator === ',' ? '' : separator}],"next":${JSON.stringify(next)}}`;
}

const CSV_COLUMNS: Record<string, (event: EventRow) => string | null> = {
  at: ({ at }) => at.toISOString(),
  kind: ({ kind }) => kind,
  actor_sub: ({ actorId }) => actorId,
  actor_email: ({ actorEmail }) => actorEmail,
  account_sub: ({ userId }) => userId,
  account_email: ({ userEmail }) => userEmail,
  client_id: ({ clientId }) => clientId,
  application_name: ({ clientName }) => clientName,
  api_id: ({ apiId }) => apiId,
  api_name: ({ apiName }) => apiName,
  ip: ({ ip }) => ip,
  detail: ({ detail }) => JSON.stringify(detail),
  id: ({ id }) => id,
};

async function* generateCsv(first: Batch, batches: Batches) {
  yield formatCsvLine(Object.keys(CSV_COLUMNS));
  for (let batch = first; !batch.done; batch = await batches.next())
    yield batch.value
      .map((event) => formatCsvLine(Object.values(CSV_COLUMNS).map((read) => read(event))))
      .join('');
}

/** Spreadsheets treat cells that start with these characters as formulas. The last four are full-width. */
const FORMULA_START = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

/**
 * An apostrophe stops spreadsheets from evaluating a formula. All cells are quoted because some spreadsheets
 * split lines at semicolons.
 */
export const formatCsvLine = (cells: readonly (string | null)[]): string =>
  `${cells
    .map((cell) => {
      const text = cell ?? '';
      return `"${(FORMULA_START.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;
    })
    .join(',')}\r\n`;
