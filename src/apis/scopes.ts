// Adds, updates and removes an API's scopes.
import type { ApiScope } from '../oauth/api.ts';
import { type Owner, recordOwnerEvent } from '../ownership/owner.ts';
import type { Database, Queryable } from '../store/database.ts';
import { lockOwnedApi, setOwnedApiScopes } from '../store/owned-apis.ts';
import { requireLiveSession } from '../store/session-locks.ts';
import { MAX_SCOPES } from './scope-fields.ts';
import { cleanDescription } from './settings-fields.ts';

const cleanDescriptions = (scope: ApiScope): ApiScope => ({
  name: scope.name,
  fr: cleanDescription(scope.fr),
  en: cleanDescription(scope.en),
  sensitive: scope.sensitive,
  agents: scope.agents,
});

export const addScope = (
  database: Database,
  owner: Owner,
  apiId: string,
  scope: ApiScope,
  now: Date,
): Promise<'added' | 'scopeExists' | 'tooManyScopes' | 'notFound'> =>
  database.transaction((transaction) =>
    changeScopes(transaction, owner, apiId, now, (scopes) => {
      if (scopes.some(({ name }) => name === scope.name)) return { outcome: 'scopeExists' };
      if (scopes.length >= MAX_SCOPES) return { outcome: 'tooManyScopes' };
      return {
        outcome: 'added',
        kind: 'api_scope_added',
        scope: scope.name,
        scopes: [...scopes, cleanDescriptions(scope)],
      };
    }),
  );

export const updateScope = (
  transaction: Queryable,
  owner: Owner,
  apiId: string,
  scope: ApiScope,
  now: Date,
): Promise<'changed' | 'notFound'> =>
  changeScopes(transaction, owner, apiId, now, (scopes) => {
    if (!scopes.some(({ name }) => name === scope.name)) return { outcome: 'notFound' };
    const after = scopes.map((current) => (current.name === scope.name ? cleanDescriptions(scope) : current));
    return { outcome: 'changed', kind: 'api_scope_changed', scope: scope.name, scopes: after };
  });

export const removeScope = (
  transaction: Queryable,
  owner: Owner,
  apiId: string,
  name: string,
  now: Date,
): Promise<'removed' | 'notFound'> =>
  changeScopes(transaction, owner, apiId, now, (scopes) => {
    const after = scopes.filter((scope) => scope.name !== name);
    if (after.length === scopes.length) return { outcome: 'notFound' };
    return { outcome: 'removed', kind: 'api_scope_removed', scope: name, scopes: after };
  });

type ScopeChange<Outcome> =
  | {
      outcome: Outcome;
      kind: 'api_scope_added' | 'api_scope_changed' | 'api_scope_removed';
      scope: string;
      scopes: ApiScope[];
    }
  | { outcome: Outcome; scopes?: never };

async function changeScopes<Outcome extends string>(
  transaction: Queryable,
  owner: Owner,
  apiId: string,
  now: Date,
  decide: (scopes: ApiScope[]) => ScopeChange<Outcome>,
): Promise<Outcome | 'notFound'> {
  await requireLiveSession(transaction, owner, now);
  const api = await lockOwnedApi(transaction, owner.userId, apiId);
  if (api === undefined) return 'notFound';
  const decision = decide(api.scopes);
  if (decision.scopes === undefined) return decision.outcome;
  await setOwnedApiScopes(transaction, owner.userId, apiId, decision.scopes);
  await recordOwnerEvent(transaction, decision.kind, owner, { apiId }, now, { scope: decision.scope });
  return decision.outcome;
}
