// What a person decided about a device that waits: written together with the consent that it means.

import { rememberConsent } from '../store/consents.ts';
import type { Database } from '../store/database.ts';
import { decideDeviceRequest, type WaitingDevice } from '../store/device-requests.ts';
import type { Session } from '../store/sessions.ts';

/** Writes the decision, once. False when somebody decided before, or the device has given up waiting. */
export const rememberOutcome = (
  database: Database,
  decision: { userCodeMac: Buffer; device: WaitingDevice; allowed: boolean; session: Session },
  now: Date,
): Promise<boolean> =>
  database.transaction(async (transaction) => {
    const { device, allowed, session } = decision;
    if (!(await decideDeviceRequest(transaction, { ...decision, now }))) return false;
    const { clientId, scopes } = device;
    if (allowed) await rememberConsent(transaction, { userId: session.userId, clientId, scopes, now });
    return true;
  });
