// sesame tokens …: revokes everything.
import type { Command } from 'commander';
import { endEverything } from '../store/moderation.ts';
import { CommandFault, type Context } from './context.ts';
import type { Runs } from './run.ts';

async function revokeAll({ database, now }: Context, { yes }: { yes?: boolean }) {
  if (!yes)
    throw new CommandFault(
      'This ends every session, code and token of every account, and every token of applications on their own account: everybody has to sign in again. Say --yes if that is what you want.',
    );
  return { accounts: await endEverything(database, now) };
}

export function addTokens(program: Command, run: Runs): void {
  program
    .command('tokens')
    .description('codes and tokens')
    .command('revoke-all')
    .description('end every session, code and token of all accounts and applications')
    .option('--yes', 'yes, everybody has to sign in again')
    .action(run(revokeAll));
}
