// Requests, grants and revokes service access, which lets clients call APIs without a user.

import { notify, notifyInTransaction } from '../accounts/notifications.ts';
import { mayRequestApiAccess } from '../accounts/rate-limits.ts';
import type { MailServices } from '../mail/links.ts';
import { toIdentifierKey } from '../oauth/api.ts';
import type { Owner } from '../ownership/owner.ts';
import { recordEvent } from '../store/audit-log.ts';
import type { Queryable } from '../store/database.ts';
import { lockOwnedApi } from '../store/owned-apis.ts';
import { lockOwnedClient } from '../store/owned-clients.ts';
import {
  countPendingServiceAccess,
  grantServiceAccess,
  insertServiceAccess,
  lockAvailableApi,
  revokeServiceAccess,
} from '../store/service-access.ts';
import { requireLiveSession } from '../store/session-locks.ts';

const MAX_PENDING_REQUESTS = 50;

export type AccessRequestError = 'tooOften' | 'unknown' | 'scopeUnknown' | 'exists' | 'full';

/**
 * Requests service access. It is granted immediately if the user also owns the API.
 * @param identifier the API's identifier, as entered by the user
 * @throws OAuthError `access_denied` if the session has ended
 */
export async function requestAccess(
  services: MailServices,
  owner: Owner,
  { clientId, identifier, scopes }: { clientId: string; identifier: string; scopes: readonly string[] },
  now: Date,
): Promise<'granted' | 'asked' | AccessRequestError> {
  const { userId, ip } = owner;
  if (!(await mayRequestApiAccess(services, userId, now))) return 'tooOften';
  const result = await services.database.transaction(async (transaction) => {
    await requireLiveSession(transaction, owner, now);
    const client = await lockOwnedClient(transaction, userId, clientId);
    if (client?.type !== 'confidential') return 'unknown';
    const api = await lockAvailableApi(transaction, toIdentifierKey(identifier), clientId, now);
    if (api === undefined) return 'unknown';
    if (!scopes.every((scope) => api.scopes.includes(scope))) return 'scopeUnknown';
    const { apiId, ownerId } = api;
    const granted = ownerId === userId;
    if (!granted && (await countPendingServiceAccess(transaction, apiId)) >= MAX_PENDING_REQUESTS)
      return 'full';
    if (!(await insertServiceAccess(transaction, { apiId, clientId, scopes, granted }, now))) return 'exists';
    const kind = granted ? 'service_access_granted' : 'service_access_requested';
    const detail = { scopes: [...scopes] };
    const event = { kind, actorId: userId, userId: ownerId, clientId, apiId, ip, detail } as const;
    await recordEvent(transaction, event, now);
    return { granted, ownerId, name: client.name };
  });
  if (typeof result === 'string') return result;
  if (result.granted) return 'granted';
  await notify(
    services,
    { kind: 'api_access_requested', account: result.ownerId, subject: result.name },
    now,
  );
  return 'asked';
}

export interface ServiceAccess {
  apiId: string;
  clientId: string;
}

/**
 * Grants some or all of the requested scopes.
 * @param access.requestedAt creation time of the reviewed request
 * @returns false if that request is no longer pending or lacks one of the scopes
 */
export async function grantServiceAccessByOwner(
  services: MailServices,
  transaction: Queryable,
  owner: Owner,
  { scopes, requestedAt, ...access }: ServiceAccess & { scopes: readonly string[]; requestedAt: Date },
  now: Date,
): Promise<boolean> {
  const { userId, ip } = owner;
  await requireLiveSession(transaction, owner, now);
  // The API may have been transferred to another owner since the page was shown.
  if ((await lockOwnedApi(transaction, userId, access.apiId)) === undefined) return false;
  const granted = await grantServiceAccess(transaction, userId, { ...access, scopes, requestedAt }, now);
  if (granted === undefined) return false;
  const { clientOwnerId: account, apiName: subject } = granted;
  const event = { kind: 'service_access_granted', actorId: userId, userId: account, ip } as const;
  await recordEvent(transaction, { ...event, ...access, detail: { scopes: [...scopes] } }, now);
  if (account !== userId)
    await notifyInTransaction(services, transaction, { kind: 'api_access_granted', account, subject }, now);
  return true;
}

/** Revokes service access or removes a pending request. Granting access again doesn't restore revoked tokens. */
export async function endServiceAccessByOwner(
  services: MailServices,
  transaction: Queryable,
  owner: Owner,
  access: ServiceAccess,
  now: Date,
): Promise<void> {
  const { userId: actorId, ip } = owner;
  await requireLiveSession(transaction, owner, now);
  const parties = await revokeServiceAccess(transaction, actorId, access);
  if (parties === undefined) return;
  const { apiOwnerId, clientOwnerId, granted, apiName: subject } = parties;
  const isByApiOwner = actorId === apiOwnerId;
  const account = isByApiOwner ? clientOwnerId : apiOwnerId;
  const outcome = granted || !isByApiOwner ? 'access_ended' : 'access_refused';
  const event = { kind: `service_${outcome}`, actorId, userId: account, ip } as const;
  await recordEvent(transaction, { ...event, ...access }, now);
  if (account !== actorId)
    await notifyInTransaction(services, transaction, { kind: `api_${outcome}`, account, subject }, now);
}
