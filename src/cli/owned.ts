// Commands that sesame apps and sesame apis share: secrets, deletion, suspension.
import type { Command } from 'commander';
import { moderateThing } from '../accounts/moderation.ts';
import { announce } from '../accounts/notifications.ts';
import { mailConfigured } from '../mail/mailer.ts';
import { deleteThing } from '../ownership/deletion.ts';
import { endSecret, LONGEST_OVERLAP, rotateSecret } from '../ownership/secrets.ts';
import { findContactOf } from '../store/credentials.ts';
import type { ApplicationAction } from '../store/moderation.ts';
import type { Kind } from '../store/owned.ts';
import { listSecrets } from '../store/secrets.ts';
import { findUserByEmail } from '../store/users.ts';
import { CommandFault, type Context } from './context.ts';
import { addModeration, type Runs, wholeNumber } from './run.ts';

const WORDS = {
  application: {
    id: 'client_id',
    argument: '<client-id>',
    secret: 'client_secret',
    noun: 'application',
    command: 'apps',
    notFound: (id: string) => `No application has the Client ID ${id}.`,
    replaced: 'secret_replaced',
    ended: 'secret_removed',
  },
  api: {
    id: 'api_id',
    argument: '<api-id>',
    secret: 'api_secret',
    noun: 'API',
    command: 'apis',
    notFound: (id: string) => `No API has the api_id ${id}.`,
    replaced: 'api_secret_replaced',
    ended: 'api_secret_removed',
  },
} as const;

export const noSuchThing = (kind: Kind, id: string): CommandFault =>
  new CommandFault(WORDS[kind].notFound(id));

/** The account that an application or an API is created for. @throws CommandFault */
export async function newOwner({ config, database }: Context, email: string) {
  const account = await findUserByEmail(database, email);
  if (account === undefined) throw new CommandFault(`No account has the email ${email}.`);
  if (mailConfigured(config) && !account.emailVerified)
    throw new CommandFault(`The email ${email} is not verified yet.`);
  return { userId: account.userId, address: undefined };
}

/** The contact of the owner of an application or an API, on whose behalf commands act. @throws CommandFault */
export async function ownerOf({ database }: Context, kind: Kind, id: string) {
  const contact = await findContactOf(database, kind, id);
  if (contact === undefined) throw noSuchThing(kind, id);
  return { contact, owner: { userId: contact.userId, address: undefined } };
}

/** The valid secrets by their numbers, for `show`. */
export const shownSecrets = async ({ database, now }: Context, ownerId: string, id: string) =>
  (await listSecrets(database, ownerId, id, now)).map(
    ({ number, ending, createdAt, expiresAt, lastUsedAt }) => ({
      number,
      ending,
      created_at: createdAt,
      expires_at: expiresAt,
      last_used_at: lastUsedAt,
    }),
  );

const rotateSecretOf =
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
    return { [words.id]: id, [words.secret]: secret };
  };

const endSecretOf = (kind: Kind) => async (context: Context, id: string, number: number) => {
  const { contact, owner } = await ownerOf(context, kind, id);
  const words = WORDS[kind];
  await context.database.transaction(async (transaction) => {
    if (!(await endSecret(kind, transaction, owner, id, number, context.now)))
      throw new CommandFault(
        `The ${words.noun} has no live secret ${number}: see sesame ${words.command} show ${id}.`,
      );
    await announce(context, contact, words.ended, { subject: contact.thing }, context.now, transaction);
  });
  return { [words.id]: id, ended: number };
};

const deleteOf = (kind: Kind) => async (context: Context, id: string) => {
  const { contact, owner } = await ownerOf(context, kind, id);
  const { thing } = contact;
  await context.database.transaction(async (transaction) => {
    if (!(await deleteThing(kind, transaction, owner, id, thing, context.now))) throw noSuchThing(kind, id);
    await announce(context, contact, `${kind}_removed`, { subject: thing }, context.now, transaction);
  });
  return { deleted: id };
};

/** Declares the commands that both kinds have. */
export function addOwned(
  parent: Command,
  run: Runs,
  kind: Kind,
  actions: readonly (readonly [name: string, action: ApplicationAction, description: string])[],
): void {
  const { id, argument, noun, command } = WORDS[kind];
  parent
    .command('rotate-secret')
    .description(`create another secret of an ${noun}, printed once`)
    .argument(argument)
    .option('--overlap <seconds>', 'how long the present one stays valid: 0 to 604800', wholeNumber, 0)
    .action(run(rotateSecretOf(kind)));
  parent
    .command('end-secret')
    .description(`revoke a secret of an ${noun}; ${command} show lists the numbers`)
    .argument(argument)
    .argument('<number>', 'which one', wholeNumber)
    .action(run(endSecretOf(kind)));
  parent
    .command('delete')
    .description(`delete an ${noun}, and revoke all of its tokens`)
    .argument(argument)
    .action(run(deleteOf(kind)));
  addModeration(parent, run, argument, actions, async (action, named, by, context) => {
    await ownerOf(context, kind, named);
    const outcome = await moderateThing(context, kind, action, named, by, context.now);
    return { [id]: named, changed: outcome === 'done' };
  });
}
