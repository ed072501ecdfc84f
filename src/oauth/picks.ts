// What a person picks where a request named no scope (D48, D51): some of what is on offer, never more.
import { type ApiGrant, consentElement, type NamedApi } from './api.ts';
import type { AuthorizationRequest } from './authorization-request.ts';
import type { GrantedScope } from './scopes.ts';

/**
 * A request that named no scope, for what was ticked.
 * @param named its APIs, as they stand
 * @param ticked as consents spell it; what is not on offer counts for nothing
 * @returns what it is for; undefined where that is nothing
 */
export function picked(
  request: Pick<AuthorizationRequest, 'scopes' | 'apis'>,
  named: readonly NamedApi[],
  ticked: readonly string[],
): { scopes: GrantedScope[]; apis: ApiGrant[] } | undefined {
  const scopes = request.scopes.filter((scope) => ticked.includes(scope));
  const apis = request.apis
    .map((api) => ({
      ...api,
      scopes: offered(api, named).filter((name) => ticked.includes(consentElement(api.apiId, name))),
    }))
    .filter((api) => api.scopes.length > 0);
  return scopes.length + apis.length === 0 ? undefined : { scopes, apis };
}

const offered = ({ apiId }: ApiGrant, named: readonly NamedApi[]): string[] =>
  named.filter((api) => api.apiId === apiId).flatMap(({ scopes }) => scopes.map(({ name }) => name));
