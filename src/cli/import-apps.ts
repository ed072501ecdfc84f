// sesame import apps: registers the clients of another service.
import { basename } from 'node:path';
import { type Command, Option } from 'commander';
import { type ClientFormat, type ParsedClient, readClientFile } from '../import/client-files.ts';
import { type ClientVerdict, type ImportOwner, importClient } from '../import/import-clients.ts';
import { createRemark, formatRemark } from '../import/row-remark.ts';
import { UnreadableFileError } from '../import/source.ts';
import { findDataError } from '../import/write-batch.ts';
import { CommandError, type Context } from './context.ts';
import { EXIT_SOME_REFUSED, EXIT_UNREADABLE, openReportFile } from './import-report.ts';
import type { CreateAction } from './run.ts';
import { findNewOwner } from './shared-commands.ts';

interface ImportAppsOptions {
  from: ClientFormat;
  owner?: string;
  dryRun?: boolean;
  report?: string;
}

async function importApps(
  context: Context,
  path: string,
  { from, owner, dryRun = false, report }: ImportAppsOptions,
) {
  const { config, database, now } = context;
  const { clients, source } = await readClientFile(path, from).catch((error: unknown) => {
    throw error instanceof UnreadableFileError ? new CommandError(error.message, EXIT_UNREADABLE) : error;
  });
  if (owner === undefined && from === 'keycloak')
    throw new CommandError('--owner is required because Keycloak clients have no owner.');
  const findOwner = createOwnerLookup(context);
  if (owner !== undefined) await findOwner(owner); // fails once if the owner is unknown, not for every row
  const file = report === undefined ? undefined : await openReportFile(report, path);

  const verdicts: ClientVerdict[] = [];
  const seen = new Set<string>();
  const importOne = async (client: ParsedClient): Promise<ClientVerdict> => {
    if ('verdict' in client)
      return { client_id: client.clientId, verdict: client.verdict, reason: client.reason };
    const { record, notes } = client;
    const { client_id } = record;
    if (seen.has(client_id))
      return { client_id, verdict: 'refused', reason: 'The file contains this client_id twice.' };
    seen.add(client_id);
    const email = owner ?? record.owner;
    if (email === undefined)
      return { client_id, verdict: 'refused', reason: 'The application has no owner. Pass --owner.' };
    try {
      const clientImport = { record, notes, owner: await findOwner(email), source };
      return await importClient(database, clientImport, { production: config.production, dryRun }, now);
    } catch (error) {
      const code = findDataError(error);
      if (code === undefined && !(error instanceof CommandError)) throw error;
      const reason =
        code === undefined ? (error as CommandError).message : formatRemark(createRemark('database', code));
      return { client_id, verdict: 'refused', reason };
    }
  };
  const append = (line: object) => file?.append(`${JSON.stringify(line)}\n`);
  try {
    await append({ import: { at: now, file: basename(path), from, dry_run: dryRun } });
    for (const client of clients) {
      const verdict = await importOne(client);
      verdicts.push(verdict);
      await append(verdict);
    }
    await append({ summary: { dry_run: dryRun, ...countVerdicts(verdicts) } });
  } finally {
    await file?.close();
  }
  const summary = { dry_run: dryRun, ...countVerdicts(verdicts) };
  if (summary.refused > 0) context.exitCode = EXIT_SOME_REFUSED;
  return {
    columns: ['client_id', 'verdict', 'new_client_id', 'remarks'],
    rows: verdicts.map((verdict) => ({ ...verdict })),
    tableRows: [
      ...verdicts.map(({ client_id, reason, notes = [], ...verdict }) => ({
        ...verdict,
        client_id: toPlainText(client_id),
        remarks: toPlainText([reason, ...notes].filter(Boolean).join(' ')),
      })),
      { client_id: '', verdict: formatSummary(summary) },
    ],
  };
}

/** Control characters could change what the terminal shows. */
const toPlainText = (text: string): string => text.slice(0, 1000).replace(/\p{C}+/gu, ' ');

/** Caches owners by email address. */
function createOwnerLookup(context: Context): (email: string) => Promise<ImportOwner> {
  const owners = new Map<string, ImportOwner>();
  return async (email) => {
    const known = owners.get(email);
    if (known !== undefined) return known;
    const owner = { userId: (await findNewOwner(context, email)).userId, email };
    owners.set(email, owner);
    return owner;
  };
}

function countVerdicts(verdicts: readonly ClientVerdict[]) {
  const counts = { created: 0, exists: 0, skipped: 0, refused: 0 };
  for (const { verdict } of verdicts) counts[verdict] += 1;
  return counts;
}

const formatSummary = ({
  dry_run,
  created,
  exists,
  skipped,
  refused,
}: { dry_run: boolean } & ReturnType<typeof countVerdicts>) =>
  `${dry_run ? 'Dry run: ' : ''}${created} created, ${exists} already exist, ${skipped} skipped, ${refused} refused`;

export function addImportAppsCommand(group: Command, run: CreateAction): void {
  group
    .command('apps')
    .description('Import applications. Existing applications do not change')
    .argument('<file>', 'Keycloak realm export (file or directory), or JSONL from sesame export apps')
    .addOption(
      new Option('--from <format>', 'file format').choices(['keycloak', 'jsonl']).makeOptionMandatory(),
    )
    .option('--owner <email>', "email address of the applications' owner (required for Keycloak)")
    .option('--dry-run', 'run all checks without registering applications')
    .option('--report <file>', 'append the results to this file as JSON lines')
    .action(run(importApps));
}
