// Validates a client's settings. Error codes are message keys in src/i18n.

import { cleanName, findNameError, type NameError } from '../accounts/account-fields.ts';
import { type ClientType, type RedirectUriError, validateRedirectUri } from '../oauth/redirect-uri.ts';
import { SCOPES } from '../oauth/scopes.ts';

const MAX_REDIRECT_URIS = 20;

const MAX_REFRESH_GRACE_SECONDS = 60;
const MAX_LINK_LENGTH = 500;

const LINK_FIELDS = ['home_page', 'privacy_policy', 'terms_of_service'] as const;
type LinkField = (typeof LINK_FIELDS)[number];

export type ClientSettingsError =
  | { field: 'name'; code: NameError }
  | { field: 'redirect_uris'; code: 'redirectUriMissing' | 'redirectUriOfMachine' | 'tooManyRedirectUris' }
  | { field: 'redirect_uris'; code: RedirectUriError; uri: string }
  | { field: 'scopes'; code: 'scopesMissing' }
  | { field: 'scopes'; code: 'scopeUnknown'; scope: string }
  | { field: 'refresh_grace'; code: 'graceOutOfRange' }
  | { field: LinkField; code: 'linkInvalid' };

export interface ClientFields {
  name: string;
  type: ClientType;
  redirectUris: string[];
  scopes: string[];
  /** Seconds for which a replaced refresh token stays valid. */
  refreshGrace: number;
  isMachine?: boolean;
}

export function validateClient(fields: ClientFields, production: boolean): ClientSettingsError[] {
  const { redirectUris, scopes, refreshGrace, type, isMachine = false } = fields;
  const errors: ClientSettingsError[] = [];
  const nameError = findNameError(cleanName(fields.name));
  if (nameError !== undefined) errors.push({ field: 'name', code: nameError });
  if (isMachine && redirectUris.length > 0)
    errors.push({ field: 'redirect_uris', code: 'redirectUriOfMachine' });
  else if (!isMachine && redirectUris.length === 0)
    errors.push({ field: 'redirect_uris', code: 'redirectUriMissing' });
  else if (redirectUris.length > MAX_REDIRECT_URIS)
    errors.push({ field: 'redirect_uris', code: 'tooManyRedirectUris' });
  else
    for (const uri of redirectUris) {
      const error = validateRedirectUri(uri, type, production);
      if (error !== undefined) errors.push({ field: 'redirect_uris', code: error, uri });
    }
  if (scopes.length === 0) errors.push({ field: 'scopes', code: 'scopesMissing' });
  const unknown = scopes.find((scope) => !(SCOPES as readonly string[]).includes(scope));
  if (unknown !== undefined) errors.push({ field: 'scopes', code: 'scopeUnknown', scope: unknown });
  if (!Number.isInteger(refreshGrace) || refreshGrace < 0 || refreshGrace > MAX_REFRESH_GRACE_SECONDS)
    errors.push({ field: 'refresh_grace', code: 'graceOutOfRange' });
  return errors;
}

export function validateLinks(
  links: { homePage: string | null; privacyPolicy: string | null; termsOfService: string | null },
  production: boolean,
): ClientSettingsError[] {
  const urls = {
    home_page: links.homePage,
    privacy_policy: links.privacyPolicy,
    terms_of_service: links.termsOfService,
  };
  return LINK_FIELDS.filter((field) => urls[field] && !isValidLink(urls[field], production)).map((field) => ({
    field,
    code: 'linkInvalid',
  }));
}

/** Whether the text is an https URL without credentials. In development, http is allowed too. */
export function isValidLink(text: string, production: boolean): boolean {
  if (text.length > MAX_LINK_LENGTH || !/^[\x21-\x7e]+$/.test(text) || !URL.canParse(text)) return false;
  // The URL class accepts `https:host` and backslashes, but RFC 3986 doesn't.
  if (!/^https?:\/\/[^/?#\\]/.test(text) || text.includes('\\')) return false;
  const { protocol, username, password } = new URL(text);
  if (username !== '' || password !== '') return false;
  return protocol === 'https:' || !production;
}
