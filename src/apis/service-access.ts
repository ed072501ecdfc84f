// Access to an API on an application's own account: its owner asks, the API's grants, either ends it.
import { mayAskForAccess } from '../accounts/limits.ts';
import { type Owner, requireSession } from '../applications/owner.ts';
import type { MailParts } from '../mail/links.ts';
import { identifierKey } from '../oauth/api.ts';
import { lockOwnApplication } from '../store/applications.ts';
import type { Database } from '../store/database.ts';
import { recordEvent } from '../store/events.ts';
import {
  countWaiting,
  endServiceAccess,
  grantServiceAccess,
  insertServiceAccess,
  lockOpenApi,
} from '../store/service-access.ts';

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
  { database, ...parts }: Pick<MailParts, 'config' | 'sealer' | 'database'>,
  owner: Owner,
  { clientId, identifier, scopes }: { clientId: string; identifier: string; scopes: readonly string[] },
  now: Date,
): Promise<'granted' | 'asked' | AskFault> {
  const { userId, address } = owner;
  if (!(await mayAskForAccess({ database, ...parts }, userId, now))) return 'tooOften';
  return database.transaction(async (transaction) => {
    await requireSession(transaction, owner, now);
    const application = await lockOwnApplication(transaction, userId, clientId);
    if (application?.type !== 'confidential') return 'unknown';
    const api = await lockOpenApi(transaction, identifierKey(identifier), clientId, now);
    if (api === undefined) return 'unknown';
    if (!scopes.every((scope) => api.scopes.includes(scope))) return 'scopeUnknown';
    const { apiId } = api;
    const granted = api.ownerId === userId;
    if (!granted && (await countWaiting(transaction, apiId)) >= MOST_WAITING) return 'full';
    if (!(await insertServiceAccess(transaction, { apiId, clientId, scopes, granted }, now))) return 'exists';
    const kind = granted ? 'service_access_granted' : 'service_access_asked';
    const detail = { scopes: [...scopes] };
    const event = { kind, actorId: userId, userId: api.ownerId, clientId, apiId, address, detail } as const;
    await recordEvent(transaction, event, now);
    return granted ? 'granted' : 'asked';
  });
}

/** An application's access to an API. */
export interface ServiceAccess {
  apiId: string;
  clientId: string;
}

/** Grants what was asked of an API of one's own, or fewer of its scopes. False when nothing waits, or not for all of these. */
export const grantAccess = (
  database: Database,
  owner: Owner,
  { scopes, ...access }: ServiceAccess & { scopes: readonly string[] },
  now: Date,
): Promise<boolean> =>
  database.transaction(async (transaction) => {
    await requireSession(transaction, owner, now);
    const { userId, address } = owner;
    const parties = await grantServiceAccess(transaction, userId, { ...access, scopes }, now);
    if (parties === undefined) return false;
    const kind = 'service_access_granted';
    const detail = { scopes: [...scopes] };
    const event = {
      kind,
      actorId: userId,
      userId: parties.clientOwnerId,
      ...access,
      address,
      detail,
    } as const;
    await recordEvent(transaction, event, now);
    return true;
  });

/** Ends an access, or refuses or takes back its request, by either owner. Its tokens are worth nothing from then on, for good. */
export const endAccess = (
  database: Database,
  owner: Owner,
  access: ServiceAccess,
  now: Date,
): Promise<boolean> =>
  database.transaction(async (transaction) => {
    await requireSession(transaction, owner, now);
    const { userId: actorId, address } = owner;
    const ended = await endServiceAccess(transaction, actorId, access);
    if (ended === undefined) return false;
    const { apiOwnerId, clientOwnerId, granted } = ended;
    const other = actorId === apiOwnerId ? clientOwnerId : apiOwnerId;
    const kind = granted || actorId !== apiOwnerId ? 'service_access_ended' : 'service_access_refused';
    await recordEvent(transaction, { kind, actorId, userId: other, ...access, address }, now);
    return true;
  });
