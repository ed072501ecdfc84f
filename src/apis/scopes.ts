// The scopes of an API: adding, changing, removing.
import { cleanName } from '../accounts/account-fields.ts';
import type { ApiScope } from '../oauth/api.ts';
import { note, type Owner } from '../ownership/owner.ts';
import type { Database, Queryable } from '../store/database.ts';
import { lockOwnApi, setOwnScopes } from '../store/own-apis.ts';
import { requireSession } from '../store/session-locks.ts';
import { MAX_SCOPES } from './scope-fields.ts';

const cleaned = (scope: ApiScope): ApiScope => ({
  name: scope.name,
  fr: cleanName(scope.fr),
  en: cleanName(scope.en),
  sensitive: scope.sensitive,
  agents: scope.agents,
});

/** Adds a scope that was found good, after the others. `gone` when the API is not theirs (any more). */
export const addScope = (
  database: Database,
  owner: Owner,
  apiId: string,
  scope: ApiScope,
  now: Date,
): Promise<'added' | 'scopeExists' | 'tooManyScopes' | 'gone'> =>
  database.transaction((transaction) =>
    change(transaction, owner, apiId, now, (scopes) => {
      if (scopes.some(({ name }) => name === scope.name)) return { outcome: 'scopeExists' };
      if (scopes.length >= MAX_SCOPES) return { outcome: 'tooManyScopes' };
      return {
        outcome: 'added',
        kind: 'api_scope_added',
        scope: scope.name,
        scopes: [...scopes, cleaned(scope)],
      };
    }),
  );

/** Gives a scope other words, found good, in a transaction. `gone` when there is none of this name (any more). */
export const changeScope = (
  transaction: Queryable,
  owner: Owner,
  apiId: string,
  scope: ApiScope,
  now: Date,
): Promise<'changed' | 'gone'> =>
  change(transaction, owner, apiId, now, (scopes) => {
    if (!scopes.some(({ name }) => name === scope.name)) return { outcome: 'gone' };
    const after = scopes.map((one) => (one.name === scope.name ? cleaned(scope) : one));
    return { outcome: 'changed', kind: 'api_scope_changed', scope: scope.name, scopes: after };
  });

/** Removes a scope in a transaction. `gone` when there is none of this name (any more): what was asked for is so. */
export const removeScope = (
  transaction: Queryable,
  owner: Owner,
  apiId: string,
  name: string,
  now: Date,
): Promise<'removed' | 'gone'> =>
  change(transaction, owner, apiId, now, (scopes) => {
    const after = scopes.filter((scope) => scope.name !== name);
    if (after.length === scopes.length) return { outcome: 'gone' };
    return { outcome: 'removed', kind: 'api_scope_removed', scope: name, scopes: after };
  });

/** What is to become of the scopes: other ones, with the line of the audit log that tells of them; or nothing. */
type Decided<Outcome> =
  | {
      outcome: Outcome;
      kind: 'api_scope_added' | 'api_scope_changed' | 'api_scope_removed';
      scope: string;
      scopes: ApiScope[];
    }
  | { outcome: Outcome; scopes?: never };

async function change<Outcome extends string>(
  transaction: Queryable,
  owner: Owner,
  apiId: string,
  now: Date,
  decide: (scopes: ApiScope[]) => Decided<Outcome>,
): Promise<Outcome | 'gone'> {
  await requireSession(transaction, owner, now);
  const api = await lockOwnApi(transaction, owner.userId, apiId);
  if (api === undefined) return 'gone';
  const decided = decide(api.scopes);
  if (decided.scopes === undefined) return decided.outcome;
  await setOwnScopes(transaction, owner.userId, apiId, decided.scopes);
  await note(transaction, decided.kind, owner, { apiId }, now, { scope: decided.scope });
  return decided.outcome;
}
