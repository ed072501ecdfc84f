// What a person decided about a device that waits: written together with the consent that it means.
import { parseScope } from '../oauth/scopes.ts';
import { type Database, rollback } from '../store/database.ts';
import { decideDeviceRequest, type WaitingDevice } from '../store/device-requests.ts';
import { holdSession } from '../store/session-locks.ts';
import type { Session } from '../store/sessions.ts';
import { type Consent, giveConsent } from './agreement.ts';

/** Writes the decision, once. False when somebody decided before, or the device has given up waiting. */
export async function rememberOutcome(
  database: Database,
  decision: Pick<Consent, 'address' | 'userAgent'> & {
    userCodeMac: Buffer;
    device: WaitingDevice;
    allowed: boolean;
    session: Session;
  },
  now: Date,
): Promise<boolean> {
  const { device, allowed, session, address, userAgent } = decision;
  const { clientId } = device;
  const scopes = parseScope(device.scopes.join(' '));
  const { userId, sid, userEpoch } = session;
  return database.transaction(async (transaction) => {
    if (!(await holdSession(transaction, session, now))) return false;
    const consent = { userId, sid, clientId, granted: { scopes, apis: [] }, address, userAgent };
    const given = allowed ? await giveConsent(transaction, consent, now) : undefined;
    if (allowed && given === undefined) return rollback(false);
    const epoch = given === undefined ? null : userEpoch + given.epoch;
    // The consent is undone, too.
    return (await decideDeviceRequest(transaction, { ...decision, epoch, now })) || rollback(false);
  });
}
