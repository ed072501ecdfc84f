// Updates a client's settings, logo and protocol settings.
import { cleanName } from '../accounts/account-fields.ts';
import { replacePicture } from '../accounts/pictures.ts';
import { SCOPES } from '../oauth/scopes.ts';
import { type Owner, recordOwnerEvent } from '../ownership/owner.ts';
import type { Queryable } from '../store/database.ts';
import {
  type ClientSettings,
  lockOwnedClient,
  type ProtocolSettings,
  setOwnedClientLogo,
  updateOwnedClient,
  updateProtocolSettings,
} from '../store/owned-clients.ts';
import { requireLiveSession } from '../store/session-locks.ts';

export async function updateClient(
  transaction: Queryable,
  owner: Owner,
  clientId: string,
  input: ClientSettings,
  now: Date,
): Promise<boolean> {
  const settings: ClientSettings = {
    name: cleanName(input.name),
    redirectUris: [...new Set(input.redirectUris)],
    scopes: SCOPES.filter((scope) => input.scopes.includes(scope)),
    standard: input.standard,
    refreshGrace: input.refreshGrace,
    homePage: input.homePage,
    privacyPolicy: input.privacyPolicy,
    termsOfService: input.termsOfService,
  };
  await requireLiveSession(transaction, owner, now);
  const before = await lockOwnedClient(transaction, owner.userId, clientId);
  if (before === undefined) return false;
  const names = Object.keys(settings) as (keyof ClientSettings)[];
  const changed = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(settings[name]));
  if (changed.length === 0) return true;
  await updateOwnedClient(transaction, owner.userId, clientId, settings, now);
  await recordOwnerEvent(transaction, 'application_changed', owner, { clientId }, now, {
    changed,
    ...(changed.includes('redirectUris') && { redirectUris: settings.redirectUris }),
  });
  return true;
}

export async function updateLogo(
  transaction: Queryable,
  owner: Owner,
  clientId: string,
  picture: Buffer | undefined,
  now: Date,
): Promise<boolean> {
  await requireLiveSession(transaction, owner, now);
  const before = await lockOwnedClient(transaction, owner.userId, clientId);
  if (before === undefined) return false;
  const logo = await replacePicture(transaction, clientId, before.logo, picture ?? null);
  if (!(await setOwnedClientLogo(transaction, owner.userId, clientId, logo))) return false;
  await recordOwnerEvent(transaction, 'application_changed', owner, { clientId }, now, { changed: ['logo'] });
  return true;
}

/** The caller must validate the settings. */
export async function changeProtocolSettings(
  transaction: Queryable,
  owner: Owner,
  clientId: string,
  change: Partial<ProtocolSettings>,
  now: Date,
): Promise<'changed' | 'notFound'> {
  const { userId } = owner;
  await requireLiveSession(transaction, owner, now);
  const before = await lockOwnedClient(transaction, userId, clientId);
  if (before === undefined) return 'notFound';
  const settings = { ...before, ...change };
  if (!(await updateProtocolSettings(transaction, userId, clientId, settings, now))) return 'notFound';
  await recordOwnerEvent(transaction, 'application_changed', owner, { clientId }, now, { part: 'protocol' });
  return 'changed';
}
