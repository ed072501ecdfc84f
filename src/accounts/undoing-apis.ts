// Undoing what a session did to an API (D61), as undoing.ts does for applications.
import type { ApiScope } from '../oauth/api.ts';
import { type DecidedExclusion, takeBackExclusion } from '../store/api-access.ts';
import { holdApi } from '../store/api-restoring.ts';
import type { Queryable } from '../store/database.ts';
import {
  type ApiSettings,
  changeOwnApi,
  lockOwnApi,
  type OwnApi,
  setOwnKeys,
  setOwnScopes,
} from '../store/own-apis.ts';
import { ownApiSecrets } from '../store/own-secrets.ts';
import { takeBackServiceAccess } from '../store/service-access.ts';
import type { ApiChange } from '../store/session-changes.ts';
import { type Difference, reverted } from './reverting.ts';

/** @returns undefined when there is nothing to undo any more */
export async function undoApiChange(
  transaction: Queryable,
  userId: string,
  { kind, apiId, detail }: { kind: ApiChange; apiId: string; detail: Record<string, unknown> },
  now: Date,
): Promise<'undone' | 'held' | undefined> {
  switch (kind) {
    case 'api_registered':
    case 'api_received':
    case 'api_given':
    case 'api_released':
      return (await holdApi(transaction, userId, apiId, now)) ? 'held' : undefined;
    case 'api_secret': {
      const ended = await ownApiSecrets.end(transaction, userId, apiId, Number(detail.number), now);
      return ended ? 'undone' : undefined;
    }
    case 'api_access': {
      const decided = detail as unknown as DecidedExclusion;
      return (await takeBackExclusion(transaction, userId, apiId, decided)) ? 'undone' : undefined;
    }
    case 'api_service': {
      const granted = { apiId, ...(detail as { clientId: string; grantedAt: string }) };
      return (await takeBackServiceAccess(transaction, userId, granted)) ? 'undone' : undefined;
    }
    case 'api_settings':
    case 'api_scopes':
    case 'api_keys': {
      const present = await lockOwnApi(transaction, userId, apiId);
      if (present === undefined) return undefined;
      await putBack(transaction, userId, kind, reverted(present, detail as unknown as Difference<OwnApi>));
      return 'undone';
    }
  }
}

async function putBack(
  transaction: Queryable,
  userId: string,
  kind: 'api_settings' | 'api_scopes' | 'api_keys',
  api: OwnApi,
): Promise<void> {
  const { apiId, jwks, scopes } = api;
  if (kind === 'api_keys') await setOwnKeys(transaction, userId, apiId, jwks);
  else if (kind === 'api_scopes') await setOwnScopes(transaction, userId, apiId, eachOnce(scopes));
  else await changeOwnApi(transaction, userId, apiId, api satisfies ApiSettings);
}

/** One of each name: what its owner has made of a scope since then stands before what comes back. */
const eachOnce = (scopes: readonly ApiScope[]): ApiScope[] =>
  scopes.filter(({ name }, place) => scopes.findIndex((one) => one.name === name) === place);
