// Stores a user's decision on a device authorization request (RFC 8628) and the resulting consent.
import { parseScope } from '../oauth/scopes.ts';
import { type Database, rollback } from '../store/database.ts';
import { decideDeviceRequest, type PendingDeviceRequest } from '../store/device-requests.ts';
import { lockSession } from '../store/session-locks.ts';
import type { Session } from '../store/sessions.ts';
import { type ConsentOrigin, giveConsent } from './consent.ts';

export async function saveDeviceDecision(
  database: Database,
  decision: ConsentOrigin & {
    userCodeMac: Buffer;
    device: PendingDeviceRequest;
    allowed: boolean;
    session: Session;
  },
  now: Date,
): Promise<boolean> {
  const { device, allowed, session, ip, userAgent } = decision;
  const { clientId } = device;
  const scopes = parseScope(device.scopes.join(' '));
  const { userId, sid, userEpoch } = session;
  return database.transaction(async (transaction) => {
    if (!(await lockSession(transaction, session, now))) return false;
    const consent = { userId, sid, clientId, granted: { scopes, apis: [] }, ip, userAgent };
    const stored = allowed ? await giveConsent(transaction, consent, now) : undefined;
    if (allowed && stored === undefined) return rollback(false);
    const epoch = stored === undefined ? null : userEpoch + stored.epoch;
    return (await decideDeviceRequest(transaction, { ...decision, epoch, now })) || rollback(false);
  });
}
