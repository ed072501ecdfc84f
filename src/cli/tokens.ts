// sesame tokens: revokes all sessions, codes and tokens.
import type { Command } from 'commander';
import { revokeAllAccess } from '../store/admin-actions.ts';
import { CommandError, type Context } from './context.ts';
import type { CreateAction } from './run.ts';

async function revokeAll({ database, now }: Context, { yes }: { yes?: boolean }) {
  if (!yes)
    throw new CommandError(
      'This revokes all sessions, codes and tokens. All users must sign in again. To confirm, add --yes.',
    );
  return { accounts: await revokeAllAccess(database, now) };
}

export function addTokenCommands(program: Command, run: CreateAction): void {
  program
    .command('tokens')
    .description('Revoke tokens')
    .command('revoke-all')
    .description('Revoke all sessions, codes and tokens')
    .option('--yes', 'confirm the revocation')
    .action(run(revokeAll));
}
