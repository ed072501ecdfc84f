// What the commands of sesame keys do, and their bounds; options and defaults are in commands/keys.ts.
import { listSigningKeys, replaceSigningKeys, rotateSigningKeys } from '../keys/signing-keys.ts';
import { CommandFault, type Context } from './context.ts';
import { table } from './table.ts';

export async function listKeys({ database, sealer, now }: Context) {
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
export async function rotateKeys(context: Context, options: { in: number }) {
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

export async function replaceKeys(context: Context, { yes }: { yes?: boolean }) {
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
