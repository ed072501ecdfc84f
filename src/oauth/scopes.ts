// Defines the scopes of this service and parses scopes in requests and grants.

import { invalidScope } from './errors.ts';
import { redactText } from './redaction.ts';

/** Scopes are shown and returned in this order. */
export const SCOPES = ['openid', 'profile', 'email', 'phone'] as const;
export type Scope = (typeof SCOPES)[number];

/**
 * Agents need this scope for a refresh token. Other clients always get a refresh token. Some libraries require
 * the scope in responses.
 */
export const OFFLINE_ACCESS = 'offline_access';
export type GrantedScope = Scope | typeof OFFLINE_ACCESS;

/** Returns this service's scopes in canonical order, without duplicates. */
export function parseScope(scopeParameter: string): Scope[] {
  const names = new Set(scopeParameter.split(' '));
  return SCOPES.filter((scope) => names.has(scope));
}

/** Like `parseScope`, but keeps `offline_access` at the end. */
export const parseGrantedScope = (scopeParameter: string): GrantedScope[] => [
  ...parseScope(scopeParameter),
  ...(scopeParameter.split(' ').includes(OFFLINE_ACCESS) ? [OFFLINE_ACCESS as typeof OFFLINE_ACCESS] : []),
];

/** `offline_access` is never registered, consented to or shown. */
export const removeOfflineAccess = (scopes: readonly GrantedScope[]): Scope[] =>
  SCOPES.filter((scope) => scopes.includes(scope));

/**
 * Ignores unknown scopes (RFC 6749 §3.3). Scopes that aren't registered for the client are errors.
 * @param hasApiScopes whether an API's scopes are also requested. If not, a scope of this service is required.
 * @throws OAuthError `invalid_scope`
 */
export function parseRequestedScopes(
  scopeParameter: string,
  registered: readonly string[],
  hasApiScopes = false,
): GrantedScope[] {
  const scopes = parseScope(scopeParameter);
  if (scopes.length === 0 && !hasApiScopes)
    throw invalidScope(
      `The scope parameter must contain at least one of ${SCOPES.join(', ')}, separated by spaces.`,
      {
        kind: 'scope_unknown',
        sent: redactText(scopeParameter),
      },
    );
  const unregisteredScope = scopes.find((scope) => !registered.includes(scope));
  if (unregisteredScope !== undefined)
    throw invalidScope(`The scope '${unregisteredScope}' is not registered for this application.`, {
      kind: 'scope_not_registered',
      scope: unregisteredScope,
    });
  return parseGrantedScope(scopeParameter);
}

/** Returns the ignored scopes, redacted. Undefined if there are none. */
export function listIgnoredScopes(scopeParameter: string, scopes: readonly string[]): string | undefined {
  if (scopeParameter.length === scopes.join(' ').length) return undefined;
  const names = new Set(scopeParameter.split(' '));
  for (const known of ['', ...scopes]) names.delete(known);
  if (names.size === 0) return undefined;
  const redacted = [...names].map(redactText).sort();
  return [
    ...new Set(
      redacted.length > MAX_LISTED_SCOPES ? [...redacted.slice(0, MAX_LISTED_SCOPES), '…'] : redacted,
    ),
  ].join(' ');
}
const MAX_LISTED_SCOPES = 5;

/**
 * Narrows the granted scopes to the requested ones (RFC 6749 §6).
 * @throws OAuthError `invalid_scope` if the request exceeds the grant
 */
export function narrowScopes(
  scopeParameter: string | undefined,
  granted: readonly GrantedScope[],
): GrantedScope[] {
  if (scopeParameter === undefined) return [...granted];
  const scopes = parseScope(scopeParameter);
  const excessiveScope = scopes.find((scope) => !granted.includes(scope));
  if (excessiveScope !== undefined)
    throw invalidScope(`The user did not grant the scope '${excessiveScope}'.`, {
      kind: 'scope_beyond_grant',
      scope: excessiveScope,
    });
  if (scopes.length === 0)
    throw invalidScope('scope must include at least one value that the user granted.', {
      kind: 'scope_beyond_grant',
      scope: redactText(scopeParameter),
    });
  return parseGrantedScope(scopeParameter).filter((scope) => granted.includes(scope));
}
