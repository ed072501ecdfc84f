// All that an application's owner can set, as one value: checked and changed at once, all of it or nothing.
import { isDeepStrictEqual } from 'node:util';
import type { ClientType } from '../oauth/redirect-uri.ts';
import type { Owner } from '../ownership/owner.ts';
import {
  type ApplicationSettings,
  isProtocolSetting,
  lockOwnApplication,
  type ProtocolSettings,
} from '../store/applications.ts';
import type { Queryable } from '../store/database.ts';
import { changeApplication, changeLogo, changeProtocol } from './changes.ts';
import { type ProtocolFault, protocolFaults } from './protocol-fields.ts';
import { type ApplicationFault, applicationFaults, linkFaults } from './settings-fields.ts';

export type Definition = ApplicationSettings & ProtocolSettings;

/** What is to be different. */
export type DefinitionChange = Partial<Definition> & {
  /** Encoded already; null takes it away. */
  logo?: Buffer | null;
};

/** One thing to put right: the same as in the console's forms, which ask the same functions. */
export type DefinitionFault = ApplicationFault | ProtocolFault;

export const definitionFaults = (
  definition: Definition,
  type: ClientType,
  production: boolean,
): DefinitionFault[] => [
  ...applicationFaults({ ...definition, type }, production),
  ...linkFaults(definition, production),
  ...protocolFaults(definition, type, production),
];

/**
 * Changes what is to be different, if all of it is good together with the rest; one line in the audit log for the
 * settings, one for the protocol, one for the logo, as the console's pages write them.
 * @returns whether anything changed, what is wrong (nothing has changed then), or undefined when it is not theirs
 */
export async function changeDefinition(
  transaction: Queryable,
  owner: Owner,
  clientId: string,
  { logo, ...change }: DefinitionChange,
  production: boolean,
  now: Date,
): Promise<boolean | DefinitionFault[] | undefined> {
  const application = await lockOwnApplication(transaction, owner.userId, clientId);
  if (application === undefined) return undefined;
  const wanted: Definition = { ...application, ...change };
  const faults = definitionFaults(wanted, application.type, production);
  if (faults.length > 0) return faults;

  const changed = (Object.keys(change) as (keyof typeof change)[]).filter(
    (name) => !isDeepStrictEqual(change[name], application[name]),
  );
  if (changed.some(isProtocolSetting)) await changeProtocol(transaction, owner, clientId, wanted, now);
  if (!changed.every(isProtocolSetting)) await changeApplication(transaction, owner, clientId, wanted, now);
  if (logo !== undefined) await changeLogo(transaction, owner, clientId, logo ?? undefined, now);
  return changed.length > 0 || logo !== undefined;
}
