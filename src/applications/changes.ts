// What owners change about an application, up to releasing and deleting it.
import { cleanName } from '../accounts/account-fields.ts';
import { savePicture } from '../accounts/pictures.ts';
import { differenceOf } from '../accounts/reverting.ts';
import { SCOPES } from '../oauth/scopes.ts';
import {
  type ApplicationSettings,
  changeOwnApplication,
  deleteOwnApplication,
  lockOwnApplication,
  setOwnLogo,
} from '../store/applications.ts';
import type { Database, Queryable } from '../store/database.ts';
import { releaseApplication as release } from '../store/restoring.ts';
import { noteChange } from '../store/session-changes.ts';
import { note, type Owner, requireSession } from './owner.ts';

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
  await changeOwnApplication(transaction, owner.userId, clientId, settings);
  const detail = differenceOf<object>(before, settings);
  await noteChange(transaction, owner, { kind: 'settings', clientId, ...(detail && { detail }) }, now);
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
  const logo = picture === undefined ? null : await savePicture(transaction, picture, now);
  if (!(await setOwnLogo(transaction, owner.userId, clientId, logo))) return false;
  await note(transaction, 'application_changed', owner, { clientId }, now, { changed: ['logo'] });
  const detail = { before: before.logo, after: logo };
  await noteChange(transaction, owner, { kind: 'logo', clientId, detail }, now);
  return true;
}

/**
 * Lifts the suspension of an application that its owner holds, after « this was not me »; an operator's stays. Whoever
 * disowns the session that did it holds it again.
 * @returns false when there is nothing to lift (any more)
 */
export async function releaseApplication(
  database: Database,
  owner: Owner,
  clientId: string,
  now: Date,
): Promise<boolean> {
  return database.transaction(async (transaction) => {
    await requireSession(transaction, owner, now);
    if (!(await release(transaction, owner.userId, clientId))) return false;
    await note(transaction, 'application_released', owner, { clientId }, now);
    await noteChange(transaction, owner, { kind: 'released', clientId }, now);
    return true;
  });
}

/** Deletes an application, under the name that the person confirmed. False when there is none of theirs. */
export async function deleteApplication(
  database: Database,
  owner: Owner,
  clientId: string,
  name: string,
  now: Date,
): Promise<boolean> {
  return database.transaction(async (transaction) => {
    await requireSession(transaction, owner, now);
    if (!(await deleteOwnApplication(transaction, owner.userId, clientId, name))) return false;
    await note(transaction, 'application_deleted', owner, { clientId }, now, { name });
    return true;
  });
}
