// sesame keys: lists, rotates and replaces signing keys.
import type { Command } from 'commander';
import { KEY_LEAD_TIME } from '../keys/rotation.ts';
import { listSigningKeys, replaceSigningKeys, rotateSigningKeys } from '../keys/signing-keys.ts';
import { CommandError, type Context } from './context.ts';
import { type CreateAction, formatExamples, parseWholeNumber } from './run.ts';

const listKeys = async ({ database, sealer, now }: Context) => ({
  columns: ['kid', 'algorithm', 'state', 'signs_from', 'decryptable'],
  rows: (await listSigningKeys(database, await sealer(), now)).map(({ createdAt, signsFrom, ...key }) => ({
    ...key,
    created_at: createdAt.toISOString(),
    signs_from: signsFrom.toISOString(),
  })),
});

/** @param options.in seconds until the new keys sign tokens */
async function rotateKeys(context: Context, options: { in: number }) {
  await rotateSigningKeys(context.database, await context.sealer(), options.in, context.now);
  return listKeys(context);
}

async function replaceKeys(context: Context, { yes }: { yes?: boolean }) {
  if (!yes)
    throw new CommandError(
      'This invalidates all ID tokens and all access tokens that APIs verify locally. To confirm, add --yes.',
    );
  await replaceSigningKeys(context.database, await context.sealer(), context.now);
  return listKeys(context);
}

export function addKeyCommands(program: Command, run: CreateAction): void {
  const keys = program
    .command('keys')
    .description('Manage signing keys')
    .addHelpText('after', formatExamples('keys list', 'keys rotate --in 3600', 'keys replace --yes'));
  keys.command('list').description('List the signing keys').action(run(listKeys));
  keys
    .command('rotate')
    .description('Publish new signing keys and switch to them after a delay')
    .option('--in <seconds>', 'delay before the new keys sign tokens', parseWholeNumber, KEY_LEAD_TIME)
    .action(run(rotateKeys));
  keys
    .command('replace')
    .description(
      'Replace the signing keys, for example if SECRET_KEY was leaked or lost. Takes effect within ten seconds',
    )
    .option('--yes', 'confirm the replacement')
    .action(run(replaceKeys));
}
