// Scopes: what may be asked for, what each gives, and how a request's scope is read.

import { invalidScope } from './errors.ts';
import { printable } from './shown.ts';

/** The scopes of this service, in the order in which they are shown and written. */
export const SCOPES = ['openid', 'profile', 'email', 'phone'] as const;
export type Scope = (typeof SCOPES)[number];

/**
 * OpenID Connect Core §11. It stands for nothing of a person, needs no registration and no consent, and opens nothing: a
 * refresh token comes anyway. It is granted and echoed for libraries that raise when a word is dropped (D52).
 */
export const OFFLINE_ACCESS = 'offline_access';
/** What a grant can be for. */
export type GrantedScope = Scope | typeof OFFLINE_ACCESS;

/** Known scopes of a space-separated text, once each, in canonical order; unknown words are left out. */
export function parseScope(text: string): Scope[] {
  const words = new Set(text.split(' '));
  return SCOPES.filter((scope) => words.has(scope));
}

/** The same with `offline_access`, which comes last. */
export const parseGrantedScope = (text: string): GrantedScope[] => [
  ...parseScope(text),
  ...(text.split(' ').includes(OFFLINE_ACCESS) ? [OFFLINE_ACCESS as typeof OFFLINE_ACCESS] : []),
];

/** Those that stand for something of a person: what is registered, agreed to and shown. */
export const dataScopes = (scopes: readonly GrantedScope[]): Scope[] =>
  SCOPES.filter((scope) => scopes.includes(scope));

/**
 * The scopes of an authorization request (D4): unknown words are ignored while a known one is left; a known one that
 * the application did not choose at registration is refused. `offline_access` needs another beside it (D52).
 * @param beside whether words of it are an API's
 * @throws OAuthError `invalid_scope`
 */
export function requestedScopes(text: string, registered: readonly string[], beside = false): GrantedScope[] {
  const scopes = parseScope(text);
  if (scopes.length === 0 && !beside)
    throw invalidScope(`The scope names none of ${SCOPES.join(', ')}; separate scopes by spaces.`, {
      kind: 'scope_unknown',
      sent: printable(text),
    });
  const extra = scopes.find((scope) => !registered.includes(scope));
  if (extra !== undefined)
    throw invalidScope(`The scope '${extra}' was not chosen when the application was registered.`, {
      kind: 'scope_not_registered',
      scope: extra,
    });
  return parseGrantedScope(text);
}

/** The words that a request's scope lost (D4), as far as they may be shown; undefined when there are none. */
export function ignoredWords(text: string, scopes: readonly string[]): string | undefined {
  if (text.length === scopes.join(' ').length) return undefined; // nothing else fits in
  const words = new Set(text.split(' '));
  for (const known of ['', ...scopes]) words.delete(known);
  if (words.size === 0) return undefined;
  const shown = [...words].map(printable).sort();
  return [...new Set(shown.length > MOST_SHOWN ? [...shown.slice(0, MOST_SHOWN), '…'] : shown)].join(' ');
}
const MOST_SHOWN = 5;

/**
 * The scopes of a renewal: all that was granted, or fewer where the request says so (RFC 6749 §6, D15).
 * @throws OAuthError `invalid_scope` if it asks for more than was granted
 */
export function narrowedScopes(text: string | undefined, granted: readonly GrantedScope[]): GrantedScope[] {
  if (text === undefined) return [...granted];
  const scopes = parseScope(text);
  const extra = scopes.find((scope) => !granted.includes(scope));
  if (extra !== undefined)
    throw invalidScope(`The scope '${extra}' goes beyond what the person granted.`, {
      kind: 'scope_beyond_grant',
      scope: extra,
    });
  if (scopes.length === 0)
    throw invalidScope('The scope names nothing of what the person granted.', {
      kind: 'scope_beyond_grant',
      scope: printable(text),
    });
  return parseGrantedScope(text).filter((scope) => granted.includes(scope));
}
