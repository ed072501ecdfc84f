// What a person grants of an authorization request: scopes with a checkbox only where it was ticked, the others as a whole.
import { type ApiGrant, consentElement, type NamedApi } from './api.ts';
import type { AuthorizationRequest } from './authorization-request.ts';
import { dataScopes, type GrantedScope } from './scopes.ts';

type Request = Pick<AuthorizationRequest, 'scopes' | 'apis' | 'picks'>;

/** A scope of an API that the consent page asks for. */
interface AskedScope {
  name: string;
  /** Whether it has its own checkbox: sensitive scopes always, the others where the request named no scope. */
  optional: boolean;
}

/** The scopes of an API that a request asks for: those it named, or all on offer where it named none. */
export function scopesAskedOf<Scope extends NamedApi['scopes'][number]>(
  { picks }: Pick<Request, 'picks'>,
  grant: ApiGrant,
  api: { scopes: readonly Scope[] },
): (Scope & AskedScope)[] {
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
