// Changing what an application wants of the protocol, with its line in the audit log.

import { note, type Owner, requireSession } from '../ownership/owner.ts';
import { lockOwnApplication } from '../store/applications.ts';
import type { Queryable } from '../store/database.ts';
import { changeProtocolSettings, type ProtocolSettings } from '../store/protocol-settings.ts';

/**
 * Gives an application of the owner other settings, which were found good.
 * @returns `gone` when it is not theirs
 */
export async function changeProtocol(
  transaction: Queryable,
  owner: Owner,
  clientId: string,
  settings: ProtocolSettings,
  now: Date,
): Promise<'changed' | 'gone'> {
  const { userId } = owner;
  await requireSession(transaction, owner, now);
  if (!(await lockOwnApplication(transaction, userId, clientId))) return 'gone';
  if (!(await changeProtocolSettings(transaction, userId, clientId, settings, now))) return 'gone';
  await note(transaction, 'application_changed', owner, { clientId }, now, { part: 'protocol' });
  return 'changed';
}
