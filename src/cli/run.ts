// How a command runs: it opens the service's database, does its work, says what came of it, and closes all it opened.
import type { Command } from 'commander';
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
