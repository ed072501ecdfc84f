// sesame apis …: registers and manages APIs.

import type { Command } from 'commander';
import { cleanName } from '../accounts/account-fields.ts';
import { changeApi } from '../apis/changes.ts';
import { registerApi } from '../apis/registration.ts';
import { type ScopeFault, scopeFaults } from '../apis/scope-fields.ts';
import { addScope, removeScope } from '../apis/scopes.ts';
import { type ApiFault, apiFaults, isAdmission, registrationFaults } from '../apis/settings-fields.ts';
import { messagesFor } from '../i18n/index.ts';
import type { Admission } from '../oauth/api.ts';
import { spellingOf } from '../oauth/api-identifier.ts';
import { listApis as listAll } from '../store/api-lists.ts';
import { findOwnApi } from '../store/own-apis.ts';
import { lockOwner } from '../store/owned.ts';
import { CommandFault, type Context } from './context.ts';
import { addOwned, newOwner, noSuchThing, ownerOf, shownSecrets } from './owned.ts';
import { type Runs, wholeNumber } from './run.ts';

interface Settings {
  name?: string;
  wordsFr?: string;
  wordsEn?: string;
  admits?: string;
  tokenLifetime?: number;
}

const listApis = async ({ database }: Context) => ({
  columns: ['api_id', 'name', 'identifier', 'owner', 'admits', 'scopes'],
  rows: (await listAll(database)).map((api) => ({
    api_id: api.apiId,
    identifier: api.identifier,
    name: api.name,
    owner: api.ownerEmail,
    admits: api.admits,
    scopes: api.scopes.map(({ name }) => name),
    suspended: api.suspendedAt !== null,
    created_at: api.createdAt,
  })),
});

async function showApi(context: Context, apiId: string) {
  const { contact, api } = await find(context, apiId);
  return {
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
    created_at: api.createdAt,
    secrets: await shownSecrets(context, contact.userId, apiId),
  };
}

async function createApi(
  context: Context,
  options: Required<Settings> & { owner: string; identifier: string },
) {
  const { owner: email, identifier, ...settings } = options;
  const fields = { ...settings, identifier, admits: admissionOf(settings.admits) };
  refuse(registrationFaults(fields, context.config), identifier);
  const owner = await newOwner(context, email);
  const apiId = await context.database.transaction(async (transaction) => {
    await lockOwner(transaction, owner.userId);
    return registerApi(transaction, owner, fields, context.now);
  });
  if (apiId === undefined) throw refusal([{ field: 'identifier', fault: 'identifierTaken' }], identifier);
  return { api_id: apiId, identifier, name: cleanName(fields.name) };
}

async function updateApi(context: Context, apiId: string, options: Settings) {
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

async function addApiScope(
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
  if (outcome === 'gone') throw noSuchThing('api', apiId);
  if (outcome !== 'added') throw new CommandFault(messagesFor('en').apis.faults[outcome]);
  return { api_id: apiId, added: name };
}

async function removeApiScope(context: Context, apiId: string, name: string) {
  const { owner } = await find(context, apiId);
  const { database, now } = context;
  const outcome = await database.transaction((transaction) =>
    removeScope(transaction, owner, apiId, name, now),
  );
  if (outcome === 'gone')
    throw new CommandFault(`The API has no scope ${name}: see sesame apis show ${apiId}.`);
  return { api_id: apiId, removed: name };
}

/** An API with its owner. @throws CommandFault */
async function find(context: Context, apiId: string) {
  const { contact, owner } = await ownerOf(context, 'api', apiId);
  const api = await findOwnApi(context.database, owner.userId, apiId);
  if (api === undefined) throw noSuchThing('api', apiId);
  return { contact, api, owner };
}

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

export function addApis(program: Command, run: Runs): void {
  const apis = program.command('apis').description('APIs that account holders own');
  apis
    .command('create')
    .description('register an API; its scopes and a secret follow')
    .requiredOption('--owner <email>', 'the account that it belongs to')
    .requiredOption('--identifier <url>', 'the URL at which programs call it; it never changes')
    .requiredOption('--name <name>')
    .requiredOption('--words-fr <words>', 'what it is, in French')
    .requiredOption('--words-en <words>', 'what it is, in English')
    .option('--admits <who>', 'own, applications or agents', 'own')
    .option('--token-lifetime <seconds>', 'of access tokens for it, 60 to 86400', wholeNumber, 3600)
    .action(run(createApi));
  apis
    .command('update')
    .description('change settings of an API')
    .argument('<api-id>')
    .option('--name <name>')
    .option('--words-fr <words>', 'what it is, in French')
    .option('--words-en <words>', 'what it is, in English')
    .option('--admits <who>', 'own, applications or agents')
    .option('--token-lifetime <seconds>', 'of access tokens for it, 60 to 86400', wholeNumber)
    .action(run(updateApi));
  apis
    .command('show')
    .description('all settings of an API, its scopes, and its live secrets by their numbers')
    .argument('<api-id>')
    .action(run(showApi));
  apis.command('list').description('list all APIs').action(run(listApis));
  apis
    .command('add-scope')
    .description('give an API one more scope')
    .argument('<api-id>')
    .argument('<scope>')
    .requiredOption('--words-fr <words>', 'what it allows, in French')
    .requiredOption('--words-en <words>', 'what it allows, in English')
    .option('--sensitive', 'asked for apart, and every time')
    .option('--agents', 'agents may ask for it')
    .action(run(addApiScope));
  apis
    .command('remove-scope')
    .description('take a scope of an API away; applications lose it at their next renewal')
    .argument('<api-id>')
    .argument('<scope>')
    .action(run(removeApiScope));
  addOwned(apis, run, 'api', [
    ['suspend', 'suspend', 'issue no more tokens for an API, and refuse its introspection'],
    ['unsuspend', 'unsuspend', 'lift the suspension of an API'],
  ]);
}
