// sesame apps …: registers and manages applications.

import type { Command } from 'commander';
import { cleanName } from '../accounts/account-fields.ts';
import { announce } from '../accounts/notifications.ts';
import {
  changeDefinition,
  type Definition,
  type DefinitionChange,
  definitionFaults,
} from '../applications/definition.ts';
import { registerApplication } from '../applications/registration.ts';
import { REFRESH_GRACE } from '../oauth/lifetimes.ts';
import type { ClientType } from '../oauth/redirect-uri.ts';
import { SCOPES } from '../oauth/scopes.ts';
import { findOwnApplication } from '../store/applications.ts';
import { listClients } from '../store/clients.ts';
import { recordEvent } from '../store/events.ts';
import { lockOwner } from '../store/owned.ts';
import { pictureAddress } from '../web/html/pictures.ts';
import { asJson, faultsInWords, readSettings, type SettingsOptions, withSettings } from './apps-fields.ts';
import { CommandFault, type Context } from './context.ts';
import { addOwned, newOwner, noSuchThing, ownerOf, shownSecrets } from './owned.ts';
import type { Runs } from './run.ts';

/** What an application has that nothing is said about (D35). */
const BLANK: Definition = {
  name: '',
  redirectUris: [],
  scopes: ['openid', 'profile', 'email'],
  standard: false,
  refreshGrace: REFRESH_GRACE,
  homePage: null,
  privacyPolicy: null,
  termsOfService: null,
  idTokenAlgorithm: 'RS256',
  idTokenClaims: null,
  parRequired: false,
  pkceRequired: false,
  secondFactorRequired: false,
  postLogoutRedirectUris: [],
  backchannelLogoutUri: null,
  jwks: null,
  deviceFlow: false,
};

interface CreateOptions extends SettingsOptions {
  owner: string;
  public?: boolean;
}

const listApplications = async ({ database }: Context) => ({
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

async function createApplication(context: Context, options: CreateOptions) {
  const { config, database, now } = context;
  const change = await readSettings(options);
  const type = options.public ? 'public' : 'confidential';
  if (change.name === undefined || change.redirectUris === undefined)
    throw new CommandFault('Give --name and --callback.');
  const definition = { ...BLANK, ...change };
  refuseKeysOfPublic(type, change);
  const faults = definitionFaults(definition, type, config.production);
  if (faults.length > 0) throw faultsInWords(faults);
  const owner = await newOwner(context, options.owner);
  const name = cleanName(definition.name);
  const { clientId, clientSecret } = await database.transaction(async (transaction) => {
    await lockOwner(transaction, owner.userId);
    const application = { ...definition, type, ownerId: owner.userId } as const;
    const registered = await registerApplication(transaction, application, now);
    const { clientId } = registered;
    const detail = { name, type } as const;
    const kind = 'application_registered';
    await recordEvent(transaction, { kind, userId: owner.userId, clientId, detail }, now);
    const outcome = await changeDefinition(transaction, owner, clientId, change, config.production, now);
    if (Array.isArray(outcome)) throw faultsInWords(outcome); // and nothing is registered
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

async function updateApplication(context: Context, clientId: string, options: SettingsOptions) {
  const { config, database, now } = context;
  const change = await readSettings(options);
  if (Object.keys(change).length === 0)
    throw new CommandFault('Say what to change: sesame apps update --help lists it.');
  const { contact, application } = await find(context, clientId);
  refuseKeysOfPublic(application.type, change);
  if (application.type === 'public') delete change.pkceRequired; // always required of it
  const owner = { userId: contact.userId, address: undefined };
  const outcome = await database.transaction((transaction) =>
    changeDefinition(transaction, owner, clientId, change, config.production, now),
  );
  if (Array.isArray(outcome)) throw faultsInWords(outcome);
  if (outcome === undefined) throw noSuchThing('application', clientId);
  if (outcome) await announce(context, contact, 'application_updated', { subject: application.name }, now);
  return { changed: outcome, ...(await showApplication(context, clientId)) };
}

async function showApplication(context: Context, clientId: string) {
  const { contact, application } = await find(context, clientId);
  return {
    client_id: application.clientId,
    type: application.type,
    owner: contact.email,
    ...asJson(application),
    logo_uri: application.logo && pictureAddress(context.config.baseUrl, application.logo),
    verified: application.verified,
    suspended: application.suspended,
    created_at: application.createdAt,
    secrets: await shownSecrets(context, contact.userId, clientId),
  };
}

/** An application of any owner with all its settings. */
async function find(context: Context, clientId: string) {
  const { database } = context;
  const { contact } = await ownerOf(context, 'application', clientId);
  const application = await findOwnApplication(database, contact.userId, clientId);
  if (application === undefined) throw noSuchThing('application', clientId);
  return { contact, application };
}

/** The console does not ask a public application for any: it could keep nothing secret. */
function refuseKeysOfPublic(type: ClientType, { jwks }: DefinitionChange): void {
  if (type === 'public' && jwks) throw new CommandFault('A public application has no keys.');
}

export function addApps(program: Command, run: Runs): void {
  const apps = program.command('apps').description('client applications');
  withSettings(
    apps
      .command('create')
      .description('register an application; its Client Secret is printed once')
      .requiredOption('--owner <email>', 'the account that it belongs to')
      .option('--public', 'a single-page or mobile application: no secret, PKCE required'),
  ).action(run(createApplication));
  withSettings(
    apps
      .command('update')
      .description(
        'change settings of an application, all that are named or none; a list replaces the one before, an empty text empties it',
      )
      .argument('<client-id>'),
  ).action(run(updateApplication));
  apps
    .command('show')
    .description('all settings of an application, and its live secrets by their numbers')
    .argument('<client-id>')
    .action(run(showApplication));
  apps.command('list').description('list all applications').action(run(listApplications));
  addOwned(apps, run, 'application', [
    ['suspend', 'suspend', 'let nobody sign in to an application, and revoke all of its tokens'],
    ['unsuspend', 'unsuspend', 'lift the suspension of an application'],
    ['verify', 'verify', 'mark an application as verified on its consent page'],
    ['unverify', 'unverify', 'withdraw that mark'],
  ]);
}
