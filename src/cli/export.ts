// sesame export: writes accounts and clients as JSONL, which sesame import reads.
import { open, rm } from 'node:fs/promises';
import type { Command } from 'commander';
import { exportClients } from '../import/export-clients.ts';
import { exportUsers } from '../import/export-users.ts';
import { recordEvent } from '../store/audit-log.ts';
import { CommandError, type Context } from './context.ts';
import { type CreateAction, formatExamples } from './run.ts';

interface ExportOptions {
  withHashes?: boolean;
  output?: string;
}

const EXPORTS = {
  users: {
    event: 'accounts_exported',
    lines: async (context: Context, withHashes: boolean) =>
      exportUsers(context.database, await context.sealer(), { withHashes }),
    description: 'Export all accounts as JSONL for sesame import users --from jsonl',
    hashes: 'include password hashes, authenticator app secrets, passkeys and recovery code hashes',
  },
  apps: {
    event: 'applications_exported',
    lines: async (context: Context, withHashes: boolean) =>
      exportClients(context.database, { withHashes }, context.now),
    description: 'Export all applications as JSONL for sesame import apps --from jsonl',
    hashes: 'include client secret hashes',
  },
} as const;

const exportCommand =
  (kind: keyof typeof EXPORTS) =>
  async (context: Context, { withHashes = false, output }: ExportOptions) => {
    const { event, lines } = EXPORTS[kind];
    const pages = await lines(context, withHashes);
    // Recorded before the export so that the audit log also shows interrupted exports.
    const recordExport = () =>
      recordEvent(context.database, { kind: event, detail: { hashes: withHashes } }, context.now);
    if (output !== undefined) return writeFile(output, pages, recordExport);
    await recordExport();
    for await (const page of pages) if (page.length > 0) context.output.write(`${page.join('\n')}\n`);
    return undefined;
  };

/** Creates a file that only its owner can read. Deletes it if the export fails. */
async function writeFile(path: string, pages: AsyncGenerator<string[]>, recordExport: () => Promise<void>) {
  const file = await open(path, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(
      error.code === 'EEXIST'
        ? `${path} already exists. Choose another file name.`
        : `Can't write ${path}: ${error.code}.`,
    );
  });
  try {
    await recordExport();
    let exported = 0;
    for await (const page of pages) {
      exported += page.length;
      if (page.length > 0) await file.appendFile(`${page.join('\n')}\n`);
    }
    await file.sync();
    return { output: path, exported };
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}

export function addExportCommands(program: Command, run: CreateAction): void {
  const group = program
    .command('export')
    .description('Export accounts and applications')
    .addHelpText(
      'after',
      formatExamples('export users --with-hashes --output users.jsonl', 'export apps | wc -l'),
    );
  for (const kind of ['users', 'apps'] as const)
    group
      .command(kind)
      .description(EXPORTS[kind].description)
      .option('--with-hashes', EXPORTS[kind].hashes)
      .option('--output <file>', 'write to a new file instead of standard output')
      .action(run(exportCommand(kind)));
}
