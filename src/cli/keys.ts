// sesame keys …: lists and rotates signing keys.

import type { Command } from 'commander';
import { LEAD } from '../keys/rotation.ts';
import { listSigningKeys, replaceSigningKeys, rotateSigningKeys } from '../keys/signing-keys.ts';
import { CommandFault, type Context } from './context.ts';
import { type Runs, table, wholeNumber } from './run.ts';

async function listKeys({ database, sealer, now }: Context) {
  const keys = await listSigningKeys(database, await sealer(), now);
  return {
    text: table(
      ['kid', 'algorithm', 'state', 'created', 'signs from', 'opens'],
      keys.map(({ kid, algorithm, state, createdAt, signsFrom, opens }) => [
        kid,
        algorithm,
        state,
        createdAt.toISOString().slice(0, 10),
        signsFrom.toISOString().slice(0, 16),
        opens ? 'yes' : 'no',
      ]),
    ),
    json: keys.map(({ createdAt, signsFrom, ...key }) => ({
      ...key,
      created_at: createdAt.toISOString(),
      signs_from: signsFrom.toISOString(),
    })),
  };
}

/** @param options `in` is in how many seconds the new keys sign */
async function rotateKeys(context: Context, options: { in: number }) {
  const { database, now } = context;
  await rotateSigningKeys(database, await context.sealer(), options.in, now);
  const { json } = await listKeys(context);
  return {
    text: json
      .filter(({ state }) => state === 'next')
      .map(({ kid, algorithm, signs_from }) => `${algorithm} ${kid} signs from ${signs_from}`)
      .join('\n'),
    json,
  };
}

async function replaceKeys(context: Context, { yes }: { yes?: boolean }) {
  if (!yes)
    throw new CommandFault(
      'Nothing will verify what the present signing keys have signed: id_tokens, and access tokens where they are checked by signature. Say --yes if that is what you want.',
    );
  const { database, now } = context;
  await replaceSigningKeys(database, await context.sealer(), now);
  const { json } = await listKeys(context);
  return {
    text: `New signing keys: ${json.map(({ kid, algorithm }) => `${algorithm} ${kid}`).join(', ')}.\nRunning processes use them within ten seconds.`,
    json,
  };
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
    .description('make new signing keys at once, also when the present ones do not open')
    .option('--yes', 'yes, nothing will verify what the present ones have signed')
    .action(run(replaceKeys));
}
