// What the commands of sesame apps do: list, create, update, show.
import { cleanName } from '../accounts/account-fields.ts';
import { announce } from '../accounts/announcements.ts';
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
import { CommandFault, type Context } from './context.ts';
import { asJson } from './settings-file.ts';
import { faultsInWords, readSettings, type SettingsOptions } from './settings-options.ts';
import { table } from './table.ts';
import { noSuchThing, ownerOf, secretRows, secretsInJson } from './things.ts';

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

export async function createApplication({ config, database, now }: Context, options: CreateOptions) {
  const { type: typeInFile, change } = await readSettings(options);
  const type = options.public ? 'public' : (typeInFile ?? 'confidential');
  if (change.name === undefined || change.redirectUris === undefined)
    throw new CommandFault('Give --name and --callback, or a file that has them: --from.');
  const definition = { ...BLANK, ...change };
  refuseKeysOfPublic(type, change);
  const faults = definitionFaults(definition, type, config.production);
  if (faults.length > 0) throw faultsInWords(faults, config.production);
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
    if (Array.isArray(outcome)) throw faultsInWords(outcome, config.production); // and nothing is registered
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

export async function updateApplication(context: Context, clientId: string, options: SettingsOptions) {
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
  if (Array.isArray(outcome)) throw faultsInWords(outcome, config.production);
  if (outcome === undefined) throw noSuchThing('application', clientId);
  // Where people are sent with a code, and by which keys it authenticates, is its owner's business to know.
  if (outcome) await announce(context, contact, 'application_updated', { subject: application.name }, now);
  const after = await find(context, clientId);
  return {
    text: outcome ? `Changed ${after.application.name}.` : 'All of that is so already.',
    json: { changed: outcome, ...told(after, config.baseUrl) },
  };
}

export async function showApplication(context: Context, clientId: string) {
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
