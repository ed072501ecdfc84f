// What an application's fields must be like; each fault by name, its words are in the dictionaries.

import { cleanName, type NameFault, nameFault } from '../accounts/account-fields.ts';
import { type ClientType, type RedirectUriFault, redirectUriFault } from '../oauth/redirect-uri.ts';
import { SCOPES } from '../oauth/scopes.ts';

/** Callback URLs of an application. */
const MAX_REDIRECT_URIS = 20;

const MAX_REFRESH_GRACE = 60;
const MAX_LINK_LENGTH = 500;

/** The links that an application may show where it asks for consent, by the names of their fields. */
const LINKS = ['home_page', 'privacy_policy', 'terms_of_service'] as const;
type LinkField = (typeof LINKS)[number];

/** One thing to put right, and the field that it belongs to. */
export type ApplicationFault =
  | { field: 'name'; fault: NameFault }
  | { field: 'redirect_uris'; fault: 'callbackMissing' | 'tooManyCallbacks' }
  | { field: 'redirect_uris'; fault: RedirectUriFault; uri: string }
  | { field: 'scopes'; fault: 'scopesMissing' }
  | { field: 'scopes'; fault: 'scopeUnknown'; scope: string }
  | { field: 'refresh_grace'; fault: 'graceOutOfRange' }
  | { field: LinkField; fault: 'linkInvalid' };

export interface ApplicationFields {
  name: string;
  type: ClientType;
  redirectUris: string[];
  scopes: string[];
  /** Seconds (D16). */
  refreshGrace: number;
}

/** What is wrong with an application's fields; empty when nothing is (D3, D4, D16). */
export function applicationFaults(fields: ApplicationFields, production: boolean): ApplicationFault[] {
  const { redirectUris, scopes, refreshGrace, type } = fields;
  const faults: ApplicationFault[] = [];
  const inName = nameFault(cleanName(fields.name));
  if (inName !== undefined) faults.push({ field: 'name', fault: inName });
  if (redirectUris.length === 0) faults.push({ field: 'redirect_uris', fault: 'callbackMissing' });
  if (redirectUris.length > MAX_REDIRECT_URIS)
    faults.push({ field: 'redirect_uris', fault: 'tooManyCallbacks' });
  else
    for (const uri of redirectUris) {
      const fault = redirectUriFault(uri, type, production);
      if (fault !== undefined) faults.push({ field: 'redirect_uris', fault, uri });
    }
  if (scopes.length === 0) faults.push({ field: 'scopes', fault: 'scopesMissing' });
  const unknown = scopes.find((scope) => !(SCOPES as readonly string[]).includes(scope));
  if (unknown !== undefined) faults.push({ field: 'scopes', fault: 'scopeUnknown', scope: unknown });
  if (!Number.isInteger(refreshGrace) || refreshGrace < 0 || refreshGrace > MAX_REFRESH_GRACE)
    faults.push({ field: 'refresh_grace', fault: 'graceOutOfRange' });
  return faults;
}

/** What is wrong with the links that it shows. */
export function linkFaults(
  links: { homePage: string | null; privacyPolicy: string | null; termsOfService: string | null },
  production: boolean,
): ApplicationFault[] {
  const typed = {
    home_page: links.homePage,
    privacy_policy: links.privacyPolicy,
    terms_of_service: links.termsOfService,
  };
  return LINKS.filter((field) => typed[field] && !isLink(typed[field], production)).map((field) => ({
    field,
    fault: 'linkInvalid',
  }));
}

/** Whether a page of the application may be linked to: an address of the web, without a password in it. */
export function isLink(text: string, production: boolean): boolean {
  if (text.length > MAX_LINK_LENGTH || !/^[\x21-\x7e]+$/.test(text) || !URL.canParse(text)) return false;
  // URL also reads https:host and back slashes, which are not what they look like (RFC 3986 §3.2).
  if (!/^https?:\/\/[^/?#\\]/.test(text) || text.includes('\\')) return false;
  const { protocol, username, password } = new URL(text);
  if (username !== '' || password !== '') return false;
  return protocol === 'https:' || !production;
}
