// Resource indicators (RFC 8707) and scopes of the APIs (resource servers) that users register.
import { invalidScope, invalidTarget, type OAuthError } from './errors.ts';
import { redactText, redactUrl } from './redaction.ts';

/** Texts by the owner of an API, in French, English or both. A missing text is empty. */
export interface ApiTexts {
  fr: string;
  en: string;
}

/** Returns a text in a language or, if it is missing in this language, in the other one. */
export const textIn = (texts: ApiTexts, locale: keyof ApiTexts): string =>
  texts[locale] || texts[locale === 'fr' ? 'en' : 'fr'];

/** A scope of an API, with its description. */
export interface ApiScope extends ApiTexts {
  /** 1–64 characters (RFC 6749 §3.3). */
  name: string;
  /** Whether the scope requires consent every time. On the consent page, sensitive scopes are optional and never preselected. */
  sensitive: boolean;
  /** Whether agents may request the scope. Has no effect unless the API allows agents. */
  agents: boolean;
}

/**
 * Which clients may request tokens for an API: its owner's clients, all registered clients, or all clients including
 * agents.
 */
export const ADMISSIONS = ['own', 'applications', 'agents'] as const;
export type Admission = (typeof ADMISSIONS)[number];

/** An API named in a request, and the scopes that the client may request. */
export interface RequestedApi {
  apiId: string;
  identifier: string;
  /** Lifetime of access tokens for the API, in seconds. */
  lifetime: number;
  /**
   * The scopes that this client may request. Agents may only request scopes that the API's owner made available to
   * agents.
   */
  scopes: ApiScope[];
  /** True if the API defines no scopes. Access to such an API is all or nothing. */
  scopeless: boolean;
  /** `closed`: the API's settings don't allow the client. `excluded`: the API's owner blocked this client. */
  availability: 'open' | 'closed' | 'excluded' | 'suspended';
}

/** An API, and the requested or granted scopes of that API. */
export interface ApiGrant {
  apiId: string;
  identifier: string;
  /** Lifetime of access tokens for the API, in seconds, as configured at the time of the request. */
  lifetime: number;
  scopes: string[];
}

/** Maximum resources per request, because codes and refresh tokens contain all granted resources. */
const MAX_RESOURCES = 5;

/** Returns an API identifier in the form used for comparison: without the slash if the path is only a slash. */
export const toIdentifierKey = (identifier: string): string =>
  /^[a-z]+:\/\/[^/?#]+\/$/i.test(identifier) ? identifier.slice(0, -1) : identifier;

/** Returns an API's scope in the form that is stored in consents. Neither API ids nor scope names contain spaces. */
export const toConsentScope = (apiId: string, scope: string): string => `${apiId} ${scope}`;

/**
 * Returns the entries that a consent must contain for these APIs. The entry for an API without scopes has an empty
 * scope name.
 */
export const toConsentScopes = (apis: readonly ApiGrant[]): string[] =>
  apis.flatMap(({ apiId, scopes }) =>
    (scopes.length === 0 ? [''] : scopes).map((scope) => toConsentScope(apiId, scope)),
  );

/** Whether a request names at least one API, and only APIs without scopes. Such a request needs no `scope`. */
export const allLackScopes = (
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
 * Returns the APIs named in an authorization request, each with the requested scopes that it defines (RFC 8707 §2).
 * Unknown scopes are ignored.
 * @param scope undefined if the user will select the scopes. The returned APIs then have no scopes.
 * @param registeredApis the registered APIs among the requested resources
 * @returns the APIs in the order of the request
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
    if (api === undefined) throw unknownResource(key);
    const refusal = checkApiAvailability(api);
    if (refusal !== undefined) throw refusal;
    const { apiId, identifier, lifetime } = api;
    const available = api.scopes.map(({ name }) => name);
    const scopes = requestedScopes === undefined ? [] : available.filter((name) => requestedScopes.has(name));
    if (!api.scopeless && (requestedScopes === undefined ? available : scopes).length === 0)
      throw noScopeForApi(identifier, requestedScopes === undefined ? '' : scope);
    requested.push({ apiId, identifier, lifetime, scopes });
  }
  return requested;
}

/** 400: no API with this identifier is registered (RFC 8707 §2). */
export const unknownResource = (resource: string): OAuthError =>
  invalidTarget('resource is not the identifier of a registered API. Identifiers must match exactly.', {
    kind: 'resource_unknown',
    sent: redactUrl(resource),
  });

/** Returns why the client can't request access to an API, or undefined if it can. */
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

/** 400: the request contains no scope that the client may request from the API. */
export const noScopeForApi = (identifier: string, sent = ''): OAuthError =>
  invalidScope(`scope must include at least one value that this application can request for ${identifier}.`, {
    kind: 'scope_not_of_api',
    resource: redactUrl(identifier),
    sent: redactText(sent),
  });

/**
 * Selects an access token's audience, which is the resource in the token request. Without a resource, the audience is this
 * service if `openid` or `profile` was granted, and otherwise the grant's only API.
 * @param resources the resources in the token request
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
 * Narrows an API token's scopes to the scopes in a refresh request (RFC 6749 §6).
 * @param scopeParameter the request's `scope`, or undefined for all granted scopes
 * @param granted all granted scopes, including scopes for other audiences
 * @throws OAuthError `invalid_scope` if the scope exceeds the grant
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
    throw invalidScope('The scope exceeds what the user granted.', {
      kind: 'scope_beyond_grant',
      scope: redactText(excessiveScope),
    }).withDiagnostics(undefined, { resource: api.identifier });
  const scopes = api.scopes.filter((scope) => requestedScopes.has(scope));
  if (scopes.length === 0 && api.scopes.length > 0) throw noScopeForApi(api.identifier, scopeParameter);
  return { ...api, scopes };
}
