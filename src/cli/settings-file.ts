// An application's settings in JSON, as `apps show --json` prints them and `--from` reads them.
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import type { Definition, DefinitionChange } from '../applications/definition.ts';
import { readKeys } from '../applications/protocol-fields.ts';
import { messagesFor } from '../i18n/index.ts';
import { SIGNING_ALGORITHMS } from '../oauth/signing-algorithms.ts';
import { CommandFault } from './context.ts';

/** Every setting by its name in JSON; the list is whole, or this does not compile. */
const NAMES = {
  name: 'name',
  redirectUris: 'redirect_uris',
  scopes: 'scopes',
  standard: 'standard',
  idTokenClaims: 'id_token_claims',
  idTokenAlgorithm: 'id_token_algorithm',
  refreshGrace: 'refresh_grace',
  homePage: 'home_page',
  privacyPolicy: 'privacy_policy',
  termsOfService: 'terms_of_service',
  postLogoutRedirectUris: 'post_logout_redirect_uris',
  backchannelLogoutUri: 'backchannel_logout_uri',
  parRequired: 'par_required',
  pkceRequired: 'pkce_required',
  secondFactorRequired: 'second_factor_required',
  deviceFlow: 'device_flow',
  jwks: 'jwks',
} as const satisfies Record<keyof Definition, string>;

const list = z.array(z.string());
const link = z.string().nullable();
const SETTINGS = {
  name: z.string(),
  redirect_uris: list,
  scopes: list,
  standard: z.boolean(),
  id_token_claims: z.boolean().nullable(),
  id_token_algorithm: z.enum(SIGNING_ALGORITHMS),
  refresh_grace: z.number(),
  home_page: link,
  privacy_policy: link,
  terms_of_service: link,
  post_logout_redirect_uris: list,
  backchannel_logout_uri: link,
  par_required: z.boolean(),
  pkce_required: z.boolean(),
  second_factor_required: z.boolean(),
  device_flow: z.boolean(),
  jwks: z.unknown(),
} satisfies Record<(typeof NAMES)[keyof Definition], z.ZodType>;

/** What `apps show` says besides: it can stay in the file, and changes nothing. */
const TOLD = ['client_id', 'owner', 'logo_uri', 'verified', 'suspended', 'created_at', 'secrets'];
const FILE = z
  .strictObject({
    ...SETTINGS,
    type: z.enum(['confidential', 'public']),
    ...Object.fromEntries(TOLD.map((name) => [name, z.unknown()])),
  })
  .partial();

/** The settings of an application by their names in JSON. */
export const asJson = (definition: Definition): Record<string, unknown> =>
  Object.fromEntries(Object.entries(NAMES).map(([key, name]) => [name, definition[key as keyof Definition]]));

export interface SettingsFile {
  type?: 'confidential' | 'public' | undefined;
  change: DefinitionChange;
}

/** Reads settings from a file. @throws CommandFault that says everything that is wrong with its form */
export async function readSettingsFile(path: string): Promise<SettingsFile> {
  const parsed = FILE.safeParse(asParsed(path, await textOf(path)));
  if (!parsed.success)
    throw new CommandFault(
      parsed.error.issues
        .map(({ path: at, message }) => `${path}: ${at.length === 0 ? '' : `${at.join('.')}: `}${message}`)
        .join('\n        '),
    );
  const given = parsed.data as Record<string, unknown>;
  const entries = Object.entries(NAMES).flatMap(([key, name]) => {
    const value = given[name];
    return value === undefined ? [] : [[key, value] as const];
  });
  const change = Object.fromEntries(entries) as DefinitionChange;
  if (given.jwks !== undefined) change.jwks = await keysIn(path, JSON.stringify(given.jwks));
  return { type: given.type as SettingsFile['type'], change };
}

/** The public keys in a file. */
export const readKeysFile = async (path: string): Promise<Definition['jwks']> =>
  keysIn(path, await textOf(path));

async function keysIn(path: string, text: string): Promise<Definition['jwks']> {
  if (text === 'null') return null;
  const keys = await readKeys(text);
  if (keys === null) throw new CommandFault(`${path} is empty.`);
  if ('fault' in keys) throw new CommandFault(`${path}: ${messagesFor('en').protocol.faults[keys.fault]}`);
  return keys;
}

async function textOf(path: string): Promise<string> {
  return (await bytesOf(path)).toString('utf8');
}

/** A file as it is. @throws CommandFault when it cannot be read */
export async function bytesOf(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    throw new CommandFault(`${path} cannot be read: ${(error as NodeJS.ErrnoException).code}.`);
  }
}

function asParsed(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new CommandFault(`${path} is not JSON.`);
  }
}
