// Access to an API on an application's own account: its owner asks, the API's grants, either ends it.

import { mayAskForAccess } from '../accounts/limits.ts';
import { notify, notifyWithin } from '../accounts/notifications.ts';
import type { MailParts } from '../mail/links.ts';
import { identifierKey } from '../oauth/api.ts';
import type { Owner } from '../ownership/owner.ts';
import { lockOwnApplication } from '../store/applications.ts';
import type { Queryable } from '../store/database.ts';
import { recordEvent } from '../store/events.ts';
import { lockOwnApi } from '../store/own-apis.ts';
import {
  countWaiting,
  endServiceAccess,
  grantServiceAccess,
  insertServiceAccess,
  lockOpenApi,
} from '../store/service-access.ts';
import { requireSession } from '../store/session-locks.ts';

/** Requests that may wait for the answer of one API's owner. */
const MOST_WAITING = 50;

/** Why nothing was asked. */
export type AskFault = 'tooOften' | 'unknown' | 'scopeUnknown' | 'exists' | 'full';

/**
 * Asks an API for scopes on an application's own account. Where both are one owner's, it is granted at once.
 * @param identifier as it was typed; one that nobody has and one that does not admit the application are answered alike
 * @throws OAuthError `access_denied` when the session is over
 */
export async function askForAccess(
  parts: MailParts,
  owner: Owner,
  { clientId, identifier, scopes }: { clientId: string; identifier: string; scopes: readonly string[] },
  now: Date,
): Promise<'granted' | 'asked' | AskFault> {
  const { userId, address } = owner;
  if (!(await mayAskForAccess(parts, userId, now))) return 'tooOften';
  const asked = await parts.database.transaction(async (transaction) => {
    await requireSession(transaction, owner, now);
    const application = await lockOwnApplication(transaction, userId, clientId);
    if (application?.type !== 'confidential') return 'unknown';
    const api = await lockOpenApi(transaction, identifierKey(identifier), clientId, now);
    if (api === undefined) return 'unknown';
    if (!scopes.every((scope) => api.scopes.includes(scope))) return 'scopeUnknown';
    const { apiId, ownerId } = api;
    const granted = ownerId === userId;
    if (!granted && (await countWaiting(transaction, apiId)) >= MOST_WAITING) return 'full';
    if (!(await insertServiceAccess(transaction, { apiId, clientId, scopes, granted }, now))) return 'exists';
    const kind = granted ? 'service_access_granted' : 'service_access_asked';
    const detail = { scopes: [...scopes] };
    const event = { kind, actorId: userId, userId: ownerId, clientId, apiId, address, detail } as const;
    await recordEvent(transaction, event, now);
    return { granted, ownerId, name: application.name };
  });
  if (typeof asked === 'string') return asked;
  if (asked.granted) return 'granted';
  await notify(parts, { kind: 'api_access_asked', account: asked.ownerId, subject: asked.name }, now);
  return 'asked';
}

/** An application's access to an API. */
export interface ServiceAccess {
  apiId: string;
  clientId: string;
}

/** Grants what was asked of an API of one's own at a time, or fewer of its scopes, in a transaction. False when it does not wait, or not for all of these. */
export async function grantAccess(
  parts: MailParts,
  transaction: Queryable,
  owner: Owner,
  { scopes, askedAt, ...access }: ServiceAccess & { scopes: readonly string[]; askedAt: Date },
  now: Date,
): Promise<boolean> {
  const { userId, address } = owner;
  await requireSession(transaction, owner, now);
  // Waits for a transfer of the API that is under way: its new owner decides then.
  if ((await lockOwnApi(transaction, userId, access.apiId)) === undefined) return false;
  const granted = await grantServiceAccess(transaction, userId, { ...access, scopes, askedAt }, now);
  if (granted === undefined) return false;
  const { clientOwnerId: account, apiName: subject } = granted;
  const event = { kind: 'service_access_granted', actorId: userId, userId: account, address } as const;
  await recordEvent(transaction, { ...event, ...access, detail: { scopes: [...scopes] } }, now);
  if (account !== userId)
    await notifyWithin(parts, transaction, { kind: 'api_access_granted', account, subject }, now);
  return true;
}

/** Ends an access in a transaction, or refuses or takes back its request, by either owner. Its tokens are worth nothing from then on, for good. */
export async function endAccess(
  parts: MailParts,
  transaction: Queryable,
  owner: Owner,
  access: ServiceAccess,
  now: Date,
): Promise<void> {
  const { userId: actorId, address } = owner;
  await requireSession(transaction, owner, now);
  const parties = await endServiceAccess(transaction, actorId, access);
  if (parties === undefined) return;
  const { apiOwnerId, clientOwnerId, granted, apiName: subject } = parties;
  const byApi = actorId === apiOwnerId;
  const account = byApi ? clientOwnerId : apiOwnerId;
  const outcome = granted || !byApi ? 'access_ended' : 'access_refused';
  const event = { kind: `service_${outcome}`, actorId, userId: account, address } as const;
  await recordEvent(transaction, { ...event, ...access }, now);
  if (account !== actorId)
    await notifyWithin(parts, transaction, { kind: `api_${outcome}`, account, subject }, now);
}
