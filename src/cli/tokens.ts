// sesame tokens …: ends everything that was given out.

import type { Command } from 'commander';
import { endEverything } from '../store/users.ts';
import { CommandFault, type Context } from './context.ts';
import type { Runs } from './run.ts';

async function revokeAll({ database, now }: Context, { yes }: { yes?: boolean }) {
  if (!yes)
    throw new CommandFault(
      'This ends every session, code and token of every account, and every token of applications on their own account: everybody has to sign in again. Say --yes if that is what you want.',
    );
  const accounts = await endEverything(database, now);
  return {
    text: `Ended every session, code and token of ${accounts} ${accounts === 1 ? 'account' : 'accounts'}, and every token of applications on their own account.`,
    json: { accounts },
  };
}

export function addTokens(program: Command, run: Runs): void {
  const tokens = program.command('tokens').description('everything that was given out');
  tokens
    .command('revoke-all')
    .description(
      'end every session, code and token at once: of every account, and of applications on their own account',
    )
    .option('--yes', 'yes, everybody has to sign in again')
    .action(run(revokeAll));
}
