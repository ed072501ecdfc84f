// sesame keys …: lists and rotates signing keys.
import type { Command } from 'commander';
import { LEAD } from '../keys/rotation.ts';
import { listSigningKeys, replaceSigningKeys, rotateSigningKeys } from '../keys/signing-keys.ts';
import { CommandFault, type Context } from './context.ts';
import { type Runs, wholeNumber } from './run.ts';

const listKeys = async ({ database, sealer, now }: Context) => ({
  columns: ['kid', 'algorithm', 'state', 'signs_from', 'opens'],
  rows: (await listSigningKeys(database, await sealer(), now)).map(({ createdAt, signsFrom, ...key }) => ({
    ...key,
    created_at: createdAt.toISOString(),
    signs_from: signsFrom.toISOString(),
  })),
});

/** @param options `in` is in how many seconds the new keys sign */
async function rotateKeys(context: Context, options: { in: number }) {
  await rotateSigningKeys(context.database, await context.sealer(), options.in, context.now);
  return listKeys(context);
}

async function replaceKeys(context: Context, { yes }: { yes?: boolean }) {
  if (!yes)
    throw new CommandFault(
      'Nothing will verify what the present signing keys have signed: id_tokens, and access tokens where they are checked by signature. Say --yes if that is what you want.',
    );
  await replaceSigningKeys(context.database, await context.sealer(), context.now);
  return listKeys(context);
}

export function addKeys(program: Command, run: Runs): void {
  const keys = program.command('keys').description('signing keys');
  keys.command('list').description('list the signing keys').action(run(listKeys));
  keys
    .command('rotate')
    .description('publish the next signing keys now; those in use sign until then')
    .option('--in <seconds>', 'until the next keys sign', wholeNumber, LEAD)
    .action(run(rotateKeys));
  keys
    .command('replace')
    .description(
      'make new signing keys at once, also when the present ones do not open; used within ten seconds',
    )
    .option('--yes', 'yes, nothing will verify what the present ones have signed')
    .action(run(replaceKeys));
}
