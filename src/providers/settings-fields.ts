// Validates an identity provider's settings. Error codes are message keys in src/i18n.
import { createPrivateKey } from 'node:crypto';
import { domainToASCII } from 'node:url';
import { cleanName, findNameError, type NameError } from '../accounts/account-fields.ts';
import {
  type IdentityProvider,
  isProviderId,
  type ProviderOptions,
  type ProviderPreset,
} from '../oauth/identity-provider.ts';
import { isLoopbackIp } from '../oauth/public-ip.ts';

export const PROVIDER_SETTINGS = [
  'issuer',
  'tenants',
  'personal_accounts',
  'client_id',
  'team_id',
  'key_id',
  'secret',
  'token_auth',
  'email_domains',
  'mfa_acrs',
] as const;
export type ProviderSetting = (typeof PROVIDER_SETTINGS)[number];

const CLIENT_SETTINGS = ['client_id', 'secret'] as const;
const COMMON_SETTINGS = [...CLIENT_SETTINGS, 'email_domains'] as const;

/**
 * Presets without `issuer` have a fixed issuer. Microsoft and ProConnect never report verified email addresses, so
 * they have no `email_domains`.
 */
export const SETTINGS_BY_PRESET: Record<ProviderPreset, readonly ProviderSetting[]> = {
  oidc: ['issuer', ...COMMON_SETTINGS, 'token_auth', 'mfa_acrs'],
  google: COMMON_SETTINGS,
  microsoft: ['tenants', 'personal_accounts', ...CLIENT_SETTINGS],
  apple: [...COMMON_SETTINGS, 'team_id', 'key_id'],
  gitlab: ['issuer', ...COMMON_SETTINGS],
  proconnect: ['issuer', ...CLIENT_SETTINGS, 'mfa_acrs'],
  github: COMMON_SETTINGS,
};

export const TOKEN_AUTH_METHODS = ['client_secret_basic', 'client_secret_post'] as const;
type TokenAuthMethod = (typeof TOKEN_AUTH_METHODS)[number];

/** Settings that the preset doesn't have are ignored. */
export interface ProviderFields {
  providerId: string;
  name: string;
  issuer: string;
  clientId: string;
  /** The client secret or Apple's private key. Empty to keep the current one. */
  secret: string;
  teamId: string;
  keyId: string;
  tenants: readonly string[];
  /** Whether personal Microsoft accounts may sign in. Used if `tenants` is empty. */
  personalAccounts: boolean;
  /** Empty to use the method in the discovery document. */
  tokenAuth: '' | TokenAuthMethod;
  emailDomains: readonly string[];
  /** The provider's `acr` values that count as MFA. */
  mfaAcrs: readonly string[];
}

export const EMPTY_FIELDS: ProviderFields = {
  ...{ providerId: '', name: '', issuer: '', clientId: '', secret: '', teamId: '', keyId: '' },
  ...{ tenants: [], personalAccounts: false, tokenAuth: '', emailDomains: [], mfaAcrs: [] },
};

export type ProviderFieldError =
  | { field: 'name'; code: NameError | 'nameTaken' }
  | {
      field: 'provider_id' | 'issuer';
      code: 'idInvalid' | 'idReserved' | 'idTaken' | IssuerError | 'issuerTaken';
    }
  /** Reported for `preset` if the form has no issuer field. */
  | { field: 'preset'; code: 'issuerTaken' }
  | { field: 'client_id'; code: 'clientIdMissing' | 'clientIdInvalid' }
  | { field: 'secret'; code: 'secretMissing' | 'secretInvalid' | 'secretIsId' | 'appleKeyInvalid' }
  | { field: 'team_id'; code: 'teamIdInvalid' }
  | { field: 'key_id'; code: 'keyIdInvalid' }
  | { field: ListSetting; code: 'tooManyEntries' }
  | {
      field: ListSetting;
      code: 'tenantInvalid' | 'emailDomainInvalid' | 'mfaAcrInvalid';
      entry: string;
    };

type ListSetting = 'tenants' | 'email_domains' | 'mfa_acrs';

type IssuerError =
  | 'issuerMissing'
  | 'issuerInvalid'
  | 'issuerNotHttps'
  | 'issuerNotLoopback'
  | 'issuerHasQuery'
  | 'issuerIsDocument'
  | 'issuerIsThisService';

const MAX_ISSUER_LENGTH = 500;
const MAX_CLIENT_ID_LENGTH = 500;
const MAX_SECRET_LENGTH = 4000;
const MAX_ENTRIES = 50;
const MAX_ENTRY_LENGTH = 253;

/** Path segments of the Administration pages, which can't be provider IDs. */
const RESERVED_IDS = ['new'];

const PRINTABLE = /^[\x21-\x7e]+$/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const APPLE_TEAM_OR_KEY_ID = /^[A-Z0-9]{10}$/;
const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/;

interface Environment {
  production: boolean;
  baseUrl: string;
}

export const validateNewProvider = (
  preset: ProviderPreset,
  fields: ProviderFields,
  environment: Environment,
): ProviderFieldError[] => {
  const errors: ProviderFieldError[] = [];
  const { providerId } = fields;
  if (!isProviderId(providerId)) errors.push({ field: 'provider_id', code: 'idInvalid' });
  else if (RESERVED_IDS.includes(providerId)) errors.push({ field: 'provider_id', code: 'idReserved' });
  const issuerError = SETTINGS_BY_PRESET[preset].includes('issuer')
    ? validateIssuer(fields.issuer, environment)
    : undefined;
  if (issuerError !== undefined) errors.push({ field: 'issuer', code: issuerError });
  if (fields.secret === '') errors.push({ field: 'secret', code: 'secretMissing' });
  return sortByField([...errors, ...validateProvider(preset, fields)]);
};

export function validateProvider(preset: ProviderPreset, fields: ProviderFields): ProviderFieldError[] {
  const settings = SETTINGS_BY_PRESET[preset];
  const errors: ProviderFieldError[] = [];
  const nameError = findNameError(cleanName(fields.name));
  if (nameError !== undefined) errors.push({ field: 'name', code: nameError });
  if (fields.clientId === '') errors.push({ field: 'client_id', code: 'clientIdMissing' });
  else if (!PRINTABLE.test(fields.clientId) || fields.clientId.length > MAX_CLIENT_ID_LENGTH)
    errors.push({ field: 'client_id', code: 'clientIdInvalid' });
  const secretError = fields.secret === '' ? undefined : validateSecret(preset, fields.secret);
  if (secretError !== undefined) errors.push({ field: 'secret', code: secretError });
  if (settings.includes('team_id') && !APPLE_TEAM_OR_KEY_ID.test(fields.teamId))
    errors.push({ field: 'team_id', code: 'teamIdInvalid' });
  if (settings.includes('key_id') && !APPLE_TEAM_OR_KEY_ID.test(fields.keyId))
    errors.push({ field: 'key_id', code: 'keyIdInvalid' });
  const lists = [
    ['tenants', 'tenantInvalid', fields.tenants, (entry: string) => UUID.test(entry)],
    [
      'email_domains',
      'emailDomainInvalid',
      fields.emailDomains,
      (entry: string) => DOMAIN.test(toAsciiDomain(entry)),
    ],
    ['mfa_acrs', 'mfaAcrInvalid', fields.mfaAcrs, (entry: string) => PRINTABLE.test(entry)],
  ] as const;
  for (const [field, code, entries, isValid] of lists) {
    if (!settings.includes(field)) continue;
    if (entries.length > MAX_ENTRIES) errors.push({ field, code: 'tooManyEntries' });
    const entry = entries.find((one) => one.length > MAX_ENTRY_LENGTH || !isValid(one));
    if (entry !== undefined) errors.push({ field, code, entry });
  }
  return sortByField(errors);
}

const FIELD_ORDER: readonly string[] = ['name', 'provider_id', ...PROVIDER_SETTINGS];

const sortByField = (errors: readonly ProviderFieldError[]): ProviderFieldError[] =>
  errors.toSorted((a, b) => FIELD_ORDER.indexOf(a.field) - FIELD_ORDER.indexOf(b.field));

function validateIssuer(issuer: string, { production, baseUrl }: Environment): IssuerError | undefined {
  if (issuer === '') return 'issuerMissing';
  if (issuer.length > MAX_ISSUER_LENGTH || !PRINTABLE.test(issuer) || !URL.canParse(issuer))
    return 'issuerInvalid';
  const { protocol, username, password, origin, hostname } = new URL(issuer);
  // The URL parser accepts `https:host` and backslashes. RFC 3986 §3.2 doesn't.
  if (!/^https?:\/\/[^/?#\\]/i.test(issuer) || issuer.includes('\\')) return 'issuerInvalid';
  if (username !== '' || password !== '') return 'issuerInvalid';
  if (protocol !== 'https:' && production) return 'issuerNotHttps';
  if (protocol !== 'https:' && !isLoopbackHost(hostname)) return 'issuerNotLoopback';
  if (/[?#]/.test(issuer)) return 'issuerHasQuery';
  if (issuer.includes('/.well-known/')) return 'issuerIsDocument';
  return origin === new URL(baseUrl).origin ? 'issuerIsThisService' : undefined;
}

const isLoopbackHost = (hostname: string): boolean =>
  hostname === 'localhost' || isLoopbackIp(hostname.replace(/^\[|\]$/g, ''));

function validateSecret(preset: ProviderPreset, secret: string) {
  if (secret.length > MAX_SECRET_LENGTH) return preset === 'apple' ? 'appleKeyInvalid' : 'secretInvalid';
  if (preset === 'apple') return isApplePrivateKey(secret) ? undefined : 'appleKeyInvalid';
  if (!/^[\x20-\x7e]+$/.test(secret)) return 'secretInvalid'; // RFC 6749 appendix A.2.
  // Entra ID shows a secret's ID next to the secret.
  return preset === 'microsoft' && UUID.test(secret) ? 'secretIsId' : undefined;
}

function isApplePrivateKey(pem: string): boolean {
  try {
    const key = createPrivateKey(pem);
    return key.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === 'prime256v1';
  } catch {
    return false;
  }
}

const toAsciiDomain = (text: string): string => domainToASCII(text.replace(/^@/, ''));

export function toProviderSettings(
  preset: ProviderPreset,
  fields: ProviderFields,
): Pick<IdentityProvider, 'name' | 'clientId' | 'options' | 'trustedEmailDomains'> {
  const settings = SETTINGS_BY_PRESET[preset];
  const options: ProviderOptions = {
    ...(settings.includes('tenants') && { tenants: unique(fields.tenants.map((id) => id.toLowerCase())) }),
    ...(settings.includes('personal_accounts') &&
      fields.personalAccounts && { personalAccounts: true as const }),
    ...(settings.includes('token_auth') &&
      fields.tokenAuth !== '' && { tokenEndpointAuthMethod: fields.tokenAuth }),
    ...(settings.includes('team_id') && { teamId: fields.teamId }),
    ...(settings.includes('key_id') && { keyId: fields.keyId }),
    ...(settings.includes('mfa_acrs') && {
      acrs: Object.fromEntries(fields.mfaAcrs.map((acr) => [acr, '2' as const])),
    }),
  };
  return {
    name: cleanName(fields.name),
    clientId: fields.clientId,
    options,
    trustedEmailDomains: settings.includes('email_domains')
      ? unique(fields.emailDomains.map(toAsciiDomain))
      : [],
  };
}

export const toProviderFields = (provider: IdentityProvider): ProviderFields => ({
  providerId: provider.providerId,
  name: provider.name,
  issuer: provider.issuer,
  clientId: provider.clientId,
  secret: '',
  teamId: provider.options.teamId ?? '',
  keyId: provider.options.keyId ?? '',
  tenants: provider.options.tenants ?? [],
  personalAccounts: provider.options.personalAccounts === true,
  tokenAuth: provider.options.tokenEndpointAuthMethod ?? '',
  emailDomains: provider.trustedEmailDomains,
  mfaAcrs: Object.keys(provider.options.acrs ?? {}),
});

const unique = (values: readonly string[]): string[] => [...new Set(values)];
