// Resource indicators (RFC 8707), and the scopes of registered APIs (resource servers).
import { invalidScope, invalidTarget, type OAuthError } from './errors.ts';
import { redactText, redactUrl } from './redaction.ts';

/** A missing language is ''. */
export interface ApiTexts {
  fr: string;
  en: string;
}

/** Falls back to the other language. */
export const textIn = (texts: ApiTexts, locale: keyof ApiTexts): string =>
  texts[locale] || texts[locale === 'fr' ? 'en' : 'fr'];

export interface ApiScope extends ApiTexts {
  /** 1 to 64 characters (RFC 6749 §3.3). */
  name: string;
  /** Users must consent every time. The consent page doesn't preselect the scope. */
  sensitive: boolean;
  /** Whether agents may request the scope. The API must allow agents too. */
  agents: boolean;
}

/** `own` means the owner's clients. `applications` means all clients except agents. `agents` means all clients. */
export const CLIENT_ACCESS_LEVELS = ['own', 'applications', 'agents'] as const;
export type AllowedClients = (typeof CLIENT_ACCESS_LEVELS)[number];

export interface RequestedApi {
  apiId: string;
  identifier: string;
  /** Access token lifetime in seconds. */
  lifetime: number;
  scopes: ApiScope[];
  /** Whether the API defines no scopes. If so, access is all or nothing. */
  scopeless: boolean;
  /**
   * `closed` means that the API's settings don't allow the client. `excluded` means that the API's owner blocked
   * the client.
   */
  availability: 'open' | 'closed' | 'excluded' | 'suspended';
}

export interface ApiGrant {
  apiId: string;
  identifier: string;
  /** The API's access token lifetime in seconds, as configured when access was requested. */
  lifetime: number;
  scopes: string[];
}

/** Limits the length of codes and refresh tokens, which contain all granted resources. */
const MAX_RESOURCES = 5;

/** Removes the slash of an empty path, for comparisons. */
export const toIdentifierKey = (identifier: string): string =>
  /^[a-z]+:\/\/[^/?#]+\/$/i.test(identifier) ? identifier.slice(0, -1) : identifier;

/** Formats a scope for storage in a consent. API IDs and scopes contain no spaces. */
export const toConsentScope = (apiId: string, scope: string): string => `${apiId} ${scope}`;

/** Lists the consent entries that these APIs need. An API without scopes needs an entry with an empty scope. */
export const toConsentScopes = (apis: readonly ApiGrant[]): string[] =>
  apis.flatMap(({ apiId, scopes }) =>
    (scopes.length === 0 ? [''] : scopes).map((scope) => toConsentScope(apiId, scope)),
  );

/** Whether only APIs without scopes are requested. If so, the `scope` parameter is optional. */
export const areAllScopeless = (
  resources: readonly string[],
  registeredApis: readonly RequestedApi[],
): boolean =>
  resources.length > 0 &&
  resources.every((resource) =>
    registeredApis.some(
      (api) => api.scopeless && toIdentifierKey(api.identifier) === toIdentifierKey(resource),
    ),
  );

/**
 * Returns the requested APIs in order, with their requested scopes (RFC 8707 §2). Ignores unknown scopes.
 * @param scope undefined if the user will select the scopes. The APIs are then returned without scopes.
 * @throws OAuthError `invalid_target`, `invalid_scope`
 */
export function resolveRequestedApis(
  resources: readonly string[],
  scope: string | undefined,
  registeredApis: readonly RequestedApi[],
): ApiGrant[] {
  const keys = [...new Set(resources.map(toIdentifierKey))];
  if (keys.length > MAX_RESOURCES)
    throw invalidTarget(`A request can name at most ${MAX_RESOURCES} resources.`, {
      kind: 'resource_limit_exceeded',
    });
  const requestedScopes = scope === undefined ? undefined : new Set(scope.split(' '));
  const requested: ApiGrant[] = [];
  for (const key of keys) {
    const api = registeredApis.find(({ identifier }) => toIdentifierKey(identifier) === key);
    if (api === undefined) throw unknownResourceError(key);
    const refusal = findAvailabilityError(api);
    if (refusal !== undefined) throw refusal;
    const { apiId, identifier, lifetime } = api;
    const available = api.scopes.map(({ name }) => name);
    const scopes = requestedScopes === undefined ? [] : available.filter((name) => requestedScopes.has(name));
    if (!api.scopeless && (requestedScopes === undefined ? available : scopes).length === 0)
      throw noApiScopeError(identifier, requestedScopes === undefined ? '' : scope);
    requested.push({ apiId, identifier, lifetime, scopes });
  }
  return requested;
}

export const unknownResourceError = (resource: string): OAuthError =>
  invalidTarget('resource is not the identifier of a registered API. Identifiers must match exactly.', {
    kind: 'resource_unknown',
    sent: redactUrl(resource),
  });

export function findAvailabilityError({ availability, identifier }: RequestedApi): OAuthError | undefined {
  const sent = redactUrl(identifier);
  switch (availability) {
    case 'open':
      return undefined;
    case 'closed':
      return invalidTarget(
        "This application cannot request tokens for the API. Ask the API's owner for access.",
        {
          kind: 'resource_not_open_to_client',
          sent,
        },
      );
    case 'excluded':
      return invalidTarget("The API's owner has blocked this application.", {
        kind: 'resource_blocks_client',
        sent,
      });
    case 'suspended':
      return invalidTarget('The API is suspended.', { kind: 'resource_suspended', sent });
  }
}

export const noApiScopeError = (identifier: string, sent = ''): OAuthError =>
  invalidScope(`scope must include at least one value that this application can request for ${identifier}.`, {
    kind: 'scope_not_of_api',
    resource: redactUrl(identifier),
    sent: redactText(sent),
  });

/**
 * Selects an access token's audience. Without a resource, the audience is this service if `openid` or
 * `profile` was granted. Otherwise, the audience is the grant's only API.
 * @returns null for this service
 * @throws OAuthError `invalid_target`
 */
export function resolveAudience(
  resources: readonly string[],
  { scopes, apis = [] }: { scopes: readonly string[]; apis?: readonly ApiGrant[] | undefined },
): ApiGrant | null {
  const keys = new Set(resources.map(toIdentifierKey));
  if (keys.size > 1)
    throw invalidTarget('An access token has one audience. Send one resource per token request.', {
      kind: 'resource_ambiguous',
    });
  const [key] = keys;
  if (key !== undefined) {
    const api = apis.find(({ identifier }) => toIdentifierKey(identifier) === key);
    if (api !== undefined) return api;
    throw invalidTarget(
      apis.length === 0
        ? 'The user did not grant access to any API. Send resource in the authorization request too, or omit it to get a token for this service.'
        : 'The user did not grant access to this resource. Send resource in the authorization request too.',
      { kind: 'resource_beyond_grant', sent: redactUrl(key) },
    );
  }
  if (apis.length === 0 || scopes.includes('openid') || scopes.includes('profile')) return null;
  const [firstApi, secondApi] = apis;
  if (firstApi !== undefined && secondApi === undefined) return firstApi;
  throw invalidTarget(
    'resource is missing. The user granted access to several APIs. Send the identifier of one API.',
    {
      kind: 'resource_ambiguous',
    },
  );
}

/**
 * Narrows an API's scopes to those in the refresh request (RFC 6749 §6).
 * @param scopeParameter undefined for all granted scopes
 * @param granted all granted scopes, including those for other audiences
 * @throws OAuthError `invalid_scope` if the scopes exceed the grant
 */
export function narrowApiScopes(
  scopeParameter: string | undefined,
  api: ApiGrant,
  granted: readonly string[],
): ApiGrant {
  if (scopeParameter === undefined) return api;
  const requestedScopes = new Set(scopeParameter.split(' ').filter(Boolean));
  const excessiveScope = [...requestedScopes].find((scope) => !granted.includes(scope));
  if (excessiveScope !== undefined)
    throw invalidScope('The user did not grant all of the requested scopes.', {
      kind: 'scope_beyond_grant',
      scope: redactText(excessiveScope),
    }).withDiagnostics(undefined, { resource: api.identifier });
  const scopes = api.scopes.filter((scope) => requestedScopes.has(scope));
  if (scopes.length === 0 && api.scopes.length > 0) throw noApiScopeError(api.identifier, scopeParameter);
  return { ...api, scopes };
}
