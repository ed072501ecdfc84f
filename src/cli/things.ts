// What the commands of sesame apps and sesame apis have in common: secrets, deletion, suspension.
import { cleanName } from '../accounts/account-fields.ts';
import { decideOnThing } from '../accounts/moderation.ts';
import { announce } from '../accounts/notifications.ts';
import { deleteThing } from '../ownership/deletion.ts';
import { endSecret, LONGEST_OVERLAP, rotateSecret } from '../ownership/secrets.ts';
import { findContactOf } from '../store/credentials.ts';
import type { ApplicationAction } from '../store/moderation.ts';
import type { Kind } from '../store/owned.ts';
import type { OwnSecret } from '../store/secrets.ts';
import { CommandFault, type Context } from './context.ts';

const WORDS = {
  application: {
    id: 'client_id',
    secret: 'client_secret',
    secretTitle: 'Client Secret',
    named: 'application',
    command: 'apps',
    notFound: (id: string) => `No application has the Client ID ${id}.`,
    replaced: 'secret_replaced',
    ended: 'secret_removed',
  },
  api: {
    id: 'api_id',
    secret: 'api_secret',
    secretTitle: 'Secret',
    named: 'API',
    command: 'apis',
    notFound: (id: string) => `No API has the api_id ${id}.`,
    replaced: 'api_secret_replaced',
    ended: 'api_secret_removed',
  },
} as const;

export const noSuchThing = (kind: Kind, id: string): CommandFault =>
  new CommandFault(WORDS[kind].notFound(id));

/** The mailbox of the owner of an application or an API, who acts in the command line. @throws CommandFault */
export async function ownerOf({ database }: Context, kind: Kind, id: string) {
  const contact = await findContactOf(database, kind, id);
  if (contact === undefined) throw noSuchThing(kind, id);
  return { contact, owner: { userId: contact.userId, address: undefined } };
}

export const rotateSecretOf =
  (kind: Kind) =>
  async (context: Context, id: string, { overlap }: { overlap: number }) => {
    const { database, now } = context;
    if (overlap > LONGEST_OVERLAP)
      throw new CommandFault(`The overlap is at most ${LONGEST_OVERLAP} seconds (7 days).`);
    const { contact, owner } = await ownerOf(context, kind, id);
    const secret = await rotateSecret(database, owner, { kind, id, overlap }, now);
    if (secret === undefined) throw new CommandFault('A public application has no secret.');
    const words = WORDS[kind];
    await announce(context, contact, words.replaced, { subject: contact.thing }, now);
    return {
      text: `${words.secretTitle}: ${secret}   (shown once: keep it on your server)`,
      json: { [words.id]: id, [words.secret]: secret },
    };
  };

/** Ends a secret at once; `show` lists the numbers of the live ones. */
export const endSecretOf = (kind: Kind) => async (context: Context, id: string, number: number) => {
  const { contact, owner } = await ownerOf(context, kind, id);
  const words = WORDS[kind];
  if (!(await endSecret(kind, context.database, owner, id, number, context.now)))
    throw new CommandFault(
      `The ${words.named} has no live secret ${number}: see sesame ${words.command} show ${id}.`,
    );
  await announce(context, contact, words.ended, { subject: contact.thing }, context.now);
  return { text: `Ended secret ${number} of ${id}.`, json: { [words.id]: id, ended: number } };
};

export const deleteOf = (kind: Kind) => async (context: Context, id: string) => {
  const { contact, owner } = await ownerOf(context, kind, id);
  const { thing } = contact;
  const { database, now } = context;
  await database.transaction(async (transaction) => {
    if (!(await deleteThing(kind, transaction, owner, id, thing, now))) throw noSuchThing(kind, id);
    await announce(context, contact, `${kind}_removed`, { subject: thing }, now, transaction);
  });
  return { text: `Deleted ${id}.`, json: { deleted: id } };
};

const DONE: Record<ApplicationAction, (id: string, kind: Kind) => string> = {
  suspend: (id, kind) =>
    `Suspended ${id}: ${kind === 'api' ? 'no token counts for it until that is lifted' : 'every code and token has ended'}.`,
  unsuspend: (id) => `Lifted the suspension of ${id}.`,
  verify: (id) => `Marked ${id} as verified.`,
  unverify: (id) => `Withdrew the verification of ${id}.`,
};

export const moderate =
  (kind: Kind, action: ApplicationAction) =>
  async (context: Context, id: string, { reason }: { reason?: string }) => {
    await ownerOf(context, kind, id);
    const by = { reason: reason && cleanName(reason) };
    const outcome = await decideOnThing(context, kind, action, id, by, context.now);
    return { text: DONE[action](id, kind), json: { [WORDS[kind].id]: id, changed: outcome === 'done' } };
  };

export const secretsInJson = (secrets: readonly OwnSecret[]) =>
  secrets.map(({ number, ending, createdAt, expiresAt, lastUsedAt }) => ({
    number,
    ending,
    created_at: createdAt.toISOString(),
    expires_at: expiresAt?.toISOString() ?? null,
    last_used_at: lastUsedAt?.toISOString() ?? null,
  }));

/** The rows of a table that lists them. */
export const secretRows = (secrets: ReturnType<typeof secretsInJson>): string[][] =>
  secrets.map(({ number, created_at, expires_at }) => [
    `secret ${number}`,
    `since ${created_at}${expires_at === null ? '' : `, ends ${expires_at}`}`,
  ]);
