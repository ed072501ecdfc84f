// The benchmark's command line.
import { Command, InvalidArgumentError } from 'commander';

/** A number that is not below `least`. */
const atLeast =
  (least: number, whole = false) =>
  (text: string): number => {
    const value = Number(text);
    if (text.trim() !== '' && value >= least && value < Infinity && (!whole || Number.isInteger(value)))
      return value;
    throw new InvalidArgumentError(`A ${whole ? 'whole number' : 'number'} from ${least} on is needed.`);
  };

const command = new Command('npm run bench --')
  .description('Measures what each operation of the service costs; takes about seven minutes.')
  .option('--rows <count>', 'live grants to fill in first', atLeast(0, true), 0)
  .option('--seconds <seconds>', 'how long each measurement takes', atLeast(0), 4)
  .option('--warm-up <seconds>', 'how long each operation is warmed up', atLeast(0), 5)
  .option('--repeats <count>', 'how many measurements of each operation', atLeast(1, true), 3)
  .option('--only <names>', 'operations whose names contain one of these, separated by commas')
  .option('--shared-buffers <size>', "PostgreSQL's shared_buffers, such as 2GB")
  .option('--json <file>', 'write the same figures for a program')
  .option('--flags <sets>', 'for bench:memory: sets of V8 flags to compare, separated by semicolons')
  .showHelpAfterError('(--help lists the options)')
  .allowExcessArguments(false)
  .parse();
const values = command.opts<{
  rows: number;
  seconds: number;
  warmUp: number;
  repeats: number;
  only?: string;
  sharedBuffers?: string;
  json?: string;
  flags?: string;
}>();

/** Ends the run with what is wrong with its options. */
export const refuse = (fault: string): never => command.error(`error: ${fault}`);

/**
 * Warming up is long enough, and often enough, for V8 to have compiled what is measured: it counts how often it has run a
 * function.
 */
export const options = {
  ...values,
  warmUp: { seconds: values.warmUp, operations: 1_000 },
  flags: values.flags?.split(';').map((flags) => flags.split(' ').filter((flag) => flag !== '')),
  only: values.only?.split(',').filter((name) => name !== '') ?? [],
};
