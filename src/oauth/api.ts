// Resource indicators (RFC 8707), and the scopes of registered APIs (resource servers).
import { invalidScope, invalidTarget, type OAuthError } from './errors.ts';
import { redactText, redactUrl } from './redaction.ts';

/** Text in French, English or both. If a language is missing, its value is ''. */
export interface ApiTexts {
  fr: string;
  en: string;
}

/** Returns the text in the given language if there is one, and otherwise in the other language. */
export const textIn = (texts: ApiTexts, locale: keyof ApiTexts): string =>
  texts[locale] || texts[locale === 'fr' ? 'en' : 'fr'];

export interface ApiScope extends ApiTexts {
  /** 1 to 64 characters that are allowed in scopes (RFC 6749 §3.3). */
  name: string;
  /** Whether users must consent to the scope every time. The consent page never preselects a sensitive scope. */
  sensitive: boolean;
  /** Whether agents may request the scope, if the API allows agents. */
  agents: boolean;
}

/**
 * Which clients may request tokens for an API: the owner's clients, all clients with an owner, or all clients including
 * agents.
 */
export const ALLOWED_CLIENTS = ['own', 'applications', 'agents'] as const;
export type AllowedClients = (typeof ALLOWED_CLIENTS)[number];

/** A requested API, with the scopes that the client may request. */
export interface RequestedApi {
  apiId: string;
  identifier: string;
  /** Lifetime of the API's access tokens, in seconds. */
  lifetime: number;
  scopes: ApiScope[];
  /** Whether the API defines no scopes. Clients then get either full access or none. */
  scopeless: boolean;
  /**
   * `closed` if the API's settings don't allow access by the client, `excluded` if the API's owner has blocked the
   * client.
   */
  availability: 'open' | 'closed' | 'excluded' | 'suspended';
}

/** An API and the scopes that were requested or granted for it. */
export interface ApiGrant {
  apiId: string;
  identifier: string;
  /** Lifetime of access tokens in seconds, as configured at the time of the request. */
  lifetime: number;
  scopes: string[];
}

/** Limits the length of codes and refresh tokens, which contain all granted resources. */
const MAX_RESOURCES = 5;

/** Normalizes an identifier for comparison by removing a path that is only a slash. */
export const toIdentifierKey = (identifier: string): string =>
  /^[a-z]+:\/\/[^/?#]+\/$/i.test(identifier) ? identifier.slice(0, -1) : identifier;

/** Formats an API's scope as it is stored in consents. Neither API ids nor scopes contain spaces. */
export const toConsentScope = (apiId: string, scope: string): string => `${apiId} ${scope}`;

/**
 * Lists the entries that a consent must contain to cover these APIs. An API without scopes gets an entry with an empty
 * scope.
 */
export const toConsentScopes = (apis: readonly ApiGrant[]): string[] =>
  apis.flatMap(({ apiId, scopes }) =>
    (scopes.length === 0 ? [''] : scopes).map((scope) => toConsentScope(apiId, scope)),
  );

/** Whether the request names only APIs that define no scopes, in which case the `scope` parameter may be omitted. */
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
 * Returns the requested APIs in order, each with its requested scopes (RFC 8707 §2). Ignores unknown scopes.
 * @param scope undefined if the user will select the scopes, in which case the returned APIs have no scopes
 * @param registeredApis the registered APIs among the requested resources
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
    const refusal = checkApiAvailability(api);
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

/** Error for a `resource` that isn't a registered API (RFC 8707 §2). */
export const unknownResourceError = (resource: string): OAuthError =>
  invalidTarget('resource is not the identifier of a registered API. Identifiers must match exactly.', {
    kind: 'resource_unknown',
    sent: redactUrl(resource),
  });

/** Returns why the client can't request tokens for the API, or undefined if it can. */
export function checkApiAvailability({ availability, identifier }: RequestedApi): OAuthError | undefined {
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

/** Error for a request without any scope that the client may request for the API. */
export const noApiScopeError = (identifier: string, sent = ''): OAuthError =>
  invalidScope(`scope must include at least one value that this application can request for ${identifier}.`, {
    kind: 'scope_not_of_api',
    resource: redactUrl(identifier),
    sent: redactText(sent),
  });

/**
 * Selects an access token's audience: the resource in the token request, if any. Without a resource, the audience is
 * this service or, if neither `openid` nor `profile` was granted, the grant's only API.
 * @returns the API, or null for this service
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
 * Narrows the scopes of an access token for an API to those in the refresh request (RFC 6749 §6).
 * @param scopeParameter the requested scopes, or undefined for all granted scopes
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
