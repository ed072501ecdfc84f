// sesame apis: registers and manages APIs.

import type { Command } from 'commander';
import { cleanName } from '../accounts/account-fields.ts';
import { registerApi } from '../apis/registration.ts';
import { type ScopeError, validateScope } from '../apis/scope-fields.ts';
import { addScope, removeScope } from '../apis/scopes.ts';
import {
  type ApiSettingsError,
  isClientAccessLevel,
  validateApi,
  validateApiRegistration,
} from '../apis/settings-fields.ts';
import { updateApi } from '../apis/updates.ts';
import { messagesFor } from '../i18n/index.ts';
import type { AllowedClients } from '../oauth/api.ts';
import { canonicalizeApiIdentifier } from '../oauth/api-identifier.ts';
import { listApis as listAllApis } from '../store/admin-apis.ts';
import { findOwnedApi } from '../store/owned-apis.ts';
import { lockOwner } from '../store/owned-resources.ts';
import { CommandError, type Context } from './context.ts';
import { type CreateAction, formatExamples, parseWholeNumber } from './run.ts';
import {
  addSharedCommands,
  createNotFoundError,
  findNewOwner,
  listValidSecrets,
  requireOwner,
} from './shared-commands.ts';

interface ApiOptions {
  name?: string;
  descriptionFr?: string;
  descriptionEn?: string;
  allowedClients?: string;
  tokenLifetime?: number;
}

const listApis = async ({ database }: Context) => ({
  columns: ['api_id', 'name', 'identifier', 'owner', 'allowed_clients', 'scopes'],
  rows: (await listAllApis(database)).map((api) => ({
    api_id: api.apiId,
    identifier: api.identifier,
    name: api.name,
    owner: api.ownerEmail,
    allowed_clients: api.allowedClients,
    scopes: api.scopes.map(({ name }) => name),
    suspended: api.suspendedAt !== null,
    created_at: api.createdAt,
  })),
});

async function showApi(context: Context, apiId: string) {
  const { contact, api } = await findWithOwner(context, apiId);
  return {
    api_id: apiId,
    owner: contact.email,
    identifier: api.identifier,
    name: api.name,
    description_fr: api.descriptionFr,
    description_en: api.descriptionEn,
    allowed_clients: api.allowedClients,
    token_lifetime: api.tokenLifetime,
    scopes: api.scopes,
    jwks: api.jwks,
    suspended: api.suspended,
    created_at: api.createdAt,
    secrets: await listValidSecrets(context, contact.userId, apiId),
  };
}

async function createApi(
  context: Context,
  options: Required<ApiOptions> & { owner: string; identifier: string },
) {
  const { owner: email, identifier, descriptionFr, descriptionEn, ...settings } = options;
  const fields = {
    ...settings,
    descriptionFr,
    descriptionEn,
    identifier,
    allowedClients: parseAllowedClients(settings.allowedClients),
  };
  requireValid(validateApiRegistration(fields, context.config), identifier);
  const owner = await findNewOwner(context, email);
  const apiId = await context.database.transaction(async (transaction) => {
    await lockOwner(transaction, owner.userId);
    return registerApi(transaction, owner, fields, context.now);
  });
  if (apiId === undefined)
    throw createValidationError([{ field: 'identifier', code: 'identifierTaken' }], identifier);
  return { api_id: apiId, identifier, name: cleanName(fields.name) };
}

async function updateApiSettings(context: Context, apiId: string, options: ApiOptions) {
  const { database, now } = context;
  if (Object.keys(options).filter((name) => name !== 'json').length === 0)
    throw new CommandError('Nothing to change. To list the options, run: sesame apis update --help');
  const { owner, api } = await findWithOwner(context, apiId);
  const { name, tokenLifetime } = { ...api, ...options };
  const { descriptionFr = api.descriptionFr, descriptionEn = api.descriptionEn } = options;
  const allowedClients =
    options.allowedClients === undefined ? api.allowedClients : parseAllowedClients(options.allowedClients);
  const input = { name, descriptionFr, descriptionEn, allowedClients, tokenLifetime };
  requireValid(validateApi(input));
  await database.transaction((transaction) => updateApi(transaction, owner, apiId, input, now));
  return showApi(context, apiId);
}

async function addScopeTo(
  context: Context,
  apiId: string,
  name: string,
  options: { descriptionFr: string; descriptionEn: string; sensitive?: boolean; agents?: boolean },
) {
  const { owner } = await findWithOwner(context, apiId);
  const { descriptionFr: fr, descriptionEn: en, sensitive = false, agents = false } = options;
  const scope = { name, fr, en, sensitive, agents };
  requireValid(validateScope(scope));
  const outcome = await addScope(context.database, owner, apiId, scope, context.now);
  if (outcome === 'notFound') throw createNotFoundError('api', apiId);
  if (outcome !== 'added') throw new CommandError(messagesFor('en').apis.errors[outcome]);
  return { api_id: apiId, added: name };
}

async function removeScopeFrom(context: Context, apiId: string, name: string) {
  const { owner } = await findWithOwner(context, apiId);
  const { database, now } = context;
  const outcome = await database.transaction((transaction) =>
    removeScope(transaction, owner, apiId, name, now),
  );
  if (outcome === 'notFound')
    throw new CommandError(
      `The API has no scope ${name}. To list its scopes, run: sesame apis show ${apiId}`,
    );
  return { api_id: apiId, removed: name };
}

async function findWithOwner(context: Context, apiId: string) {
  const { contact, owner } = await requireOwner(context, 'api', apiId);
  const api = await findOwnedApi(context.database, owner.userId, apiId);
  if (api === undefined) throw createNotFoundError('api', apiId);
  return { contact, api, owner };
}

function parseAllowedClients(text: string): AllowedClients {
  if (!isClientAccessLevel(text))
    throw new CommandError('--allowed-clients must be own, applications or agents.');
  return text;
}

function requireValid(errors: readonly (ApiSettingsError | ScopeError)[], identifier?: string): void {
  if (errors.length > 0) throw createValidationError(errors, identifier);
}

function createValidationError(
  errors: readonly (ApiSettingsError | ScopeError)[],
  identifier = '',
): CommandError {
  const messages: Record<string, string> = messagesFor('en').apis.errors;
  const lines = errors.map(({ field = 'scopes', code }) => {
    const suggestion = code === 'identifierNotCanonical' ? ` ${canonicalizeApiIdentifier(identifier)}` : '';
    return `${field}: ${messages[code]}${suggestion}`;
  });
  return new CommandError(lines.join('\n'));
}

const ALLOWED_CLIENTS_DESCRIPTION =
  'who may request tokens: own (applications of the same owner), applications (all applications) or agents (applications and agents)';

export function addApiCommands(program: Command, run: CreateAction): void {
  const apis = program
    .command('apis')
    .description('Manage APIs')
    .addHelpText(
      'after',
      formatExamples(
        'apis list',
        'apis add-scope api_123 notes.read --description-en "Read your notes"',
        'apis rotate-secret api_123',
      ),
    );
  apis
    .command('create')
    .description('Register an API. To add scopes and create a secret, use add-scope and rotate-secret')
    .requiredOption('--owner <email>', "email address of the API's owner")
    .requiredOption('--identifier <url>', "URL of the API and audience of its tokens; can't be changed later")
    .requiredOption('--name <name>', 'display name')
    .option('--description-fr <text>', 'description in French (one language is enough)', '')
    .option('--description-en <text>', 'description in English', '')
    .option('--allowed-clients <clients>', ALLOWED_CLIENTS_DESCRIPTION, 'own')
    .option(
      '--token-lifetime <seconds>',
      "lifetime of the API's access tokens, 60 to 86400",
      parseWholeNumber,
      3600,
    )
    .action(run(createApi));
  apis
    .command('update')
    .description("Update an API's settings")
    .argument('<api-id>')
    .option('--name <name>', 'display name')
    .option('--description-fr <text>', 'description in French')
    .option('--description-en <text>', 'description in English')
    .option('--allowed-clients <clients>', ALLOWED_CLIENTS_DESCRIPTION)
    .option(
      '--token-lifetime <seconds>',
      "lifetime of the API's access tokens, 60 to 86400",
      parseWholeNumber,
    )
    .action(run(updateApiSettings));
  apis
    .command('show')
    .description("Show an API's settings, scopes and valid secrets")
    .argument('<api-id>')
    .action(run(showApi));
  apis.command('list').description('List all APIs').action(run(listApis));
  apis
    .command('add-scope')
    .description('Add a scope to an API')
    .argument('<api-id>')
    .argument('<scope>')
    .option('--description-fr <text>', 'description in French (one language is enough)', '')
    .option('--description-en <text>', 'description in English', '')
    .option('--sensitive', 'ask users to approve the scope every time it is requested')
    .option('--agents', 'allow agents to request the scope')
    .action(run(addScopeTo));
  apis
    .command('remove-scope')
    .description('Remove a scope from an API. Clients lose the scope at their next token refresh')
    .argument('<api-id>')
    .argument('<scope>')
    .action(run(removeScopeFrom));
  addSharedCommands(apis, run, 'api', [
    ['suspend', 'suspend', 'Suspend an API: stop issuing tokens and refuse introspection'],
    ['unsuspend', 'unsuspend', 'Unsuspend an API'],
  ]);
}
