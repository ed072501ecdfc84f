// Maps a client's settings to command-line options and JSON keys.
import { readFile } from 'node:fs/promises';
import { type Command, Option } from 'commander';
import { encodePicture } from '../accounts/pictures.ts';
import type {
  ClientDefinition,
  ClientDefinitionChange,
  ClientDefinitionError,
} from '../clients/definition.ts';
import { parsePublicKeys } from '../clients/protocol-fields.ts';
import { messagesFor } from '../i18n/index.ts';
import { SCOPES } from '../oauth/scopes.ts';
import { SIGNING_ALGORITHMS } from '../oauth/signing-algorithms.ts';
import { CommandError } from './context.ts';
import { parseWholeNumber } from './run.ts';

interface Field {
  json: string;
  options: Option[];
  read?: (value: never) => unknown;
}

const createOption = (flags: string, description?: string) => new Option(flags, description);
const createFlag = (name: string, description: string, negated: string) => [
  createOption(`--${name}`, description),
  createOption(`--no-${name}`, negated),
];
const normalizeEntries = (entries: string[]) => [
  ...new Set(entries.map((entry) => entry.trim()).filter(Boolean)),
];
const emptyToNull = (text: string) => text.trim() || null;

const FIELDS: Record<keyof ClientDefinition, Field> = {
  name: { json: 'name', options: [createOption('--name <name>', 'display name')] },
  redirectUris: {
    json: 'redirect_uris',
    options: [createOption('--callback <url...>', 'callback URLs (redirect_uris)')],
    read: normalizeEntries,
  },
  scopes: {
    json: 'scopes',
    options: [createOption('--scopes <names>', `space-separated list of scopes: ${SCOPES.join(', ')}`)],
    read: (text: string) => normalizeEntries(text.split(/[\s,]+/)),
  },
  standard: {
    json: 'standard',
    options: createFlag(
      'standard',
      'use the standard claim names (OpenID Connect); state is optional',
      'use the native claim names; state is required (default)',
    ),
  },
  idTokenClaims: {
    json: 'id_token_claims',
    options: [
      createOption(
        '--id-token-claims <when>',
        'when ID tokens include profile claims (auto: only with --standard)',
      ).choices(['auto', 'always', 'never']),
    ],
    read: (when: 'auto' | 'always' | 'never') => ({ auto: null, always: true, never: false })[when],
  },
  idTokenAlgorithm: {
    json: 'id_token_algorithm',
    options: [
      createOption(
        '--id-token-algorithm <name>',
        'signature algorithm of ID tokens (id_token_signed_response_alg)',
      ).choices(SIGNING_ALGORITHMS),
    ],
  },
  refreshGrace: {
    json: 'refresh_grace',
    options: [
      createOption(
        '--refresh-grace <seconds>',
        'how long a replaced refresh token stays valid, 0 to 60 (default: 10)',
      ).argParser(parseWholeNumber),
    ],
  },
  postLogoutRedirectUris: {
    json: 'post_logout_redirect_uris',
    options: [createOption('--post-logout-redirect-uri <url...>', 'allowed redirect URIs after sign-out')],
    read: normalizeEntries,
  },
  backchannelLogoutUri: {
    json: 'backchannel_logout_uri',
    read: emptyToNull,
    options: [createOption('--backchannel-logout-uri <url>', 'URL that receives logout tokens')],
  },
  parRequired: {
    json: 'par_required',
    options: createFlag(
      'par-required',
      'require pushed authorization requests (RFC 9126)',
      'make pushed authorization requests optional',
    ),
  },
  pkceRequired: {
    json: 'pkce_required',
    options: createFlag(
      'pkce-required',
      'require PKCE (always required for public applications)',
      'make PKCE optional',
    ),
  },
  mfaRequired: {
    json: 'mfa_required',
    options: createFlag(
      'mfa-required',
      'require multi-factor authentication',
      'make multi-factor authentication optional',
    ),
  },
  deviceFlow: {
    json: 'device_flow',
    options: createFlag(
      'device-flow',
      'allow the device authorization flow (RFC 8628)',
      'disable the device authorization flow',
    ),
  },
  jwks: {
    json: 'jwks',
    options: [
      createOption('--jwks <file>', 'file with a JWK Set of public keys for private_key_jwt'),
      createOption('--no-jwks', 'remove the keys'),
    ],
    read: async (path: string | false) =>
      path === false ? null : parseKeys(path, (await readBytes(path)).toString('utf8')),
  },
  homePage: {
    json: 'home_page',
    read: emptyToNull,
    options: [createOption('--home-page <url>', 'home page (client_uri), shown on the consent page')],
  },
  privacyPolicy: {
    json: 'privacy_policy',
    read: emptyToNull,
    options: [createOption('--privacy-policy <url>', 'privacy policy (policy_uri)')],
  },
  termsOfService: {
    json: 'terms_of_service',
    read: emptyToNull,
    options: [createOption('--terms-of-service <url>', 'terms of service (tos_uri)')],
  },
};
const FIELD_ENTRIES = Object.entries(FIELDS) as [keyof ClientDefinition, Field][];

export const settingsToJson = (definition: ClientDefinition): Record<string, unknown> =>
  Object.fromEntries(FIELD_ENTRIES.map(([key, { json }]) => [json, definition[key]]));

export interface SettingsOptions {
  logo?: string | false;
  [option: string]: unknown;
}

export function addSettingsOptions(command: Command): Command {
  for (const [, { options }] of FIELD_ENTRIES)
    for (const settingOption of options) command.addOption(settingOption);
  return command.option('--logo <file>', 'logo (PNG, JPEG or WebP)').option('--no-logo', 'remove the logo');
}

export async function readSettingsOptions(options: SettingsOptions): Promise<ClientDefinitionChange> {
  const change: Record<string, unknown> = {};
  for (const [key, field] of FIELD_ENTRIES) {
    const value = options[field.options[0]?.attributeName() ?? ''];
    if (value !== undefined) change[key] = field.read ? await field.read(value as never) : value;
  }
  if (options.logo !== undefined) change.logo = options.logo === false ? null : await readLogo(options.logo);
  return change as ClientDefinitionChange;
}

async function parseKeys(path: string, text: string): Promise<ClientDefinition['jwks']> {
  const keys = await parsePublicKeys(text);
  if (keys === null) throw new CommandError(`${path} is empty. It must contain a JWK Set.`);
  if ('code' in keys) throw new CommandError(`${path}: ${messagesFor('en').applications.errors[keys.code]}`);
  return keys;
}

async function readLogo(path: string): Promise<Buffer> {
  const picture = await encodePicture(await readBytes(path));
  if (picture === undefined)
    throw new CommandError(`${path}: ${messagesFor('en').applications.problems.fileUnreadable}`);
  return picture;
}

async function readBytes(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    throw new CommandError(`Can't read ${path}: ${(error as NodeJS.ErrnoException).code}.`);
  }
}

export const createValidationError = (errors: readonly ClientDefinitionError[]): CommandError =>
  new CommandError(errors.map(describeError).join('\n        '));

function describeError(error: ClientDefinitionError): string {
  const message = messagesFor('en').applications.errors[error.code];
  if ('scope' in error)
    return `Unknown scope ${JSON.stringify(error.scope)}. Valid scopes: ${SCOPES.join(', ')}.`;
  if ('uri' in error) return `Callback URL ${JSON.stringify(error.uri.slice(0, 200))}: ${message}`;
  const entry =
    'entry' in error && error.entry !== undefined ? ` ${JSON.stringify(error.entry.slice(0, 200))}` : '';
  return FIELDS_NAMED_IN_MESSAGE.has(error.field) ? message : `${error.field}${entry}: ${message}`;
}

const FIELDS_NAMED_IN_MESSAGE = new Set<string>(['name', 'redirect_uris', 'scopes']);
