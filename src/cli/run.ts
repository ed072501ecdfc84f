// Runs a command and prints its result: JSON for programs, the same as a table for people.
import { type Command, InvalidArgumentError } from 'commander';
import { cleanName } from '../accounts/account-fields.ts';
import { type Context, openContext, type Surroundings } from './context.ts';

/** A string is printed as it is. */
export type Result = Record<string, unknown> | Rows | string;
/** A list; the table shows some of the columns. */
interface Rows {
  rows: Record<string, unknown>[];
  columns: readonly string[];
  /** The rows of the table where they are shorter. */
  short?: Record<string, unknown>[];
}

type Work<Arguments extends unknown[]> = (context: Context, ...values: Arguments) => Promise<Result>;

/** Turns the work of a command into a commander action. */
export type Runs = <Arguments extends unknown[]>(
  work: Work<Arguments>,
) => (...values: [...Arguments, Command]) => Promise<void>;

export const runsIn =
  (surroundings: Surroundings): Runs =>
  <Arguments extends unknown[]>(work: Work<Arguments>) =>
  async (...values: [...Arguments, Command]) => {
    const command = values.pop() as Command;
    const context = await openContext(surroundings);
    try {
      const result = await work(context, ...(values as unknown as Arguments));
      const asJson = command.optsWithGlobals<{ json?: boolean }>().json;
      const text = asJson ? JSON.stringify(isList(result) ? result.rows : result, null, 2) : inText(result);
      surroundings.output.write(`${text}\n`);
    } finally {
      await context.close();
    }
  };

const isList = (result: Result): result is Rows => typeof result === 'object' && 'columns' in result;

function inText(result: Result): string {
  if (typeof result === 'string') return result;
  if (isList(result)) {
    const { columns, rows, short = rows } = result;
    return table(
      columns,
      short.map((row) => columns.map((column) => cell(row[column]))),
    );
  }
  const [first = [], ...others] = Object.entries(result).flatMap(([name, value]) =>
    isRows(value) ? value.map((one) => [name, cell(one)]) : [[name, cell(value)]],
  );
  return table(first, others);
}

const isRows = (value: unknown): value is object[] => Array.isArray(value) && typeof value[0] === 'object';

function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.join(' ') || 'none';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Rows below their headings, each column as wide as its widest value. */
export function table(headings: readonly string[], rows: readonly string[][]): string {
  const all = [headings, ...rows];
  const widths = headings.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all
    .map((row) =>
      row
        .map((text, column) => text.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Parses an option. @throws InvalidArgumentError, which commander prints with the option's name */
export function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('Give a whole number.');
  return Number(text);
}

/** Declares commands that take the name of one row and a reason for the audit log. */
export function addModeration<Action extends string>(
  parent: Command,
  run: Runs,
  argument: string,
  commands: readonly (readonly [name: string, action: Action, description: string])[],
  work: (action: Action, id: string, by: { reason?: string }, context: Context) => Promise<Result>,
): void {
  for (const [name, action, description] of commands)
    parent
      .command(name)
      .description(description)
      .argument(argument)
      .option('--reason <words>', 'why, for the audit log')
      .action(
        run((context: Context, id: string, options: { reason?: string }) =>
          work(action, id, reasonOf(options), context),
        ),
      );
}

/** The reason of a command, as the audit log keeps it. */
export const reasonOf = ({ reason }: { reason?: string }): { reason?: string } =>
  reason ? { reason: cleanName(reason) } : {};
