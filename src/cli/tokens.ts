// What the commands of sesame tokens do, and their bounds; options and defaults are in commands/tokens.ts.
import { endEverything } from '../store/users.ts';
import { CommandFault, type Context } from './context.ts';

export async function revokeAll({ database, now }: Context, { yes }: { yes?: boolean }) {
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
