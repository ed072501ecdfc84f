// APIs that account holders own (D45 to D48): what requests name them by, and which of their scopes a request is for.
import { invalidScope, invalidTarget, type OAuthError } from './errors.ts';
import { printable, withoutCredentials } from './shown.ts';

/** A scope of an API, in the words of its owner. */
export interface ApiScope {
  /** RFC 6749 §3.3 characters, 1 to 64 of them. */
  name: string;
  fr: string;
  en: string;
  /** Asked for apart, never agreed to beforehand, and each time again (D48). */
  sensitive: boolean;
  /** Whether agents may ask for it, where the API admits them at all. */
  agents: boolean;
}

/** Whose applications an API admits: its owner's; all that are registered, too; agents, too. */
export const ADMISSIONS = ['own', 'applications', 'agents'] as const;
export type Admission = (typeof ADMISSIONS)[number];

/** An API that a request names, as it stands for the application that names it. */
export interface NamedApi {
  apiId: string;
  identifier: string;
  /** Seconds that an access token for it lives. */
  lifetime: number;
  /** What it has to give to this application: to an agent what its owner opened to agents, to any other all. */
  scopes: ApiScope[];
  /** The API has no scopes at all, so access to it is all or nothing. Different from none that this application may have. */
  scopeless: boolean;
  /** Whether the application may ask for it, or why not. */
  standing: 'open' | 'closed' | 'excluded' | 'suspended';
}

/** What is asked of an API, and then granted. */
export interface ApiGrant {
  apiId: string;
  identifier: string;
  /** Seconds, as they were when it was asked for. */
  lifetime: number;
  scopes: string[];
}

/** A request that names more is refused: all of them travel in codes and tokens. */
const MOST_APIS = 5;

/**
 * What identifiers are compared by: character by character, but for a slash right after the origin, with which or without
 * an identifier is the same (D45).
 */
export const identifierKey = (identifier: string): string =>
  /^[a-z]+:\/\/[^/?#]+\/$/i.test(identifier) ? identifier.slice(0, -1) : identifier;

/**
 * What a consent holds of an API's scope: the API's id and the word. No scope has a space in it, so none can be spelled like
 * this, and nothing of one API like another's.
 */
export const consentElement = (apiId: string, scope: string): string => `${apiId} ${scope}`;

/** What a consent has to hold for all of these. Of an API without scopes it holds the API itself. */
export const consentElements = (apis: readonly ApiGrant[]): string[] =>
  apis.flatMap(({ apiId, scopes }) =>
    (scopes.length === 0 ? [''] : scopes).map((scope) => consentElement(apiId, scope)),
  );

/** Whether a request names APIs, and none of them has scopes: then there is no scope that it could name. */
export const areScopeless = (resources: readonly string[], named: readonly NamedApi[]): boolean =>
  resources.length > 0 &&
  resources.every((resource) =>
    named.some((api) => api.scopeless && identifierKey(api.identifier) === identifierKey(resource)),
  );

/**
 * The APIs that an authorization request names, each with the words of its scope that are its own (RFC 8707 §2, D46). A
 * word that is no API's is none of this function's business.
 * @param resources as they were sent
 * @param scope as it was sent; undefined where the person is to pick: then nothing is picked yet
 * @param named those of the resources that are APIs
 * @returns them, in the order of the request
 * @throws OAuthError `invalid_target`, `invalid_scope`
 */
export function askedApis(
  resources: readonly string[],
  scope: string | undefined,
  named: readonly NamedApi[],
): ApiGrant[] {
  const keys = [...new Set(resources.map(identifierKey))];
  if (keys.length > MOST_APIS)
    throw invalidTarget(`A request can name ${MOST_APIS} resources at most.`, { kind: 'resource_many' });
  const words = scope === undefined ? undefined : new Set(scope.split(' '));
  const asked: ApiGrant[] = [];
  for (const key of keys) {
    const api = named.find(({ identifier }) => identifierKey(identifier) === key);
    if (api === undefined) throw unknownResource(key);
    const refusal = standingRefusal(api);
    if (refusal !== undefined) throw refusal;
    const { apiId, identifier, lifetime } = api;
    const onOffer = api.scopes.map(({ name }) => name);
    const scopes = words === undefined ? [] : onOffer.filter((name) => words.has(name));
    if (!api.scopeless && (words === undefined ? onOffer : scopes).length === 0)
      throw noScopeOf(identifier, words === undefined ? '' : scope);
    asked.push({ apiId, identifier, lifetime, scopes });
  }
  return asked;
}

/** 400: nobody has registered an API of this name (RFC 8707 §2). */
export const unknownResource = (resource: string): OAuthError =>
  invalidTarget(
    'resource is not the identifier of an API that is registered here; they are compared character by character.',
    { kind: 'resource_unknown', sent: withoutCredentials(resource) },
  );

/** Why an application may not ask for an API; undefined when it may. */
export function standingRefusal({ standing, identifier }: NamedApi): OAuthError | undefined {
  const sent = withoutCredentials(identifier);
  switch (standing) {
    case 'open':
      return undefined;
    case 'closed':
      return invalidTarget(
        'The API that resource names does not admit this application: its owner decides that.',
        {
          kind: 'resource_closed',
          sent,
        },
      );
    case 'excluded':
      return invalidTarget('The owner of the API that resource names has cut this application off.', {
        kind: 'resource_excluded',
        sent,
      });
    case 'suspended':
      return invalidTarget('The API that resource names is suspended.', { kind: 'resource_suspended', sent });
  }
}

/** 400: an API of which nothing is asked, or of which nothing is left. */
export const noScopeOf = (identifier: string, sent = ''): OAuthError =>
  invalidScope(`The scope names nothing that ${identifier} has to give to this application.`, {
    kind: 'scope_not_of_api',
    resource: withoutCredentials(identifier),
    sent: printable(sent),
  });

/**
 * The one API that an access token is for (D47): that which the token request names; else this service itself where
 * `openid` or `profile` was granted; else the only one of the grant.
 * @param resources of the token request
 * @returns it; null for this service itself
 * @throws OAuthError `invalid_target`
 */
export function audienceOf(
  resources: readonly string[],
  { scopes, apis = [] }: { scopes: readonly string[]; apis?: readonly ApiGrant[] | undefined },
): ApiGrant | null {
  const keys = new Set(resources.map(identifierKey));
  if (keys.size > 1)
    throw invalidTarget('An access token is for one API: name one resource at a time.', {
      kind: 'resource_ambiguous',
    });
  const [key] = keys;
  if (key !== undefined) {
    const api = apis.find(({ identifier }) => identifierKey(identifier) === key);
    if (api !== undefined) return api;
    throw invalidTarget(
      apis.length === 0
        ? 'The person granted access to no API: name the resource in the authorization request too, or omit it for a token for this service itself.'
        : 'resource is not one that the person granted access to: name it in the authorization request too.',
      { kind: 'resource_beyond_grant', sent: withoutCredentials(key) },
    );
  }
  if (apis.length === 0 || scopes.includes('openid') || scopes.includes('profile')) return null;
  const [only, other] = apis;
  if (only !== undefined && other === undefined) return only;
  throw invalidTarget(
    'resource is missing: the person let the application use several APIs; name one of them.',
    {
      kind: 'resource_ambiguous',
    },
  );
}

/**
 * The scopes of a token for an API: all that were granted of it, or fewer where the renewal says so (RFC 6749 §6, D15).
 * @param granted every word of the grant, of whatever it is
 * @returns the API with them
 * @throws OAuthError `invalid_scope` if it asks for more than was granted
 */
export function narrowedApi(text: string | undefined, api: ApiGrant, granted: readonly string[]): ApiGrant {
  if (text === undefined) return api;
  const words = new Set(text.split(' ').filter(Boolean));
  const extra = [...words].find((word) => !granted.includes(word));
  if (extra !== undefined)
    throw invalidScope('The scope goes beyond what the person granted.', {
      kind: 'scope_beyond_grant',
      scope: printable(extra),
    }).from(undefined, { resource: api.identifier });
  const scopes = api.scopes.filter((scope) => words.has(scope));
  if (scopes.length === 0 && api.scopes.length > 0) throw noScopeOf(api.identifier, text);
  return { ...api, scopes };
}
