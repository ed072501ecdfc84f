// sesame apps: registers and manages clients (called applications in command output).

import type { Command } from 'commander';
import { cleanName } from '../accounts/account-fields.ts';
import { sendNotification } from '../accounts/notifications.ts';
import {
  type ClientDefinition,
  type ClientDefinitionChange,
  updateClientDefinition,
  validateClientDefinition,
} from '../clients/definition.ts';
import { isMachineClient } from '../clients/kind.ts';
import { registerClient } from '../clients/registration.ts';
import { REFRESH_GRACE_PERIOD } from '../oauth/lifetimes.ts';
import type { ClientType } from '../oauth/redirect-uri.ts';
import { SCOPES } from '../oauth/scopes.ts';
import { recordEvent } from '../store/audit-log.ts';
import { listClients } from '../store/clients.ts';
import { findOwnedClient } from '../store/owned-clients.ts';
import { lockOwner } from '../store/owned-resources.ts';
import { pictureUrl } from '../web/html/pictures.ts';
import {
  addSettingsOptions,
  createValidationError,
  readSettingsOptions,
  type SettingsOptions,
  settingsToJson,
} from './apps-options.ts';
import { CommandError, type Context } from './context.ts';
import { type CreateAction, formatExamples } from './run.ts';
import {
  addSharedCommands,
  createNotFoundError,
  findNewOwner,
  listValidSecrets,
  requireOwner,
} from './shared-commands.ts';

const NEW_CLIENT_DEFAULTS: ClientDefinition = {
  name: '',
  redirectUris: [],
  scopes: ['openid', 'profile', 'email'],
  standard: false,
  refreshGrace: REFRESH_GRACE_PERIOD,
  homePage: null,
  privacyPolicy: null,
  termsOfService: null,
  idTokenAlgorithm: 'RS256',
  idTokenClaims: null,
  parRequired: false,
  pkceRequired: false,
  mfaRequired: false,
  postLogoutRedirectUris: [],
  backchannelLogoutUri: null,
  jwks: null,
  deviceFlow: false,
};

interface CreateOptions extends SettingsOptions {
  owner: string;
  public?: boolean;
  machine?: boolean;
}

const listApps = async ({ database }: Context) => ({
  columns: ['client_id', 'name', 'type', 'owner', 'scopes', 'redirect_uris'],
  rows: (await listClients(database)).map((row) => ({
    client_id: row.clientId,
    name: row.name,
    type: row.type,
    owner: row.ownerEmail,
    redirect_uris: row.redirectUris,
    scopes: row.scopes,
    standard: row.standard,
    refresh_grace: row.refreshGrace,
    suspended: row.suspended,
    created_at: row.createdAt,
  })),
});

async function createApp(context: Context, options: CreateOptions) {
  const { config, database, now } = context;
  const change = await readSettingsOptions(options);
  const { public: isPublic = false, machine: isMachine = false } = options;
  const type = isPublic ? 'public' : 'confidential';
  if (isMachine && (isPublic || change.redirectUris !== undefined))
    throw new CommandError("--machine can't be combined with --public or --callback.");
  requireUsersForDeviceFlow(isMachine, change);
  if (change.name === undefined || (change.redirectUris === undefined && !isMachine))
    throw new CommandError('--name and --callback are required.');
  const definition = { ...NEW_CLIENT_DEFAULTS, ...change };
  requireConfidentialForKeys(type, change);
  const errors = validateClientDefinition(definition, { type, isMachine }, config.production);
  if (errors.length > 0) throw createValidationError(errors);
  const owner = await findNewOwner(context, options.owner);
  const name = cleanName(definition.name);
  const { clientId, clientSecret } = await database.transaction(async (transaction) => {
    await lockOwner(transaction, owner.userId);
    const client = { ...definition, type, ownerId: owner.userId } as const;
    const registered = await registerClient(transaction, client, now);
    const { clientId } = registered;
    const detail = { name, type } as const;
    const kind = 'application_registered';
    await recordEvent(transaction, { kind, userId: owner.userId, clientId, detail }, now);
    const outcome = await updateClientDefinition(
      transaction,
      owner,
      clientId,
      change,
      config.production,
      now,
    );
    if (Array.isArray(outcome)) throw createValidationError(outcome); // rolls back the transaction
    return registered;
  });
  return {
    client_id: clientId,
    ...(clientSecret !== undefined && { client_secret: clientSecret }),
    name,
    redirect_uris: [...new Set(definition.redirectUris)],
    scopes: SCOPES.filter((scope) => definition.scopes.includes(scope)),
  };
}

async function updateApp(context: Context, clientId: string, options: SettingsOptions) {
  const { config, database, now } = context;
  const change = await readSettingsOptions(options);
  if (Object.keys(change).length === 0)
    throw new CommandError('Nothing to change. To list the options, run: sesame apps update --help');
  const { contact, client } = await findWithOwner(context, clientId);
  requireConfidentialForKeys(client.type, change);
  requireUsersForDeviceFlow(isMachineClient({ ...client, ...change }), change);
  if (client.type === 'public') delete change.pkceRequired; // PKCE is always required for public clients
  const owner = { userId: contact.userId, ip: undefined };
  const outcome = await database.transaction((transaction) =>
    updateClientDefinition(transaction, owner, clientId, change, config.production, now),
  );
  if (Array.isArray(outcome)) throw createValidationError(outcome);
  if (outcome === undefined) throw createNotFoundError('application', clientId);
  if (outcome) await sendNotification(context, contact, 'application_updated', { subject: client.name }, now);
  return { changed: outcome, ...(await showApp(context, clientId)) };
}

async function showApp(context: Context, clientId: string) {
  const { contact, client } = await findWithOwner(context, clientId);
  return {
    client_id: client.clientId,
    type: client.type,
    owner: contact.email,
    ...settingsToJson(client),
    logo_uri: client.logo && pictureUrl(context.config.baseUrl, client.logo),
    verified: client.verified,
    suspended: client.suspended,
    created_at: client.createdAt,
    secrets: await listValidSecrets(context, contact.userId, clientId),
  };
}

async function findWithOwner(context: Context, clientId: string) {
  const { database } = context;
  const { contact } = await requireOwner(context, 'application', clientId);
  const client = await findOwnedClient(database, contact.userId, clientId);
  if (client === undefined) throw createNotFoundError('application', clientId);
  return { contact, client };
}

function requireConfidentialForKeys(type: ClientType, { jwks }: ClientDefinitionChange): void {
  if (type === 'public' && jwks)
    throw new CommandError("A public application can't have keys. Remove --jwks.");
}

function requireUsersForDeviceFlow(isMachine: boolean, { deviceFlow }: ClientDefinitionChange): void {
  if (isMachine && deviceFlow)
    throw new CommandError('A machine-to-machine application has no users. Remove --device-flow.');
}

export function addAppCommands(program: Command, run: CreateAction): void {
  const apps = program
    .command('apps')
    .description('Manage client applications')
    .addHelpText(
      'after',
      formatExamples(
        'apps create --owner ada@example.com --name Notes --callback https://notes.example/callback',
        'apps update app_123 --scopes "openid email" --pkce-required',
        'apps rotate-secret app_123 --overlap 86400',
      ),
    );
  addSettingsOptions(
    apps
      .command('create')
      .description("Register an application and print its client secret. The secret can't be shown again")
      .requiredOption('--owner <email>', "email address of the application's owner")
      .option('--public', 'public application (single-page or mobile): no secret, PKCE required')
      .option('--machine', 'machine-to-machine application: no users, no callback URL'),
  ).action(run(createApp));
  addSettingsOptions(
    apps
      .command('update')
      .description(
        'Update an application\'s settings. A list replaces the current list; "" clears a list or link',
      )
      .argument('<client-id>'),
  ).action(run(updateApp));
  apps
    .command('show')
    .description("Show an application's settings and valid secrets")
    .argument('<client-id>')
    .action(run(showApp));
  apps.command('list').description('List all applications').action(run(listApps));
  addSharedCommands(apps, run, 'application', [
    ['suspend', 'suspend', 'Suspend an application: block sign-ins and revoke tokens'],
    ['unsuspend', 'unsuspend', 'Unsuspend an application'],
    ['verify', 'verify', 'Mark an application as verified on the consent page'],
    ['unverify', 'unverify', "Remove an application's verified status"],
  ]);
}
