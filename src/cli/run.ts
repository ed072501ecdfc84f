// What commands share: running one on the service's database, tables, numbers.
import { type Command, InvalidArgumentError } from 'commander';
import { type Context, openContext, type Surroundings } from './context.ts';

/** What a command does; it gives a sentence for people, and the same as JSON. */
type Work<Arguments extends unknown[]> = (
  context: Context,
  ...values: Arguments
) => Promise<{ text: string; json: unknown }>;

/** Makes what commander calls out of what a command does. */
export type Runs = <Arguments extends unknown[]>(
  work: Work<Arguments>,
) => (...values: [...Arguments, Command]) => Promise<void>;

/** Prints what a command gives: the sentence, JSON on request. */
export const runsIn =
  (surroundings: Surroundings): Runs =>
  <Arguments extends unknown[]>(work: Work<Arguments>) =>
  async (...values: [...Arguments, Command]) => {
    const command = values.pop() as Command;
    const context = await openContext(surroundings);
    try {
      const { text, json } = await work(context, ...(values as unknown as Arguments));
      const asJson = command.optsWithGlobals<{ json?: boolean }>().json;
      surroundings.output.write(`${asJson ? JSON.stringify(json, null, 2) : text}\n`);
    } finally {
      await context.close();
    }
  };

/** Rows below their headings, each column as wide as its widest value. */
export function table(headings: string[], rows: string[][]): string {
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => (row[column] ?? '').length)),
  );
  return [headings, ...rows]
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
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
