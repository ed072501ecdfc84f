// sesame distribute: distributes the tables across the nodes of a Citus cluster.
import { type Command, InvalidArgumentError } from 'commander';
import { distributeOnCitus, planDistribution, requireCoordinator } from '../store/citus-setup.ts';
import type { Context } from './context.ts';
import { type CreateAction, parseWholeNumber } from './run.ts';

const MAX_SHARDS = 1024;

function parseShardCount(text: string): number {
  const shards = parseWholeNumber(text);
  if (shards < 1 || shards > MAX_SHARDS)
    throw new InvalidArgumentError(`Must be a number from 1 to ${MAX_SHARDS}.`);
  return shards;
}

interface DistributeOptions {
  shards?: number;
  dryRun?: true;
}

async function distributeTables({ database }: Context, { shards, dryRun }: DistributeOptions) {
  await requireCoordinator(database);
  if (!dryRun) {
    const { tables } = await distributeOnCitus(database, shards);
    return { columns: ['table', 'distribution', 'distributed'], rows: tables };
  }
  const { statements, workers } = await planDistribution(database, shards);
  const warnings = [
    ...(workers === 0
      ? ['The cluster has no worker nodes. All shards stay on the coordinator until you add worker nodes.']
      : []),
    ...(statements.length === 0 ? ['All tables are already distributed. Nothing to change.'] : []),
  ];
  return [
    ...warnings.map((warning) => `-- ${warning}`),
    ...['begin', ...statements, 'commit'].map((statement) => `${statement};`),
  ].join('\n');
}

export function addDistributeCommand(program: Command, run: CreateAction): void {
  program
    .command('distribute')
    .description('Distribute the tables across the nodes of a Citus cluster (docs/scaling.md)')
    .option('--shards <number>', 'number of shards per distributed table (default: 32)', parseShardCount)
    .option('--dry-run', 'print the SQL without executing it')
    .action(run(distributeTables));
}
