// Parses the benchmark's command line.
import { Command, InvalidArgumentError } from 'commander';

const createNumberParser =
  (min: number, isInteger = false) =>
  (text: string): number => {
    const value = Number(text);
    if (text.trim() !== '' && value >= min && value < Infinity && (!isInteger || Number.isInteger(value)))
      return value;
    throw new InvalidArgumentError(`Must be ${isInteger ? 'an integer' : 'a number'} of at least ${min}.`);
  };

const command = new Command('npm run bench --')
  .description('Measure the cost of each operation of the service. Takes about seven minutes.')
  .option(
    '--rows <count>',
    'number of live grants to insert before the measurements',
    createNumberParser(0, true),
    0,
  )
  .option('--seconds <seconds>', 'duration of each measurement', createNumberParser(0), 4)
  .option('--warm-up <seconds>', 'duration of each warm-up', createNumberParser(0), 5)
  .option('--repeats <count>', 'number of measurements of each operation', createNumberParser(1, true), 3)
  .option('--only <names>', 'run only operations whose names contain one of these comma-separated strings')
  .option('--shared-buffers <size>', "PostgreSQL's shared_buffers, such as 2GB")
  .option('--json <file>', 'also write the results as JSON')
  .option('--flags <sets>', 'for bench:memory: semicolon-separated sets of V8 flags to compare')
  .showHelpAfterError('Run with --help for the options.')
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

export const exitWithError = (message: string): never => command.error(`error: ${message}`);

export const options = {
  ...values,
  // V8 optimizes a function only after many calls.
  warmUp: { seconds: values.warmUp, operations: 1_000 },
  flags: values.flags?.split(';').map((flags) => flags.split(' ').filter((flag) => flag !== '')),
  only: values.only?.split(',').filter((name) => name !== '') ?? [],
};
