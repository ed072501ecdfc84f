// The operator's command line as a function of its surroundings: every command, and what is said where one fails.
import { Command, CommanderError } from 'commander';
import { ConfigError } from '../config.ts';
import { messagesFor } from '../i18n/index.ts';
import { SETTINGS, type SettingKey } from '../settings/table.ts';
import { addAgents } from './agents.ts';
import { addApis } from './apis.ts';
import { addApps } from './apps.ts';
import { addAudit } from './audit.ts';
import type { Surroundings } from './context.ts';
import { addDistribute } from './distribute.ts';
import { addKeys } from './keys.ts';
import { type Runs, runsIn } from './run.ts';
import { addTokens } from './tokens.ts';
import { addUsers } from './users.ts';

const addMigrate = (program: Command, run: Runs): void => {
  program
    .command('migrate')
    .description('bring the database up to date')
    .action(run(async ({ migrations }) => ({ applied: migrations })));
};

/** In the order of `--help`. */
const COMMANDS = [
  addMigrate,
  addUsers,
  addApps,
  addApis,
  addAgents,
  addAudit,
  addTokens,
  addKeys,
  addDistribute,
];

/** The exit code for settings that cannot be used (sysexits.h). */
const EX_CONFIG = 78;
/** How wide help is where the output is no terminal. */
const COLUMNS = 80;

/**
 * Runs one command to its end; nothing of it is left open.
 * @param args what stands after `sesame`
 * @returns the exit code
 */
export async function runCommand(args: readonly string[], surroundings: Surroundings): Promise<number> {
  try {
    await makeProgram(surroundings).parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode; // who has said it already
    const faults = error instanceof ConfigError ? error.faults : [reasonOf(error)];
    for (const fault of faults) surroundings.errors.write(`sesame: ${fault}\n`);
    return error instanceof ConfigError ? EX_CONFIG : 1;
  }
}

/** The settings, for `sesame --help`. */
function settingsHelp(): string {
  const { explained } = messagesFor('en').operations.settingsOf;
  const lines = (Object.keys(SETTINGS) as SettingKey[]).map(
    (key) => `  ${SETTINGS[key].name.padEnd(26)}${explained[key]}`,
  );
  return ['', 'Settings, as environment variables (docs/operations/settings.md):', ...lines].join('\n');
}

/** Made for each run: commander keeps what it has parsed. */
function makeProgram(surroundings: Surroundings): Command {
  const { output, errors } = surroundings;
  const program = new Command('sesame')
    .description('Looks after a Sésame service. It uses the same settings as the service itself.')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', settingsHelp)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => output.write(text),
      writeErr: (text) => errors.write(text),
      getOutHelpWidth: () => output.columns ?? COLUMNS,
      getErrHelpWidth: () => errors.columns ?? COLUMNS,
    });
  const run = runsIn(surroundings);
  for (const add of COMMANDS) add(program, run);
  for (const command of program.commands.flatMap(leavesOf))
    command.option('--json', 'print the result as JSON');
  return program;
}

/** The commands that do something, below those that only gather. */
const leavesOf = (command: Command): readonly Command[] =>
  command.commands.length === 0 ? [command] : command.commands;

const reasonOf = (error: unknown): string =>
  error instanceof Error ? error.message || String(error) : String(error);
