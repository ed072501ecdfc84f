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

async function distributeTables({ database, warn }: Context, { shards, dryRun }: Options) {
  const plan = dryRun ? await planDistribution(database, shards) : await distribute(database, shards);
  if (plan.workers === 0)
    warn('The cluster has no workers: every shard is on the coordinator until you add some.');
  if (plan.statements.length === 0) warn('Every table is distributed already. There is nothing to do.');
  if (!dryRun) return { columns: ['table', 'distribution', 'distributed'], rows: plan.tables };
  return ['begin', ...plan.statements, 'commit'].map((statement) => `${statement};`).join('\n');
}

export function addDistribute(program: Command, run: Runs): void {
  program
    .command('distribute')
    .description('distribute the tables over the nodes of Citus (docs/scaling.md)')
    .option('--shards <number>', 'shards of each distributed table (default: 32)', shardCount)
    .option('--dry-run', 'only print the SQL')
    .action(run(distributeTables, requireCoordinator));
}
