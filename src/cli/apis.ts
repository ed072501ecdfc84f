// What the commands of sesame apis do, and their bounds; options and defaults are in commands/apis.ts.
import { cleanName } from '../accounts/account-fields.ts';
import { announce, decideOnThing } from '../accounts/announcements.ts';
import { changeApi } from '../apis/changes.ts';
import { registerApi } from '../apis/registration.ts';
import { type ScopeFault, scopeFaults } from '../apis/scope-fields.ts';
import { addScope, removeScope } from '../apis/scopes.ts';
import { type ApiFault, apiFaults, isAdmission, registrationFaults } from '../apis/settings-fields.ts';
import { messagesFor } from '../i18n/index.ts';
import type { Admission } from '../oauth/api.ts';
import { spellingOf } from '../oauth/api-identifier.ts';
import { deleteThing } from '../ownership/deletion.ts';
import { endSecret, LONGEST_OVERLAP, rotateSecret } from '../ownership/secrets.ts';
import { listApis as listAll } from '../store/api-lists.ts';
import { findContactOf } from '../store/credentials.ts';
import type { ApiAction } from '../store/moderation.ts';
import { findOwnApi } from '../store/own-apis.ts';
import { listSecrets } from '../store/secrets.ts';
import { findUserByEmail } from '../store/users.ts';
import { CommandFault, type Context } from './context.ts';
import { table } from './table.ts';

interface Settings {
  name?: string;
  wordsFr?: string;
  wordsEn?: string;
  admits?: string;
  tokenLifetime?: number;
}

export async function listApis({ database }: Context) {
  const rows = await listAll(database);
  return {
    text: table(
      ['api id', 'name', 'identifier', 'owner', 'admits', 'scopes'],
      rows.map((api) => [
        api.apiId,
        api.name,
        api.identifier,
        api.ownerEmail,
        api.admits,
        api.scopes.map(({ name }) => name).join(' '),
      ]),
    ),
    json: rows.map((api) => ({
      api_id: api.apiId,
      identifier: api.identifier,
      name: api.name,
      owner: api.ownerEmail,
      admits: api.admits,
      scopes: api.scopes.map(({ name }) => name),
      suspended: api.suspendedAt !== null,
      created_at: api.createdAt.toISOString(),
    })),
  };
}

export async function showApi(context: Context, apiId: string) {
  const { contact, api } = await find(context, apiId);
  const secrets = await listSecrets(context.database, contact.userId, apiId, context.now);
  const json = {
    api_id: apiId,
    owner: contact.email,
    identifier: api.identifier,
    name: api.name,
    words_fr: api.wordsFr,
    words_en: api.wordsEn,
    admits: api.admits,
    token_lifetime: api.tokenLifetime,
    scopes: api.scopes,
    jwks: api.jwks,
    suspended: api.suspended,
    created_at: api.createdAt.toISOString(),
    secrets: secrets.map(({ number, ending, createdAt, expiresAt, lastUsedAt }) => ({
      number,
      ending,
      created_at: createdAt.toISOString(),
      expires_at: expiresAt?.toISOString() ?? null,
      last_used_at: lastUsedAt?.toISOString() ?? null,
    })),
  };
  const { scopes, secrets: ofSecrets, jwks, ...settings } = json;
  const rows = [
    ...Object.entries(settings).map(([name, value]) => [name, String(value)]),
    ...scopes.map(({ name, en, sensitive, agents }) => [
      `scope ${name}`,
      [en, ...(sensitive ? ['(sensitive)'] : []), ...(agents ? ['(agents)'] : [])].join(' '),
    ]),
    ...(jwks === null ? [] : [['jwks', JSON.stringify(jwks)]]),
    ...ofSecrets.map(({ number, created_at, expires_at }) => [
      `secret ${number}`,
      `since ${created_at}${expires_at === null ? '' : `, ends ${expires_at}`}`,
    ]),
  ];
  return { text: table(['setting', 'value'], rows), json };
}

export async function createApi(
  { config, database, now }: Context,
  options: Required<Settings> & { owner: string; identifier: string },
) {
  const { owner: email, identifier, name, wordsFr, wordsEn, admits, tokenLifetime } = options;
  const fields = { identifier, name, wordsFr, wordsEn, admits: admissionOf(admits), tokenLifetime };
  refuse(registrationFaults(fields, config), identifier);
  const account = await findUserByEmail(database, email);
  if (account === undefined) throw new CommandFault(`No account has the email ${email}.`);
  const owner = { userId: account.userId, address: undefined };
  const apiId = await database.transaction((transaction) => registerApi(transaction, owner, fields, now));
  if (apiId === undefined) throw refusal([{ field: 'identifier', fault: 'identifierTaken' }], identifier);
  return {
    text: `Registered ${cleanName(name)}.\napi_id: ${apiId}`,
    json: { api_id: apiId, identifier, name: cleanName(name) },
  };
}

export async function updateApi(context: Context, apiId: string, options: Settings) {
  const { database, now } = context;
  if (Object.keys(options).filter((name) => name !== 'json').length === 0)
    throw new CommandFault('Say what to change: sesame apis update --help lists it.');
  const { owner, api } = await find(context, apiId);
  const { name, wordsFr, wordsEn, tokenLifetime } = { ...api, ...options };
  const admits = options.admits === undefined ? api.admits : admissionOf(options.admits);
  const wanted = { name, wordsFr, wordsEn, admits, tokenLifetime };
  refuse(apiFaults(wanted));
  await database.transaction((transaction) => changeApi(transaction, owner, apiId, wanted, now));
  return showApi(context, apiId);
}

export async function addApiScope(
  context: Context,
  apiId: string,
  name: string,
  options: { wordsFr: string; wordsEn: string; sensitive?: boolean; agents?: boolean },
) {
  const { owner } = await find(context, apiId);
  const { wordsFr: fr, wordsEn: en, sensitive = false, agents = false } = options;
  const scope = { name, fr, en, sensitive, agents };
  refuse(scopeFaults(scope));
  const outcome = await addScope(context.database, owner, apiId, scope, context.now);
  if (outcome === 'gone') throw noSuchApi(apiId);
  if (outcome !== 'added') throw new CommandFault(messagesFor('en').apis.faults[outcome]);
  return { text: `Added the scope ${name} to ${apiId}.`, json: { api_id: apiId, added: name } };
}

export async function removeApiScope(context: Context, apiId: string, name: string) {
  const { owner } = await find(context, apiId);
  if ((await removeScope(context.database, owner, apiId, name, context.now)) === 'gone')
    throw new CommandFault(`The API has no scope ${name}: see sesame apis show ${apiId}.`);
  return { text: `Removed the scope ${name} of ${apiId}.`, json: { api_id: apiId, removed: name } };
}

export async function rotateApiSecret(context: Context, apiId: string, { overlap }: { overlap: number }) {
  const { database, now } = context;
  if (overlap > LONGEST_OVERLAP)
    throw new CommandFault(`The overlap is at most ${LONGEST_OVERLAP} seconds (7 days).`);
  const { contact, owner, api } = await find(context, apiId);
  const rotated = await rotateSecret('api', database, owner, apiId, overlap, undefined, now);
  if (rotated?.outcome !== 'rotated') throw noSuchApi(apiId);
  await announce(context, contact, 'api_secret_replaced', { subject: api.name }, now);
  return {
    text: `Secret: ${rotated.secret}   (shown once: keep it on your server)`,
    json: { api_id: apiId, api_secret: rotated.secret },
  };
}

/** Ends a secret at once: `apis show` tells the numbers of those that live. */
export async function endApiSecret(context: Context, apiId: string, number: number) {
  const { database, now } = context;
  const { contact, owner, api } = await find(context, apiId);
  if (!(await endSecret('api', database, owner, apiId, number, now)))
    throw new CommandFault(`The API has no live secret ${number}: see sesame apis show ${apiId}.`);
  await announce(context, contact, 'api_secret_removed', { subject: api.name }, now);
  return { text: `Ended secret ${number} of ${apiId}.`, json: { api_id: apiId, ended: number } };
}

export async function removeApi(context: Context, apiId: string) {
  const { database, now } = context;
  const { contact, owner, api } = await find(context, apiId);
  if (!(await deleteThing('api', database, owner, apiId, api.name, now))) throw noSuchApi(apiId);
  await announce(context, contact, 'api_removed', { subject: api.name }, now);
  return { text: `Deleted ${apiId}.`, json: { deleted: apiId } };
}

/** Does something to an API that is named by its id. */
export const moderateApi =
  (action: ApiAction) =>
  async (context: Context, apiId: string, { reason }: { reason?: string }) => {
    await find(context, apiId);
    const by = { reason: reason && cleanName(reason) };
    const outcome = await decideOnThing(context, 'api', action, apiId, by, context.now);
    const text =
      action === 'suspend'
        ? `Suspended ${apiId}: no token counts for it until that is lifted.`
        : `Lifted the suspension of ${apiId}.`;
    return { text, json: { api_id: apiId, changed: outcome === 'done' } };
  };

/** An API with its owner. @throws CommandFault when there is none */
async function find({ database }: Context, apiId: string) {
  const contact = await findContactOf(database, 'api', apiId);
  const api = contact && (await findOwnApi(database, contact.userId, apiId));
  if (contact === undefined || api === undefined) throw noSuchApi(apiId);
  return { contact, api, owner: { userId: contact.userId, address: undefined } };
}

const noSuchApi = (apiId: string) => new CommandFault(`No API has the api_id ${apiId}.`);

function admissionOf(text: string): Admission {
  if (!isAdmission(text)) throw new CommandFault('--admits is own, applications or agents.');
  return text;
}

/** @throws CommandFault with everything that is wrong */
function refuse(faults: readonly (ApiFault | ScopeFault)[], identifier?: string): void {
  if (faults.length > 0) throw refusal(faults, identifier);
}

function refusal(faults: readonly (ApiFault | ScopeFault)[], identifier = ''): CommandFault {
  const words: Record<string, string> = messagesFor('en').apis.faults;
  const said = faults.map(({ field = 'scopes', fault }) => {
    const spelling = fault === 'identifierSpelling' ? ` ${spellingOf(identifier)}` : '';
    return `${field}: ${words[fault]}${spelling}`;
  });
  return new CommandFault(said.join('\n'));
}
