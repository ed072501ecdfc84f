// sesame import: imports accounts from other services.
import { availableParallelism } from 'node:os';
import { basename } from 'node:path';
import { type Command, CommanderError, Option } from 'commander';
import { createPasswordHasher } from '../credentials/password-hashing.ts';
import { importUsers } from '../import/import-users.ts';
import { openSource } from '../import/open-source.ts';
import { formatHeader, formatSummary, formatVerdict } from '../import/report.ts';
import { formatRemark, type NoteCode, type RowVerdict } from '../import/row-remark.ts';
import { SOURCE_FORMATS, type SourceFormat, UnreadableFileError } from '../import/source.ts';
import { buildUserRecordJsonSchema } from '../import/user-record.ts';
import { CommandError, type Context } from './context.ts';
import { addImportAppsCommand } from './import-apps.ts';
import {
  EXIT_SOME_REFUSED,
  EXIT_UNREADABLE,
  MAX_PRINTED_REFUSALS,
  openReportFile,
  printRefusedRows,
} from './import-report.ts';
import { createProgress } from './progress.ts';
import { type CreateAction, formatExamples, formatText } from './run.ts';

const EXIT_INTERRUPTED = 130;

interface ImportOptions {
  from: SourceFormat;
  hashConfig?: string;
  keepIds?: boolean;
  dryRun?: boolean;
  report?: string;
}

async function importFile(context: Context, file: string, options: ImportOptions) {
  const { from, keepIds = false, dryRun = false } = options;
  const report = options.report === undefined ? undefined : await openReportFile(options.report, file);
  const controller = new AbortController();
  const abortImport = () => controller.abort();
  process.once('SIGINT', abortImport);
  const progress = createProgress(context.errors);
  const refused: RowVerdict[] = [];
  const remarks = new Map<NoteCode, number>();
  try {
    const source = await openSource(from, file, options);
    try {
      const services = {
        database: context.database,
        sealer: await context.sealer(),
        hasher: await createPasswordHasher(undefined, availableParallelism()),
        now: () => new Date(),
      };
      await report?.append(formatHeader({ file: basename(file), from, keepIds, dryRun, at: context.now }));
      const importOptions = { from, keepIds, dryRun, signal: controller.signal, onProgress: progress.show };
      const summary = await importUsers(services, source, importOptions, async (verdicts) => {
        await report?.append(verdicts.map(formatVerdict).join(''));
        for (const verdict of verdicts)
          if (verdict.verdict === 'refused' && refused.length < MAX_PRINTED_REFUSALS) refused.push(verdict);
        for (const { code } of verdicts.flatMap(({ notes = [] }) => notes))
          remarks.set(code, (remarks.get(code) ?? 0) + 1);
      });
      await report?.append(formatSummary({ ...summary, dryRun }));
      progress.end();
      printRefusedRows(context, refused, summary.refused);
      if (summary.stopped)
        throw new CommandError(
          `Stopped after ${summary.rows} rows. To continue, run the same command again. Existing accounts are left unchanged.`,
          EXIT_INTERRUPTED,
        );
      if (summary.refused > 0) context.exitCode = EXIT_SOME_REFUSED;
      const { rows, created, exists } = summary;
      const sums = { rows, created, exists, refused: summary.refused, dry_run: dryRun };
      const hasDetails = remarks.size > 0 || summary.refused > 0;
      const hint = hasDetails && report === undefined ? ['', 'For details, pass --report FILE.'] : [];
      return {
        text: [formatText(sums), ...formatCounts(remarks), ...hint].join('\n'),
        json: { ...sums, remarks: Object.fromEntries(remarks) },
      };
    } finally {
      await source.close();
    }
  } catch (error) {
    if (!(error instanceof UnreadableFileError)) throw error;
    throw new CommandError(error.message, error.code === 'file_changed' ? 1 : EXIT_UNREADABLE);
  } finally {
    progress.end();
    process.off('SIGINT', abortImport);
    await report?.close();
  }
}

function formatCounts(remarks: ReadonlyMap<NoteCode, number>): string[] {
  if (remarks.size === 0) return [];
  const lines = [...remarks].map(
    ([code, count]) => `${count} × ${formatRemark({ code, detail: '…' })} (${code})`,
  );
  return ['', 'Remarks:', ...lines];
}

export function addImportCommands(program: Command, run: CreateAction): void {
  const group = program
    .command('import')
    .description('Import accounts and applications from other services (docs/import.md)');
  addImportAppsCommand(group, run);
  const users = group
    .command('users')
    .description(
      'Import accounts. Existing accounts do not change, so you can repeat an interrupted import. Exit codes: 0 no rows refused, 2 unreadable file (nothing written), 3 some rows refused',
    )
    .argument('<file>', 'exported file (Keycloak: file or directory)')
    .addOption(new Option('--from <format>', 'file format').choices(SOURCE_FORMATS).makeOptionMandatory())
    .option('--hash-config <file>', 'file with the password hash parameters from the Firebase console')
    .option('--keep-ids', 'keep the account IDs (sub), which must be UUIDs')
    .option('--dry-run', 'run all checks without writing anything')
    .option('--report <file>', 'append the results to this file as JSON lines')
    .option('--print-schema', 'print the JSON Schema for one line of JSONL')
    .addHelpText(
      'after',
      formatExamples(
        'import users realm.json --from keycloak --dry-run',
        'import users realm.json --from keycloak --keep-ids --report report.jsonl',
        'import users users.json --from firebase --hash-config hash-config.json',
        'import users users.csv --from csv',
      ),
    )
    .action(run(importFile));
  users.on('option:print-schema', () => {
    users.configureOutput().writeOut?.(`${JSON.stringify(buildUserRecordJsonSchema(), null, 2)}\n`);
    throw new CommanderError(0, 'sesame.printSchema', '');
  });
}
