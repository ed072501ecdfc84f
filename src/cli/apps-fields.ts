// The settings of an application on the command line: one table of their names in JSON and their options.
import { readFile } from 'node:fs/promises';
import { type Command, Option } from 'commander';
import { encodePicture } from '../accounts/pictures.ts';
import type { Definition, DefinitionChange, DefinitionFault } from '../applications/definition.ts';
import { readKeys } from '../applications/protocol-fields.ts';
import { messagesFor } from '../i18n/index.ts';
import { SCOPES } from '../oauth/scopes.ts';
import { SIGNING_ALGORITHMS } from '../oauth/signing-algorithms.ts';
import { CommandFault } from './context.ts';
import { wholeNumber } from './run.ts';

interface Field {
  /** The name in JSON, as `apps show --json` prints it. */
  json: string;
  options: Option[];
  /** Reads the value of the option; without it the value is taken as it is. */
  read?: (value: never) => unknown;
}

const option = (flags: string, description?: string) => new Option(flags, description);
const flag = (name: string, description: string, negated?: string) => [
  option(`--${name}`, description),
  option(`--no-${name}`, negated),
];
const unique = (entries: string[]) => [...new Set(entries.map((entry) => entry.trim()).filter(Boolean))];
const asLink = (text: string) => text.trim() || null;

const FIELDS: Record<keyof Definition, Field> = {
  name: { json: 'name', options: [option('--name <name>')] },
  redirectUris: {
    json: 'redirect_uris',
    options: [option('--callback <url...>', 'the callback URLs (redirect_uris), one or more')],
    read: unique,
  },
  scopes: {
    json: 'scopes',
    options: [option('--scopes <names>', `space-separated, of ${SCOPES.join(' ')}`)],
    read: (text: string) => unique(text.split(/[\s,]+/)),
  },
  standard: {
    json: 'standard',
    options: flag(
      'standard',
      'standard OpenID Connect: standard claims, state optional',
      'the claims of the sign-in button protocol',
    ),
  },
  idTokenClaims: {
    json: 'id_token_claims',
    options: [
      option(
        '--id-token-claims <when>',
        'whether id_tokens carry the claims of the granted scopes; auto: in standard mode',
      ).choices(['auto', 'always', 'never']),
    ],
    read: (when: 'auto' | 'always' | 'never') => ({ auto: null, always: true, never: false })[when],
  },
  idTokenAlgorithm: {
    json: 'id_token_algorithm',
    options: [
      option('--id-token-algorithm <name>', 'id_token_signed_response_alg').choices(SIGNING_ALGORITHMS),
    ],
  },
  refreshGrace: {
    json: 'refresh_grace',
    options: [
      option(
        '--refresh-grace <seconds>',
        'how long a superseded refresh token may be repeated: 0 to 60 (a new application has 10)',
      ).argParser(wholeNumber),
    ],
  },
  postLogoutRedirectUris: {
    json: 'post_logout_redirect_uris',
    options: [option('--post-logout-redirect-uri <url...>', 'where people return to after sign-out')],
    read: unique,
  },
  backchannelLogoutUri: {
    json: 'backchannel_logout_uri',
    read: asLink,
    options: [option('--backchannel-logout-uri <url>', 'which URL is called at sign-outs')],
  },
  parRequired: {
    json: 'par_required',
    options: flag('par-required', 'accept only pushed authorization requests (RFC 9126)'),
  },
  pkceRequired: {
    json: 'pkce_required',
    options: flag('pkce-required', 'accept only requests with PKCE, as a public application has to send'),
  },
  secondFactorRequired: {
    json: 'second_factor_required',
    options: flag('second-factor-required', 'let only people in who have shown a second factor'),
  },
  deviceFlow: {
    json: 'device_flow',
    options: flag('device-flow', 'let devices sign in with a code (RFC 8628)'),
  },
  jwks: {
    json: 'jwks',
    options: [
      option('--jwks <file>', 'public keys to authenticate with (private_key_jwt), a JWK Set'),
      option('--no-jwks'),
    ],
    read: async (path: string | false) =>
      path === false ? null : keysIn(path, (await bytesOf(path)).toString('utf8')),
  },
  homePage: {
    json: 'home_page',
    read: asLink,
    options: [option('--home-page <url>', 'client_uri, shown when agreement is asked')],
  },
  privacyPolicy: {
    json: 'privacy_policy',
    read: asLink,
    options: [option('--privacy-policy <url>', 'policy_uri')],
  },
  termsOfService: {
    json: 'terms_of_service',
    read: asLink,
    options: [option('--terms-of-service <url>', 'tos_uri')],
  },
};
const ENTRIES = Object.entries(FIELDS) as [keyof Definition, Field][];

/** The settings of an application by their names in JSON. */
export const asJson = (definition: Definition): Record<string, unknown> =>
  Object.fromEntries(ENTRIES.map(([key, { json }]) => [json, definition[key]]));

/** The options of `apps create` and `apps update`: parsed values by the names of commander. */
export interface SettingsOptions {
  logo?: string | false;
  [option: string]: unknown;
}

/** Adds the options. Lists replace those that are there; '' empties a list or a link. */
export function withSettings(command: Command): Command {
  for (const [, { options }] of ENTRIES) for (const one of options) command.addOption(one);
  return command.option('--logo <file>', 'PNG, JPEG or WebP').option('--no-logo');
}

/** The settings that the options name. @throws CommandFault for files that can't be used */
export async function readSettings(options: SettingsOptions): Promise<DefinitionChange> {
  const change: Record<string, unknown> = {};
  for (const [key, field] of ENTRIES) {
    const value = options[field.options[0]?.attributeName() ?? ''];
    if (value !== undefined) change[key] = field.read ? await field.read(value as never) : value;
  }
  if (options.logo !== undefined) change.logo = options.logo === false ? null : await logoIn(options.logo);
  return change as DefinitionChange;
}

async function keysIn(path: string, text: string): Promise<Definition['jwks']> {
  const keys = await readKeys(text);
  if (keys === null) throw new CommandFault(`${path} is empty.`);
  if ('fault' in keys)
    throw new CommandFault(`${path}: ${messagesFor('en').applications.faults[keys.fault]}`);
  return keys;
}

async function logoIn(path: string): Promise<Buffer> {
  const picture = await encodePicture(await bytesOf(path));
  if (picture === undefined)
    throw new CommandFault(`${path}: ${messagesFor('en').applications.problems.fileUnreadable}`);
  return picture;
}

async function bytesOf(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    throw new CommandFault(`${path} cannot be read: ${(error as NodeJS.ErrnoException).code}.`);
  }
}

/** Errors in the words of the console, with what they are about. */
export const faultsInWords = (faults: readonly DefinitionFault[]): CommandFault =>
  new CommandFault(faults.map(inWords).join('\n        '));

function inWords(fault: DefinitionFault): string {
  const words = messagesFor('en').applications.faults[fault.fault];
  if ('scope' in fault)
    return `Unknown scope ${JSON.stringify(fault.scope)}; there are ${SCOPES.join(', ')}.`;
  if ('uri' in fault) return `Callback URL ${JSON.stringify(fault.uri.slice(0, 200))}: ${words}`;
  const about =
    'entry' in fault && fault.entry !== undefined ? ` ${JSON.stringify(fault.entry.slice(0, 200))}` : '';
  return SAID_ALONE.has(fault.field) ? words : `${fault.field}${about}: ${words}`;
}

/** Faults whose words name what they are about. */
const SAID_ALONE = new Set<string>(['name', 'redirect_uris', 'scopes']);
