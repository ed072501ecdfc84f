// sesame keys …
import { listSigningKeys, replaceSigningKeys } from '../store/signing-keys.ts';
import { CommandFault, type Context } from './context.ts';
import { table } from './table.ts';

export async function listKeys({ database, sealer }: Context) {
  const keys = await listSigningKeys(database, await sealer());
  return {
    text: table(
      ['kid', 'algorithm', 'created', 'opens'],
      keys.map(({ kid, algorithm, createdAt, opens }) => [
        kid,
        algorithm,
        createdAt.toISOString().slice(0, 10),
        opens ? 'yes' : 'no',
      ]),
    ),
    json: keys.map(({ createdAt, ...key }) => ({ ...key, created_at: createdAt.toISOString() })),
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
