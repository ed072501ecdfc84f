// Declares all commands, runs one command, prints its errors and returns the exit code.
import { Command, CommanderError } from 'commander';
import { ConfigError } from '../config.ts';
import { messagesFor } from '../i18n/index.ts';
import { SETTINGS, type SettingKey } from '../settings/table.ts';
import { addAgentCommands } from './agents.ts';
import { addApiCommands } from './apis.ts';
import { addAppCommands } from './apps.ts';
import { addAuditCommand } from './audit.ts';
import { type CliProcess, CommandError } from './context.ts';
import { addDistributeCommand } from './distribute.ts';
import { addExportCommands } from './export.ts';
import { addImportCommands } from './import.ts';
import { addKeyCommands } from './keys.ts';
import { addProviderCommands } from './providers.ts';
import { type CreateAction, createActions, formatExamples } from './run.ts';
import { addTokenCommands } from './tokens.ts';
import { addUserCommands } from './users.ts';

const addMigrateCommand = (program: Command, run: CreateAction): void => {
  program
    .command('migrate')
    .description('Apply pending database migrations')
    .action(run(async ({ appliedMigrations }) => ({ applied: appliedMigrations })));
};

const COMMANDS = [
  addMigrateCommand,
  addUserCommands,
  addImportCommands,
  addExportCommands,
  addAppCommands,
  addApiCommands,
  addAgentCommands,
  addProviderCommands,
  addAuditCommand,
  addTokenCommands,
  addKeyCommands,
  addDistributeCommand,
];

/** Exit code for invalid settings (sysexits.h). */
const EX_CONFIG = 78;
const DEFAULT_COLUMNS = 80;

/**
 * @param args arguments after `sesame`
 * @returns the exit code
 */
export async function runCommand(args: readonly string[], cliProcess: CliProcess): Promise<number> {
  let exitCode = 0;
  const setExitCode = (code: number) => {
    exitCode = code;
  };
  try {
    await createProgram(cliProcess, setExitCode).parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode; // commander has already printed the error
    const messages = error instanceof ConfigError ? error.errors : [describeError(error)];
    for (const message of messages) cliProcess.errors.write(`sesame: ${message}\n`);
    if (error instanceof ConfigError) return EX_CONFIG;
    return error instanceof CommandError ? error.exitCode : 1;
  }
}

function formatSettingsHelp(): string {
  const { explained } = messagesFor('en').operations.settingsOf;
  const lines = (Object.keys(SETTINGS) as SettingKey[]).map(
    (key) => `  ${SETTINGS[key].name.padEnd(26)}${explained[key]}`,
  );
  return ['', 'Environment variables (docs/operations/settings.md):', ...lines].join('\n');
}

/** Each run needs a new program because commander stores parsed options in it. */
function createProgram(cliProcess: CliProcess, onExitCode: (exitCode: number) => void): Command {
  const { output, errors } = cliProcess;
  const program = new Command('sesame')
    .description('Administer a Sésame service. Commands read the same environment variables as the service.')
    .option('--json', 'print JSON instead of a table')
    .addHelpText(
      'after',
      formatExamples(
        'users create --email ada@example.com --name Ada --verified --admin',
        'apps list --json',
        'apps create --help',
      ),
    )
    .addHelpText('after', formatSettingsHelp)
    .showHelpAfterError('Run with --help for usage.')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => output.write(text),
      writeErr: (text) => errors.write(text),
      getOutHelpWidth: () => output.columns ?? DEFAULT_COLUMNS,
      getErrHelpWidth: () => errors.columns ?? DEFAULT_COLUMNS,
    });
  const run = createActions(cliProcess, onExitCode);
  for (const add of COMMANDS) add(program, run);
  for (const command of program.commands.flatMap(listLeafCommands))
    command.option('--json', 'print JSON instead of a table');
  return program;
}

const listLeafCommands = (command: Command): readonly Command[] =>
  command.commands.length === 0 ? [command] : command.commands;

const describeError = (error: unknown): string =>
  error instanceof Error ? error.message || String(error) : String(error);
