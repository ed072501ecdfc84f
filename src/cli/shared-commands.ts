// Commands that sesame apps and sesame apis share: secrets, deletion and suspension.
import type { Command } from 'commander';
import { moderateResource } from '../accounts/moderation.ts';
import { sendNotification } from '../accounts/notifications.ts';
import { isMailConfigured } from '../mail/delivery.ts';
import { deleteResource } from '../ownership/deletion.ts';
import { MAX_OVERLAP, revokeOwnSecret, rotateSecret } from '../ownership/secrets.ts';
import type { ClientAction } from '../store/admin-actions.ts';
import { findOwnerContact } from '../store/credentials.ts';
import type { ResourceKind } from '../store/owned-resources.ts';
import { listSecrets } from '../store/secrets.ts';
import { findUserByEmail } from '../store/users.ts';
import { CommandError, type Context } from './context.ts';
import { addModerationCommands, type CreateAction, parseWholeNumber } from './run.ts';

const TERMS = {
  application: {
    id: 'client_id',
    argument: '<client-id>',
    secret: 'client_secret',
    noun: 'application',
    command: 'apps',
    notFound: (id: string) =>
      `No application has the client_id ${id}. To list applications, run: sesame apps list`,
    replaced: 'secret_replaced',
    revoked: 'secret_removed',
  },
  api: {
    id: 'api_id',
    argument: '<api-id>',
    secret: 'api_secret',
    noun: 'API',
    command: 'apis',
    notFound: (id: string) => `No API has the api_id ${id}. To list APIs, run: sesame apis list`,
    replaced: 'api_secret_replaced',
    revoked: 'api_secret_removed',
  },
} as const;

export const createNotFoundError = (kind: ResourceKind, id: string): CommandError =>
  new CommandError(TERMS[kind].notFound(id));

/** @throws CommandError if the email address is unknown or unverified */
export async function findNewOwner({ config, database }: Context, email: string) {
  const account = await findUserByEmail(database, email);
  if (account === undefined)
    throw new CommandError(
      `No account has the email address ${email}. Create the account first: sesame users create`,
    );
  if (isMailConfigured(config) && !account.emailVerified)
    throw new CommandError(`The email address ${email} is not verified. The user must verify it first.`);
  return { userId: account.userId, ip: undefined };
}

export async function requireOwner({ database }: Context, kind: ResourceKind, id: string) {
  const contact = await findOwnerContact(database, kind, id);
  if (contact === undefined) throw createNotFoundError(kind, id);
  return { contact, owner: { userId: contact.userId, ip: undefined } };
}

export const listValidSecrets = async ({ database, now }: Context, ownerId: string, id: string) =>
  (await listSecrets(database, ownerId, id, now)).map(
    ({ number, lastCharacters, createdAt, expiresAt, lastUsedAt }) => ({
      number,
      ending: lastCharacters,
      created_at: createdAt,
      expires_at: expiresAt,
      last_used_at: lastUsedAt,
    }),
  );

const rotateSecretCommand =
  (kind: ResourceKind) =>
  async (context: Context, id: string, { overlap }: { overlap: number }) => {
    const { database, now } = context;
    if (overlap > MAX_OVERLAP)
      throw new CommandError(`--overlap must be at most ${MAX_OVERLAP} seconds (7 days).`);
    const { contact, owner } = await requireOwner(context, kind, id);
    const secret = await rotateSecret(database, owner, { kind, id, overlap }, now);
    if (secret === undefined) throw new CommandError("A public application can't have a secret.");
    const terms = TERMS[kind];
    await sendNotification(context, contact, terms.replaced, { subject: contact.resourceName }, now);
    return { [terms.id]: id, [terms.secret]: secret };
  };

const revokeSecretCommand = (kind: ResourceKind) => async (context: Context, id: string, number: number) => {
  const { contact, owner } = await requireOwner(context, kind, id);
  const terms = TERMS[kind];
  await context.database.transaction(async (transaction) => {
    if (!(await revokeOwnSecret(kind, transaction, owner, id, number, context.now)))
      throw new CommandError(
        `The ${terms.noun} has no valid secret ${number}. To list its secrets, run: sesame ${terms.command} show ${id}`,
      );
    await sendNotification(
      context,
      contact,
      terms.revoked,
      { subject: contact.resourceName },
      context.now,
      transaction,
    );
  });
  return { [terms.id]: id, revoked: number };
};

const deleteCommand = (kind: ResourceKind) => async (context: Context, id: string) => {
  const { contact, owner } = await requireOwner(context, kind, id);
  const { resourceName } = contact;
  await context.database.transaction(async (transaction) => {
    if (!(await deleteResource(kind, transaction, owner, id, resourceName, context.now)))
      throw createNotFoundError(kind, id);
    await sendNotification(
      context,
      contact,
      `${kind}_removed`,
      { subject: resourceName },
      context.now,
      transaction,
    );
  });
  return { deleted: id };
};

export function addSharedCommands(
  parent: Command,
  run: CreateAction,
  kind: ResourceKind,
  actions: readonly (readonly [name: string, action: ClientAction, description: string])[],
): void {
  const { id, argument, noun, command } = TERMS[kind];
  parent
    .command('rotate-secret')
    .description(`Create a new secret for an ${noun} and print it. The secret can't be shown again`)
    .argument(argument)
    .option(
      '--overlap <seconds>',
      'how long the current secret stays valid after the rotation, 0 to 604800',
      parseWholeNumber,
      0,
    )
    .action(run(rotateSecretCommand(kind)));
  parent
    .command('revoke-secret')
    .description(`Revoke an ${noun} secret`)
    .argument(argument)
    .argument('<number>', `number of the secret, as listed by ${command} show`, parseWholeNumber)
    .action(run(revokeSecretCommand(kind)));
  parent
    .command('delete')
    .description(`Delete an ${noun} and revoke its tokens`)
    .argument(argument)
    .action(run(deleteCommand(kind)));
  addModerationCommands(parent, run, argument, actions, async (action, resourceId, by, context) => {
    await requireOwner(context, kind, resourceId);
    const outcome = await moderateResource(context, kind, action, resourceId, by, context.now);
    return { [id]: resourceId, changed: outcome === 'done' };
  });
}
