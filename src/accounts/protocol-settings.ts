// Changing what an application wants of the protocol, with its line in the audit log.
import type { Queryable } from '../store/database.ts';
import { recordEvent } from '../store/events.ts';
import {
  changeProtocolSettings,
  findTakenResource,
  type ProtocolSettings,
} from '../store/protocol-settings.ts';
import { doneBy, type Owner } from './applications.ts';

/**
 * Gives an application of the owner other settings, which were found good.
 * @returns `gone` when it is not theirs; the resource that belongs to somebody else: nothing has changed then
 */
export async function changeProtocol(
  transaction: Queryable,
  owner: Owner,
  clientId: string,
  settings: ProtocolSettings,
  now: Date,
): Promise<'changed' | 'gone' | { taken: string }> {
  const taken = await findTakenResource(transaction, owner.userId, clientId, settings.resources);
  if (taken !== undefined) return { taken };
  if (!(await changeProtocolSettings(transaction, owner.userId, clientId, settings))) return 'gone';
  const event = { kind: 'application_changed', clientId, detail: { part: 'protocol' } } as const;
  await recordEvent(transaction, { ...event, ...doneBy(owner) }, now);
  return 'changed';
}
