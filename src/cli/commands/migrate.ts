// sesame migrate.
import type { Command } from 'commander';
import type { Runs } from '../run.ts';

export function addMigrate(program: Command, run: Runs): void {
  program
    .command('migrate')
    .description('bring the database up to date')
    .action(
      run(async ({ migrations }) => ({
        text: migrations.length === 0 ? 'The database is up to date.' : `Applied ${migrations.join(', ')}.`,
        json: { applied: migrations },
      })),
    );
}
