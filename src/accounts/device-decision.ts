// What a person decided about a device that waits: written together with the consent that it means.
import { parseScope } from '../oauth/scopes.ts';
import type { Database } from '../store/database.ts';
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
  const { userId, userEpoch } = session;
  try {
    await database.transaction(async (transaction) => {
      if (!(await holdSession(transaction, session, now))) throw new TooLate();
      const consent = { userId, clientId, granted: { scopes, apis: [] }, address, userAgent };
      const given = allowed ? await giveConsent(transaction, consent, now) : undefined;
      if (allowed && given === undefined) throw new TooLate();
      const epoch = given === undefined ? null : userEpoch + given.epoch;
      if (!(await decideDeviceRequest(transaction, { ...decision, epoch, now }))) throw new TooLate();
    });
    return true;
  } catch (error) {
    if (error instanceof TooLate) return false;
    throw error;
  }
}

/** The consent is not remembered either. */
class TooLate extends Error {}
