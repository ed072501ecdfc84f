// What owners change about an application, up to deleting it.
import { cleanName } from '../accounts/account-fields.ts';
import { replacePicture } from '../accounts/pictures.ts';
import { SCOPES } from '../oauth/scopes.ts';
import { note, type Owner } from '../ownership/owner.ts';
import {
  type ApplicationSettings,
  changeOwnApplication,
  changeProtocolSettings,
  lockOwnApplication,
  type ProtocolSettings,
  setOwnLogo,
} from '../store/applications.ts';
import type { Queryable } from '../store/database.ts';
import { requireSession } from '../store/session-locks.ts';

/** Gives an application settings that were found good. False when it is not theirs, or not there. */
export async function changeApplication(
  transaction: Queryable,
  owner: Owner,
  clientId: string,
  wanted: ApplicationSettings,
  now: Date,
): Promise<boolean> {
  const settings: ApplicationSettings = {
    name: cleanName(wanted.name),
    redirectUris: [...new Set(wanted.redirectUris)],
    scopes: SCOPES.filter((scope) => wanted.scopes.includes(scope)),
    standard: wanted.standard,
    refreshGrace: wanted.refreshGrace,
    homePage: wanted.homePage,
    privacyPolicy: wanted.privacyPolicy,
    termsOfService: wanted.termsOfService,
  };
  await requireSession(transaction, owner, now);
  const before = await lockOwnApplication(transaction, owner.userId, clientId);
  if (before === undefined) return false;
  const names = Object.keys(settings) as (keyof ApplicationSettings)[];
  const changed = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(settings[name]));
  if (changed.length === 0) return true;
  await changeOwnApplication(transaction, owner.userId, clientId, settings, now);
  await note(transaction, 'application_changed', owner, { clientId }, now, {
    changed,
    ...(changed.includes('redirectUris') && { redirectUris: settings.redirectUris }),
  });
  return true;
}

/** Gives an application a logo, already encoded, or takes it away. False when it is not theirs, or not there. */
export async function changeLogo(
  transaction: Queryable,
  owner: Owner,
  clientId: string,
  picture: Buffer | undefined,
  now: Date,
): Promise<boolean> {
  await requireSession(transaction, owner, now);
  const before = await lockOwnApplication(transaction, owner.userId, clientId);
  if (before === undefined) return false;
  const logo = await replacePicture(transaction, clientId, before.logo, picture ?? null);
  if (!(await setOwnLogo(transaction, owner.userId, clientId, logo))) return false;
  await note(transaction, 'application_changed', owner, { clientId }, now, { changed: ['logo'] });
  return true;
}

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
