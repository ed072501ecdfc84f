// Maps an identity provider's settings to command-line options.
import { readFile } from 'node:fs/promises';
import { text as readAll } from 'node:stream/consumers';
import type { Command } from 'commander';
import { messagesFor } from '../i18n/index.ts';
import type { ProviderPreset } from '../oauth/identity-provider.ts';
import {
  type ProviderFieldError,
  type ProviderFields,
  type ProviderSetting,
  SETTINGS_BY_PRESET,
  TOKEN_AUTH_METHODS,
} from '../providers/settings-fields.ts';
import { CommandError, type Context } from './context.ts';

export interface ProviderCommandOptions {
  name?: string;
  clientId?: string;
  secretStdin?: boolean;
  secretFile?: string;
  teamId?: string;
  keyId?: string;
  tenant?: string[];
  personalAccounts?: boolean;
  tokenAuth?: string;
  emailDomain?: string[];
  mfaAcr?: string[];
}

export const addProviderOptions = (command: Command): Command =>
  command
    .option('--name <name>', 'name on the sign-in button')
    .option('--client-id <id>', 'client ID issued by the provider')
    .option('--secret-stdin', 'read the client secret (apple: private key) from standard input')
    .option('--secret-file <file>', 'read the client secret (apple: private key) from a file')
    .option('--team-id <id>', 'apple: Team ID')
    .option('--key-id <id>', 'apple: ID of the private key')
    .option('--tenant <id...>', 'microsoft: IDs of the tenants whose users may sign in (default: all)')
    .option('--personal-accounts', 'microsoft: also allow personal accounts (only without --tenant)')
    .option('--no-personal-accounts', 'microsoft: allow only work and school accounts')
    .option(
      '--token-auth <method>',
      `oidc: client authentication at the token endpoint (automatic, ${TOKEN_AUTH_METHODS.join(' or ')})`,
    )
    .option('--email-domain <domain...>', 'domains whose verified email addresses are trusted')
    .option('--mfa-acr <value...>', 'oidc, proconnect: acr values that count as multi-factor authentication');

/** An empty value clears a list. */
export const applyOptions = (options: ProviderCommandOptions, fields: ProviderFields): ProviderFields => {
  const entries = (values: string[] | undefined) => values?.filter((value) => value !== '');
  return {
    ...fields,
    name: options.name ?? fields.name,
    clientId: options.clientId?.trim() ?? fields.clientId,
    teamId: options.teamId ?? fields.teamId,
    keyId: options.keyId ?? fields.keyId,
    tenants: entries(options.tenant) ?? fields.tenants,
    personalAccounts: options.personalAccounts ?? fields.personalAccounts,
    tokenAuth: options.tokenAuth === undefined ? fields.tokenAuth : parseTokenAuth(options.tokenAuth),
    emailDomains: entries(options.emailDomain) ?? fields.emailDomains,
    mfaAcrs: entries(options.mfaAcr) ?? fields.mfaAcrs,
  };
};

function parseTokenAuth(text: string): ProviderFields['tokenAuth'] {
  if (text === 'automatic') return '';
  const method = TOKEN_AUTH_METHODS.find((name) => name === text);
  if (method === undefined)
    throw new CommandError(`--token-auth must be automatic, ${TOKEN_AUTH_METHODS.join(' or ')}.`);
  return method;
}

/** The secret is not an argument because other users can see a process's arguments. */
export async function readSecret(
  { input }: Context,
  { secretStdin, secretFile }: ProviderCommandOptions,
): Promise<string | undefined> {
  if (secretStdin && secretFile !== undefined)
    throw new CommandError('Use either --secret-stdin or --secret-file, not both.');
  if (secretStdin) return (await readAll(input)).trim();
  if (secretFile === undefined) return undefined;
  try {
    return (await readFile(secretFile, 'utf8')).trim();
  } catch (error) {
    throw new CommandError(`Can't read ${secretFile}: ${(error as NodeJS.ErrnoException).code}.`);
  }
}

const OPTION_NAMES: Record<ProviderFieldError['field'] | ProviderSetting, string> = {
  preset: '--preset',
  provider_id: '--id',
  name: '--name',
  issuer: '--issuer',
  client_id: '--client-id',
  secret: '--secret-file or --secret-stdin',
  team_id: '--team-id',
  key_id: '--key-id',
  tenants: '--tenant',
  personal_accounts: '--personal-accounts',
  token_auth: '--token-auth',
  email_domains: '--email-domain',
  mfa_acrs: '--mfa-acr',
};

export function rejectInapplicableOptions(
  preset: ProviderPreset,
  {
    issuer,
    tenant,
    personalAccounts,
    tokenAuth,
    teamId,
    keyId,
    emailDomain,
    mfaAcr,
  }: ProviderCommandOptions & { issuer?: string | undefined },
): void {
  const given: Partial<Record<ProviderSetting, unknown>> = {
    ...{ personal_accounts: personalAccounts, token_auth: tokenAuth, email_domains: emailDomain },
    ...{ issuer, tenants: tenant, team_id: teamId, key_id: keyId, mfa_acrs: mfaAcr },
  };
  const lines = (Object.keys(given) as ProviderSetting[])
    .filter((setting) => given[setting] !== undefined && !SETTINGS_BY_PRESET[preset].includes(setting))
    .map((setting) => `${OPTION_NAMES[setting]} doesn't apply to the preset ${preset}.`);
  if (lines.length > 0) throw new CommandError(lines.join('\n'));
}

export function createSettingsError(errors: readonly ProviderFieldError[]): CommandError {
  const { errors: messages, entryError } = messagesFor('en').identityProviders;
  const lines = errors.map((error) => {
    const message = messages[error.code];
    return `${OPTION_NAMES[error.field]}: ${'entry' in error ? entryError(error.entry, message) : message}`;
  });
  return new CommandError(lines.join('\n'));
}
