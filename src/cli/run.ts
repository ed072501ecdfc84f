// Runs a command and prints its result as a table or as JSON.
import { type Command, InvalidArgumentError } from 'commander';
import { cleanName } from '../accounts/account-fields.ts';
import { type CliProcess, type Context, openContext } from './context.ts';

/** A string is printed unchanged. */
export type CommandResult = Record<string, unknown> | RowsResult | TextResult | string;
/** The table shows only `columns`. The JSON contains all properties. */
interface RowsResult {
  rows: Record<string, unknown>[];
  columns: readonly string[];
  /** Default: `rows`. */
  tableRows?: Record<string, unknown>[];
}

interface TextResult {
  text: string;
  json: Record<string, unknown>;
}

/** Returns undefined if the command has already written its output. */
type CommandHandler<Arguments extends unknown[]> = (
  context: Context,
  ...values: Arguments
) => Promise<CommandResult | undefined>;

export type CreateAction = <Arguments extends unknown[]>(
  work: CommandHandler<Arguments>,
) => (...values: [...Arguments, Command]) => Promise<void>;

export const createActions =
  (cliProcess: CliProcess, onExitCode: (exitCode: number) => void): CreateAction =>
  <Arguments extends unknown[]>(work: CommandHandler<Arguments>) =>
  async (...values: [...Arguments, Command]) => {
    const command = values.pop() as Command;
    const context = await openContext(cliProcess);
    try {
      const result = await work(context, ...(values as unknown as Arguments));
      const asJson = command.optsWithGlobals<{ json?: boolean }>().json;
      if (result !== undefined) {
        const text = asJson
          ? JSON.stringify(
              isRowsResult(result) ? result.rows : isTextResult(result) ? result.json : result,
              null,
              2,
            )
          : formatText(result);
        cliProcess.output.write(`${text}\n`);
      }
      onExitCode(context.exitCode);
    } finally {
      await context.close();
    }
  };

const isRowsResult = (result: CommandResult): result is RowsResult =>
  typeof result === 'object' && 'columns' in result;

const isTextResult = (result: CommandResult): result is TextResult =>
  typeof result === 'object' && 'text' in result && 'json' in result;

export function formatText(result: CommandResult): string {
  if (typeof result === 'string') return result;
  if (isTextResult(result)) return result.text;
  if (isRowsResult(result)) {
    const { columns, rows, tableRows = rows } = result;
    return formatTable(
      columns,
      tableRows.map((row) => columns.map((column) => formatCell(row[column]))),
    );
  }
  const [firstRow = [], ...otherRows] = Object.entries(result).flatMap(([name, value]) =>
    isObjectArray(value) ? value.map((item) => [name, formatCell(item)]) : [[name, formatCell(value)]],
  );
  return formatTable(firstRow, otherRows);
}

const isObjectArray = (value: unknown): value is object[] =>
  Array.isArray(value) && typeof value[0] === 'object';

function formatCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.join(' ') || 'none';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

export function formatTable(headings: readonly string[], rows: readonly string[][]): string {
  const lines = [headings, ...rows];
  const widths = headings.map((_, column) => Math.max(...lines.map((row) => row[column]?.length ?? 0)));
  return lines
    .map((row) =>
      row
        .map((text, column) => text.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

export function parseWholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('Must be a whole number.');
  return Number(text);
}

export function addModerationCommands<Action extends string>(
  parent: Command,
  run: CreateAction,
  argument: string,
  commands: readonly (readonly [name: string, action: Action, description: string])[],
  work: (action: Action, id: string, by: { reason?: string }, context: Context) => Promise<CommandResult>,
): void {
  for (const [name, action, description] of commands)
    parent
      .command(name)
      .description(description)
      .argument(argument)
      .option('--reason <text>', 'reason for the audit log')
      .action(
        run((context: Context, id: string, options: { reason?: string }) =>
          work(action, id, cleanReason(options), context),
        ),
      );
}

export const cleanReason = ({ reason }: { reason?: string }): { reason?: string } =>
  reason ? { reason: cleanName(reason) } : {};

export const formatExamples = (...commands: string[]): string =>
  ['', 'Examples:', ...commands.map((command) => `  $ sesame ${command}`)].join('\n');
