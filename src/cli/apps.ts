// What the commands of sesame apps do, and their bounds; options and defaults are in commands/apps.ts.
import { cleanName } from '../accounts/account-fields.ts';
import { announce, decideOnThing } from '../accounts/announcements.ts';
import { deleteThing } from '../ownership/deletion.ts';
import { endSecret, LONGEST_OVERLAP, rotateSecret } from '../ownership/secrets.ts';
import { listClients } from '../store/clients.ts';
import type { ApplicationAction } from '../store/moderation.ts';
import { noSuchApplication, ownerOf } from './apps-settings.ts';
import { CommandFault, type Context } from './context.ts';
import { table } from './table.ts';

export async function listApplications({ database }: Context) {
  const rows = await listClients(database);
  return {
    text: table(
      ['client id', 'name', 'type', 'owner', 'scopes', 'callbacks'],
      rows.map((row) => [
        row.clientId,
        row.name,
        row.type,
        row.ownerEmail,
        row.scopes.join(' '),
        row.redirectUris.join(' '),
      ]),
    ),
    json: rows.map((row) => ({
      client_id: row.clientId,
      name: row.name,
      type: row.type,
      owner: row.ownerEmail,
      redirect_uris: row.redirectUris,
      scopes: row.scopes,
      standard: row.standard,
      refresh_grace: row.refreshGrace,
      suspended: row.suspended,
      created_at: row.createdAt.toISOString(),
    })),
  };
}

export async function rotateApplicationSecret(
  context: Context,
  clientId: string,
  { overlap }: { overlap: number },
) {
  const { database, now } = context;
  if (overlap > LONGEST_OVERLAP)
    throw new CommandFault(`The overlap is at most ${LONGEST_OVERLAP} seconds (7 days).`);
  const owner = await ownerOf(context, clientId);
  const by = { userId: owner.userId, address: undefined };
  const rotated = await rotateSecret('application', database, by, clientId, overlap, undefined, now);
  if (rotated?.outcome !== 'rotated') throw new CommandFault('A public application has no secret.');
  const { secret: clientSecret } = rotated;
  await announce(context, owner, 'secret_replaced', { subject: owner.thing }, now);
  return {
    text: `Client Secret: ${clientSecret}   (shown once: keep it on your server)`,
    json: { client_id: clientId, client_secret: clientSecret },
  };
}

export async function deleteApplication(context: Context, clientId: string) {
  const { database, now } = context;
  const owner = await ownerOf(context, clientId);
  const { userId, thing: subject } = owner;
  if (!(await deleteThing('application', database, { userId, address: undefined }, clientId, subject, now)))
    throw noSuchApplication(clientId);
  await announce(context, owner, 'application_removed', { subject }, now);
  return { text: `Deleted ${clientId}.`, json: { deleted: clientId } };
}

/** Ends a secret at once: `apps show` tells the numbers of those that live. */
export async function endApplicationSecret(context: Context, clientId: string, number: number) {
  const { database, now } = context;
  const owner = await ownerOf(context, clientId);
  const { userId, thing: subject } = owner;
  if (!(await endSecret('application', database, { userId, address: undefined }, clientId, number, now)))
    throw new CommandFault(`The application has no live secret ${number}: see sesame apps show ${clientId}.`);
  await announce(context, owner, 'secret_removed', { subject }, now);
  return { text: `Ended secret ${number} of ${clientId}.`, json: { client_id: clientId, ended: number } };
}

const DONE: Record<ApplicationAction, (clientId: string) => string> = {
  suspend: (clientId) => `Suspended ${clientId}: every code and token has ended.`,
  unsuspend: (clientId) => `Lifted the suspension of ${clientId}.`,
  verify: (clientId) => `Marked ${clientId} as verified.`,
  unverify: (clientId) => `Withdrew the verification of ${clientId}.`,
};

/** Does something to an application that is named by its Client ID. */
export const moderateClient =
  (action: ApplicationAction) =>
  async (context: Context, clientId: string, { reason }: { reason?: string }) => {
    await ownerOf(context, clientId);
    const by = { reason: reason && cleanName(reason) };
    const outcome = await decideOnThing(context, 'application', action, clientId, by, context.now);
    return {
      text: DONE[action](clientId),
      json: { client_id: clientId, changed: outcome === 'done' },
    };
  };
