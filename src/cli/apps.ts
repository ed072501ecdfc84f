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
import { findProtocolSettings } from '../store/protocol-settings.ts';
import { listSecrets } from '../store/secrets.ts';
import { findUserByEmail } from '../store/users.ts';
import { pictureAddress } from '../web/html/pictures.ts';
import { asJson, faultsInWords, readSettings, type SettingsOptions, withSettings } from './apps-fields.ts';
import { CommandFault, type Context } from './context.ts';
import { type Runs, table, wholeNumber } from './run.ts';
import {
  deleteOf,
  endSecretOf,
  moderate,
  noSuchThing,
  ownerOf,
  rotateSecretOf,
  secretRows,
  secretsInJson,
} from './things.ts';

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

async function listApplications({ database }: Context) {
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

async function createApplication({ config, database, now }: Context, options: CreateOptions) {
  const { type: typeInFile, change } = await readSettings(options);
  const type = options.public ? 'public' : (typeInFile ?? 'confidential');
  if (change.name === undefined || change.redirectUris === undefined)
    throw new CommandFault('Give --name and --callback, or a file that has them: --from.');
  const definition = { ...BLANK, ...change };
  refuseKeysOfPublic(type, change);
  const faults = definitionFaults(definition, type, config.production);
  if (faults.length > 0) throw faultsInWords(faults);
  const account = await findUserByEmail(database, options.owner);
  if (account === undefined) throw new CommandFault(`No account has the email ${options.owner}.`);
  const owner = { userId: account.userId, address: undefined };
  const name = cleanName(definition.name);
  const { clientId, clientSecret } = await database.transaction(async (transaction) => {
    const application = { ...definition, type, ownerId: owner.userId };
    const registered = await registerApplication(transaction, application, now);
    const { clientId } = registered;
    const detail = { name, type };
    const kind = 'application_registered';
    await recordEvent(transaction, { kind, userId: owner.userId, clientId, detail }, now);
    const outcome = await changeDefinition(transaction, owner, clientId, change, config.production, now);
    if (Array.isArray(outcome)) throw faultsInWords(outcome); // and nothing is registered
    return registered;
  });
  return {
    text: [
      `Registered ${name}.`,
      `Client ID:     ${clientId}`,
      ...(clientSecret === undefined
        ? []
        : [`Client Secret: ${clientSecret}   (shown once: keep it on your server)`]),
    ].join('\n'),
    json: {
      client_id: clientId,
      ...(clientSecret !== undefined && { client_secret: clientSecret }),
      name,
      redirect_uris: [...new Set(definition.redirectUris)],
      scopes: SCOPES.filter((scope) => definition.scopes.includes(scope)),
    },
  };
}

async function updateApplication(context: Context, clientId: string, options: SettingsOptions) {
  const { config, database, now } = context;
  const { type: typeInFile, change } = await readSettings(options);
  if (Object.keys(change).length === 0)
    throw new CommandFault('Say what to change: sesame apps update --help lists it.');
  const { contact, application } = await find(context, clientId);
  if (typeInFile !== undefined && typeInFile !== application.type)
    throw new CommandFault(`The application is ${application.type}, and its type is final.`);
  refuseKeysOfPublic(application.type, change);
  if (application.type === 'public') delete change.pkceRequired; // PKCE is required of it anyway (D5)
  const owner = { userId: contact.userId, address: undefined };
  const outcome = await database.transaction((transaction) =>
    changeDefinition(transaction, owner, clientId, change, config.production, now),
  );
  if (Array.isArray(outcome)) throw faultsInWords(outcome);
  if (outcome === undefined) throw noSuchThing('application', clientId);
  // Where people are sent with a code, and by which keys it authenticates, is its owner's business to know.
  if (outcome) await announce(context, contact, 'application_updated', { subject: application.name }, now);
  const after = await find(context, clientId);
  return {
    text: outcome ? `Changed ${after.application.name}.` : 'All of that is so already.',
    json: { changed: outcome, ...told(after, config.baseUrl) },
  };
}

async function showApplication(context: Context, clientId: string) {
  const found = await find(context, clientId);
  const json = told(found, context.config.baseUrl);
  const { secrets, ...settings } = json;
  const rows = Object.entries(settings).map(([name, value]) => [name, inText(value)]);
  return { text: table(['setting', 'value'], [...rows, ...secretRows(secrets)]), json };
}

const inText = (value: unknown): string => {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.join(' ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
};

/** An application with all its settings, whoever it belongs to. */
async function find(context: Context, clientId: string) {
  const { database, now } = context;
  const { contact } = await ownerOf(context, 'application', clientId);
  const application = await findOwnApplication(database, contact.userId, clientId);
  const protocol = await findProtocolSettings(database, contact.userId, clientId);
  if (application === undefined || protocol === undefined) throw noSuchThing('application', clientId);
  const secrets = await listSecrets(database, contact.userId, clientId, now);
  return { contact, application, protocol, secrets };
}

/** All of it in JSON: what `--from` takes, and what only an operator or the service itself decides. */
function told(
  { contact, application, protocol, secrets }: Awaited<ReturnType<typeof find>>,
  baseUrl: string,
) {
  return {
    client_id: application.clientId,
    type: application.type,
    owner: contact.email,
    ...asJson({ ...application, ...protocol }),
    logo_uri: application.logo && pictureAddress(baseUrl, application.logo),
    verified: application.verified,
    suspended: application.suspended,
    created_at: application.createdAt.toISOString(),
    secrets: secretsInJson(secrets),
  };
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
  apps
    .command('rotate-secret')
    .description('give an application a new Client Secret, printed once')
    .argument('<client-id>')
    .option('--overlap <seconds>', 'how long the present one stays valid: 0 to 604800', wholeNumber, 0)
    .action(run(rotateSecretOf('application')));
  apps
    .command('end-secret')
    .description('end a Client Secret at once; apps show tells the numbers')
    .argument('<client-id>')
    .argument('<number>', 'which one', wholeNumber)
    .action(run(endSecretOf('application')));
  apps
    .command('delete')
    .description('delete an application; all that it was given dies at once')
    .argument('<client-id>')
    .action(run(deleteOf('application')));

  for (const [action, description] of [
    ['suspend', 'nobody signs in to an application any more, and all it was given dies at once'],
    ['unsuspend', 'lift the suspension of an application'],
    ['verify', 'mark an application as verified: its consent page does not warn any more'],
    ['unverify', 'withdraw that mark'],
  ] as const)
    apps
      .command(action)
      .description(description)
      .argument('<client-id>')
      .option('--reason <words>', 'why, for the audit log')
      .action(run(moderate('application', action)));
}
