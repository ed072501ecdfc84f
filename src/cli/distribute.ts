// sesame distribute: distributes the tables over the nodes of Citus.
import { type Command, InvalidArgumentError } from 'commander';
import { distribute, planDistribution, requireCoordinator } from '../store/distribute.ts';
import type { Context } from './context.ts';
import { type Runs, wholeNumber } from './run.ts';

const MAX_SHARDS = 1024;

function shardCount(text: string): number {
  const shards = wholeNumber(text);
  if (shards < 1 || shards > MAX_SHARDS)
    throw new InvalidArgumentError(`Give a number from 1 to ${MAX_SHARDS}.`);
  return shards;
}

interface Options {
  shards?: number;
  dryRun?: true;
}

async function distributeTables({ database }: Context, { shards, dryRun }: Options) {
  await requireCoordinator(database);
  if (!dryRun) {
    const { tables } = await distribute(database, shards);
    return { columns: ['table', 'distribution', 'distributed'], rows: tables };
  }
  const { statements, workers } = await planDistribution(database, shards);
  const warnings = [
    ...(workers === 0
      ? ['The cluster has no workers: every shard is on the coordinator until you add some.']
      : []),
    ...(statements.length === 0 ? ['Every table is distributed already. There is nothing to do.'] : []),
  ];
  return [
    ...warnings.map((warning) => `-- ${warning}`),
    ...['begin', ...statements, 'commit'].map((statement) => `${statement};`),
  ].join('\n');
}

export function addDistribute(program: Command, run: Runs): void {
  program
    .command('distribute')
    .description('distribute the tables over the nodes of Citus (docs/scaling.md)')
    .option('--shards <number>', 'shards of each distributed table (default: 32)', shardCount)
    .option('--dry-run', 'only print the SQL')
    .action(run(distributeTables));
}
