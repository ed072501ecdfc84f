// sesame apps …

import { cleanName } from '../accounts/account-fields.ts';
import { applicationFaults, registerApplication, rotateSecret } from '../accounts/applications.ts';
import { SCOPES } from '../oauth/scopes.ts';
import { deleteClient, findClient, listClients } from '../store/clients.ts';
import { findUserByEmail } from '../store/users.ts';
import { CommandFault, type Context } from './context.ts';
import { table } from './table.ts';

interface CreateOptions {
  owner: string;
  name: string;
  callback: string[];
  scopes: string;
  public?: boolean;
  standard?: boolean;
  refreshGrace: number;
}

const LONGEST_OVERLAP = 7 * 24 * 3600;

export async function createApplication({ config, database, now }: Context, options: CreateOptions) {
  const application = {
    name: options.name,
    type: options.public ? ('public' as const) : ('confidential' as const),
    redirectUris: options.callback,
    scopes: options.scopes.split(/[\s,]+/).filter((scope) => scope !== ''),
    standard: options.standard ?? false,
    refreshGrace: options.refreshGrace,
  };
  const faults = applicationFaults(application, config.production);
  if (faults.length > 0) throw new CommandFault(faults.join('\n        '));
  const owner = await findUserByEmail(database, options.owner);
  if (owner === undefined) throw new CommandFault(`No account has the email ${options.owner}.`);
  const { clientId, clientSecret } = await registerApplication(
    database,
    { ...application, ownerId: owner.userId },
    now,
  );
  return {
    text: [
      `Registered ${cleanName(options.name)}.`,
      `Client ID:     ${clientId}`,
      ...(clientSecret === undefined
        ? []
        : [`Client Secret: ${clientSecret}   (shown once: keep it on your server)`]),
    ].join('\n'),
    json: {
      client_id: clientId,
      ...(clientSecret !== undefined && { client_secret: clientSecret }),
      name: cleanName(options.name),
      redirect_uris: [...new Set(application.redirectUris)],
      scopes: SCOPES.filter((scope) => application.scopes.includes(scope)),
    },
  };
}

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
  { database, now }: Context,
  clientId: string,
  { overlap }: { overlap: number },
) {
  if (overlap > LONGEST_OVERLAP)
    throw new CommandFault(`The overlap is at most ${LONGEST_OVERLAP} seconds (7 days).`);
  const client = await findClient(database, clientId);
  if (client === undefined) throw new CommandFault(`No application has the Client ID ${clientId}.`);
  if (client.type === 'public') throw new CommandFault('A public application has no secret.');
  const clientSecret = await rotateSecret(database, clientId, overlap, now);
  return {
    text: `Client Secret: ${clientSecret}   (shown once: keep it on your server)`,
    json: { client_id: clientId, client_secret: clientSecret },
  };
}

export async function deleteApplication({ database }: Context, clientId: string) {
  if (!(await deleteClient(database, clientId)))
    throw new CommandFault(`No application has the Client ID ${clientId}.`);
  return { text: `Deleted ${clientId}.`, json: { deleted: clientId } };
}
