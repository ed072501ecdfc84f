// Imports accounts in batches. A first pass checks the file, and a second pass writes the accounts.
import { recordEvent } from '../store/audit-log.ts';
import { listProviders } from '../store/identity-providers.ts';
import type { RowVerdict } from './row-remark.ts';
import { type Source, type SourceFormat, type SourceRow, UnreadableFileError } from './source.ts';
import { type Candidate, createRowCheck } from './validate-user.ts';
import { type ImportServices, writeBatch } from './write-batch.ts';

export interface ImportOptions {
  from: SourceFormat;
  /** Keeps the `sub` values of the records. By default, accounts get new IDs. */
  keepIds?: boolean | undefined;
  dryRun?: boolean | undefined;
  signal?: AbortSignal | undefined;
  /** The administrator, for the audit log. Undefined on the command line. */
  actorId?: string | undefined;
  onProgress?: ((progress: ImportProgress) => void) | undefined;
}

export interface ImportProgress {
  phase: 'check' | 'import';
  rows: number;
  /** Undefined while the file is being checked. */
  total?: number;
}

export interface ImportSummary {
  rows: number;
  created: number;
  exists: number;
  refused: number;
  stopped: boolean;
}

const BATCH_SIZE = 500;

/**
 * Imports accounts. Existing accounts are never changed, so an interrupted import can be repeated.
 * @param report called with the verdicts of each batch, in order, after the batch was committed
 * @throws UnreadableFileError if the file is malformed (nothing is written) or changes (earlier batches are kept)
 */
export async function importUsers(
  services: ImportServices,
  source: Source,
  { from, keepIds = false, dryRun = false, signal, actorId, onProgress = () => {} }: ImportOptions,
  report: (verdicts: readonly RowVerdict[]) => Promise<void>,
): Promise<ImportSummary> {
  const { database } = services;
  const total = await checkFile(source, (rows) => onProgress({ phase: 'check', rows }), signal);
  const providers = new Map(
    (await listProviders(database)).map(({ issuer, providerId }) => [issuer, providerId]),
  );
  const checkRow = createRowCheck({ keepIds, providers, total, now: services.now() });
  const run = { from, actorId, keepIds, dryRun };
  const summary = { rows: 0, created: 0, exists: 0, refused: 0, stopped: false };
  try {
    for await (const rows of splitIntoBatches(source.rows())) {
      if (signal?.aborted) return { ...summary, stopped: true };
      await source.assertUnchanged();
      const checked = rows.map(checkRow);
      const written = await writeBatch(
        services,
        checked.filter((result) => 'user' in result),
        run,
      );
      const verdicts = mergeVerdicts(checked, written);
      for (const { verdict } of verdicts) summary[verdict] += 1;
      summary.rows += verdicts.length;
      await report(verdicts);
      onProgress({ phase: 'import', rows: summary.rows, total });
    }
    return summary;
  } finally {
    const { created, exists, refused } = summary;
    if (!dryRun && created > 0) {
      const detail = { from, created, exists, refused };
      await recordEvent(database, { kind: 'accounts_imported', actorId, detail }, services.now());
    }
  }
}

async function checkFile(
  source: Source,
  onProgress: (rows: number) => void,
  signal: AbortSignal | undefined,
): Promise<number> {
  let [rows, readable] = [0, 0];
  for await (const { record, refusals = [] } of source.rows()) {
    rows += 1;
    if (record !== undefined || refusals.some(({ code }) => code === 'service_account')) readable += 1;
    if (rows % BATCH_SIZE === 0) onProgress(rows);
    if (signal?.aborted) break;
  }
  if (rows === 0) throw new UnreadableFileError('no_users');
  if (readable === 0) throw new UnreadableFileError('no_readable_row');
  return rows;
}

async function* splitIntoBatches(rows: AsyncIterable<SourceRow>): AsyncGenerator<SourceRow[]> {
  let batch: SourceRow[] = [];
  for await (const row of rows) {
    batch.push(row);
    if (batch.length < BATCH_SIZE) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

function mergeVerdicts(
  checked: readonly (Candidate | RowVerdict)[],
  written: readonly RowVerdict[],
): RowVerdict[] {
  const remaining = written.values();
  return checked.flatMap((result) => ('user' in result ? (remaining.next().value ?? []) : result));
}
