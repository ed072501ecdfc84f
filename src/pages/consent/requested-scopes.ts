// Finds the API scopes that a request names and those that the user grants.
import { hash } from 'node:crypto';
import { type ApiGrant, type ApiScope, type RequestedApi, toConsentScope } from '../../oauth/api.ts';
import type { AuthorizationRequest } from '../../oauth/authorization-request.ts';
import { type GrantedScope, removeOfflineAccess } from '../../oauth/scopes.ts';
import type { LoadedPendingRequest } from '../../web/pending-requests.ts';

type Request = Pick<AuthorizationRequest, 'scopes' | 'apis' | 'userSelectsScopes'>;

/** `owners` contains the names of the APIs' owners by account id. */
export interface ConsentPage extends LoadedPendingRequest {
  owners: ReadonlyMap<string, string>;
}

/** On the consent page, scopes with `optional` have a checkbox. */
export const listRequestedApis = ({ pending: { request }, context, owners }: ConsentPage) =>
  request.apis.flatMap((grant) =>
    context.apis
      .filter((api) => api.apiId === grant.apiId)
      .map((api) => ({
        ...api,
        owner: owners.get(api.ownerId) ?? '',
        scopes: requestedScopesOf(request, grant, api),
      })),
  );

/**
 * Digest of the texts shown about an agent and APIs. It detects changes made before the user decides.
 * Undefined if the client isn't an agent and requests no APIs.
 */
export function digestDisplayedTexts(page: ConsentPage): string | undefined {
  const { agent, name: agentName, redirectUris } = page.context.client;
  const apis = listRequestedApis(page).map(({ apiId, name, fr, en, ownerId, owner, scopes }) => [
    apiId,
    name,
    fr,
    en,
    ownerId,
    owner,
    scopes.map((scope) => [scope.name, scope.fr, scope.en, scope.sensitive]),
  ]);
  if (apis.length === 0 && !agent) return undefined;
  return hash('sha256', JSON.stringify([agent ? [agentName, redirectUris] : null, apis]), 'base64url');
}

/** Returns all scopes if the request names none. */
function requestedScopesOf<Scope extends ApiScope>(
  { userSelectsScopes }: Pick<AuthorizationRequest, 'userSelectsScopes'>,
  grant: ApiGrant,
  api: { scopes: readonly Scope[] },
): (Scope & { optional: boolean })[] {
  return api.scopes
    .filter(({ name }) => userSelectsScopes === true || grant.scopes.includes(name))
    .map((scope) => ({ ...scope, optional: userSelectsScopes === true || scope.sensitive }));
}

/**
 * Reduces a request to the scopes that the user allowed.
 * @param currentApis the current definitions of the requested APIs
 * @param ticked in the format of the consents table; unknown scopes are ignored
 * @returns undefined if nothing is granted
 */
export function selectGrantedScopes(
  request: Request,
  currentApis: readonly RequestedApi[],
  ticked: readonly string[],
): { scopes: GrantedScope[]; apis: ApiGrant[] } | undefined {
  const scopes = request.userSelectsScopes
    ? request.scopes.filter((scope) => ticked.includes(scope))
    : request.scopes;
  const apis = request.apis.flatMap((grant) => {
    const api = currentApis.find(({ apiId }) => apiId === grant.apiId);
    const requested = api === undefined ? [] : requestedScopesOf(request, grant, api);
    const selected = requested
      .filter(({ name, optional }) => !optional || ticked.includes(toConsentScope(grant.apiId, name)))
      .map(({ name }) => name);
    // An API without scopes is granted as a whole.
    return selected.length > 0 || api?.scopeless === true ? [{ ...grant, scopes: selected }] : [];
  });
  return removeOfflineAccess(scopes).length + apis.length === 0 ? undefined : { scopes, apis };
}
