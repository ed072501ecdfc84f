// What an authorization request asks of APIs, and what of it the user grants.
import { hash } from 'node:crypto';
import { type ApiGrant, type ApiScope, consentElement, type NamedApi } from '../../oauth/api.ts';
import type { AuthorizationRequest } from '../../oauth/authorization-request.ts';
import { dataScopes, type GrantedScope } from '../../oauth/scopes.ts';
import type { PendingPage } from '../../web/pending.ts';

type Request = Pick<AuthorizationRequest, 'scopes' | 'apis' | 'picks'>;

/** A pending request with the names of the APIs' owners, by account id. */
export interface ConsentPage extends PendingPage {
  owners: ReadonlyMap<string, string>;
}

/** The requested APIs with the scopes that are asked for; `optional` ones have a checkbox. */
export const apisAskedOf = ({ pending: { request }, facts, owners }: ConsentPage) =>
  request.apis.flatMap((grant) =>
    facts.apis
      .filter((api) => api.apiId === grant.apiId)
      .map((api) => ({
        ...api,
        owner: owners.get(api.ownerId) ?? '',
        scopes: scopesAskedOf(request, grant, api),
      })),
  );

/** Digest of what the page says in others' words, so that nobody agrees to what has changed since. Undefined without any. */
export function lookOf(page: ConsentPage): string | undefined {
  const { agent, name: agentName, redirectUris } = page.facts.client;
  const apis = apisAskedOf(page).map(({ apiId, name, fr, en, ownerId, owner, scopes }) => [
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

/** The scopes of an API that a request asks for: those it named, or all on offer where it named none. */
function scopesAskedOf<Scope extends ApiScope>(
  { picks }: Pick<Request, 'picks'>,
  grant: ApiGrant,
  api: { scopes: readonly Scope[] },
): (Scope & { optional: boolean })[] {
  return api.scopes
    .filter(({ name }) => picks === true || grant.scopes.includes(name))
    .map((scope) => ({ ...scope, optional: picks === true || scope.sensitive }));
}

/**
 * Reduces a request to what the person allowed.
 * @param named the APIs of the request, as they stand
 * @param ticked the ticked checkboxes, spelled as consents spell them; anything else in it is ignored
 * @returns what is granted; undefined if that is nothing
 */
export function selectedScopes(
  request: Request,
  named: readonly NamedApi[],
  ticked: readonly string[],
): { scopes: GrantedScope[]; apis: ApiGrant[] } | undefined {
  const scopes = request.picks ? request.scopes.filter((scope) => ticked.includes(scope)) : request.scopes;
  const apis = request.apis.flatMap((grant) => {
    const api = named.find(({ apiId }) => apiId === grant.apiId);
    const asked = api === undefined ? [] : scopesAskedOf(request, grant, api);
    const selected = asked
      .filter(({ name, optional }) => !optional || ticked.includes(consentElement(grant.apiId, name)))
      .map(({ name }) => name);
    // An API without scopes is granted as a whole.
    return selected.length > 0 || api?.scopeless === true ? [{ ...grant, scopes: selected }] : [];
  });
  return dataScopes(scopes).length + apis.length === 0 ? undefined : { scopes, apis };
}
