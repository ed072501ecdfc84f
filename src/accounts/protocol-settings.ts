// Changing what an application wants of the protocol, with its line in the audit log.
import type { Database } from '../store/database.ts';
import { recordEvent } from '../store/events.ts';
import {
  changeProtocolSettings,
  findTakenResource,
  type ProtocolSettings,
} from '../store/protocol-settings.ts';
import type { Owner } from './applications.ts';

/**
 * Gives an application of the owner other settings, which were found good.
 * @returns `gone` when it is not theirs; the resource that belongs to somebody else: nothing has changed then
 */
export const changeProtocol = (
  database: Database,
  { userId, address }: Owner,
  clientId: string,
  settings: ProtocolSettings,
  now: Date,
): Promise<'changed' | 'gone' | { taken: string }> =>
  database.transaction(async (transaction) => {
    const taken = await findTakenResource(transaction, userId, clientId, settings.resources);
    if (taken !== undefined) return { taken };
    if (!(await changeProtocolSettings(transaction, userId, clientId, settings))) return 'gone';
    await recordEvent(
      transaction,
      {
        kind: 'application_changed',
        actorId: userId,
        userId,
        clientId,
        address,
        detail: { part: 'protocol' },
      },
      now,
    );
    return 'changed';
  });
