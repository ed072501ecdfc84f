// Validates and updates all of a client's settings in one transaction.
import { isDeepStrictEqual } from 'node:util';
import type { ClientType } from '../oauth/redirect-uri.ts';
import type { Owner } from '../ownership/owner.ts';
import type { Queryable } from '../store/database.ts';
import {
  type ClientSettings,
  isProtocolSetting,
  lockOwnedClient,
  type ProtocolSettings,
} from '../store/owned-clients.ts';
import { isMachineClient } from './kind.ts';
import { type ProtocolError, validateProtocolSettings } from './protocol-fields.ts';
import { type ClientSettingsError, validateClient, validateLinks } from './settings-fields.ts';
import { changeProtocolSettings, updateClient, updateLogo } from './updates.ts';

export type ClientDefinition = ClientSettings & ProtocolSettings;

export type ClientDefinitionChange = Partial<ClientDefinition> & {
  /** Contents of the image file. Null removes the logo. */
  logo?: Buffer | null;
};

export type ClientDefinitionError = ClientSettingsError | ProtocolError;

export const validateClientDefinition = (
  definition: ClientDefinition,
  { type, isMachine }: { type: ClientType; isMachine: boolean },
  production: boolean,
): ClientDefinitionError[] => [
  ...validateClient({ ...definition, type, isMachine }, production),
  ...validateLinks(definition, production),
  ...validateProtocolSettings(definition, type, production),
];

/** @returns whether anything changed, or the errors. Undefined if the user isn't the owner. */
export async function updateClientDefinition(
  transaction: Queryable,
  owner: Owner,
  clientId: string,
  { logo, ...change }: ClientDefinitionChange,
  production: boolean,
  now: Date,
): Promise<boolean | ClientDefinitionError[] | undefined> {
  const client = await lockOwnedClient(transaction, owner.userId, clientId);
  if (client === undefined) return undefined;
  const settings: ClientDefinition = { ...client, ...change };
  const kind = { type: client.type, isMachine: isMachineClient(client) };
  const errors = validateClientDefinition(settings, kind, production);
  if (errors.length > 0) return errors;

  const changedNames = (Object.keys(change) as (keyof typeof change)[]).filter(
    (name) => !isDeepStrictEqual(change[name], client[name]),
  );
  if (changedNames.some(isProtocolSetting))
    await changeProtocolSettings(transaction, owner, clientId, settings, now);
  if (!changedNames.every(isProtocolSetting)) await updateClient(transaction, owner, clientId, settings, now);
  if (logo !== undefined) await updateLogo(transaction, owner, clientId, logo ?? undefined, now);
  return changedNames.length > 0 || logo !== undefined;
}
