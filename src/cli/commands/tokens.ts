// sesame tokens …: names and options; what they do is in tokens.ts.
import type { Command } from 'commander';
import type { Runs } from '../run.ts';
import { revokeAll } from '../tokens.ts';

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
