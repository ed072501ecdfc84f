// Client applications: registering them, and what their owners do with them afterwards.

import { cleanName } from '../accounts/account-fields.ts';
import { savePicture } from '../accounts/pictures.ts';
import { differenceOf } from '../accounts/undoing.ts';
import { clientSecretHash, usedFormDigest } from '../oauth/digests.ts';
import { accessDenied } from '../oauth/errors.ts';
import type { ClientType } from '../oauth/redirect-uri.ts';
import { SCOPES } from '../oauth/scopes.ts';
import type { Sealer } from '../oauth/seal.ts';
import { newClientId, newClientSecret } from '../oauth/secrets.ts';
import {
  type ApplicationSettings,
  changeOwnApplication,
  countForAdding,
  deleteOwnApplication,
  endOwnSecret,
  lockOwnApplication,
  setOwnLogo,
} from '../store/applications.ts';
import { expireFormerSecrets, insertClient, insertClientSecret } from '../store/clients.ts';
import { findContactOfApplication } from '../store/credentials.ts';
import type { Database, Queryable } from '../store/database.ts';
import { recordEvent } from '../store/events.ts';
import { type Actor, holdSession, noteChange } from '../store/session-changes.ts';
import { releaseApplication as release } from '../store/undoing.ts';
import { useForm } from '../store/used-forms.ts';

export interface Application {
  ownerId: string;
  name: string;
  type: ClientType;
  redirectUris: string[];
  scopes: string[];
  standard: boolean;
  refreshGrace: number;
  /** Where people may return to after sign-out; nowhere unless told. */
  postLogoutRedirectUris?: string[];
}

/** Who does something with an application of their own, and from where. */
export interface Owner extends Actor {
  /** Undefined: it is the command line that acts for them, and nobody's account did it. */
  address: string | undefined;
}

/** Holds the session that something is changed in. @throws OAuthError `access_denied` when it is over */
export async function requireSession(transaction: Queryable, actor: Actor, now: Date): Promise<void> {
  if (!(await holdSession(transaction, actor, now))) throw accessDenied('The session has ended.');
}

/** A form that is good for one use: its value, which only the session that it was made for can send, until then. */
export interface OneUseForm {
  value: string;
  until: Date;
}

/**
 * Registers an application whose fields were found good, in the transaction of whoever says who did it.
 * @returns its Client ID and, for a confidential one, the Client Secret: the only time it can be read
 */
export async function registerApplication(
  transaction: Queryable,
  application: Application,
  now: Date,
): Promise<{ clientId: string; clientSecret: string | undefined }> {
  const clientId = newClientId();
  const clientSecret = await insertApplication(transaction, clientId, application, now);
  return { clientId, clientSecret };
}

async function insertApplication(
  transaction: Queryable,
  clientId: string,
  application: Application,
  now: Date,
): Promise<string | undefined> {
  await insertClient(
    transaction,
    {
      ...application,
      clientId,
      name: cleanName(application.name),
      redirectUris: [...new Set(application.redirectUris)],
      postLogoutRedirectUris: [...new Set(application.postLogoutRedirectUris)],
      scopes: SCOPES.filter((scope) => application.scopes.includes(scope)),
    },
    now,
  );
  if (application.type === 'public') return undefined;
  const clientSecret = newClientSecret();
  await insertClientSecret(transaction, clientId, clientSecretHash(clientSecret), now);
  return clientSecret;
}

/** The Client ID that a form makes: the same however often it is sent, and nobody else's. */
const clientIdOfForm = (sealer: Sealer, userId: string, form: OneUseForm): string =>
  `app_${sealer.mac('application form', userId, form.value).subarray(0, 15).toString('base64url')}`;

/** What a form comes to. A second use of it does nothing, and leads to what the first one made. */
type Registered =
  | { outcome: 'registered'; clientId: string; clientSecret: string | undefined }
  | { outcome: 'usedBefore'; clientId: string }
  | { outcome: 'tooMany' };

/**
 * Registers an application whose fields were found good for a person, once for each form.
 * @param limit how many applications an account may have
 */
export async function registerOwnApplication(
  { database, sealer }: { database: Database; sealer: Sealer },
  owner: Owner,
  application: Omit<Application, 'ownerId'>,
  form: OneUseForm,
  limit: number,
  now: Date,
): Promise<Registered> {
  const clientId = clientIdOfForm(sealer, owner.userId, form);
  return database
    .transaction(async (transaction): Promise<Registered> => {
      await requireSession(transaction, owner, now);
      const number = await countForAdding(transaction, owner.userId);
      if (!(await useForm(transaction, usedFormDigest('register', clientId), form.until)))
        return { outcome: 'usedBefore', clientId };
      if (number >= limit) throw new TooMany();
      const ownerId = owner.userId;
      const clientSecret = await insertApplication(transaction, clientId, { ...application, ownerId }, now);
      await note(transaction, 'application_registered', owner, clientId, now, {
        name: cleanName(application.name),
        type: application.type,
      });
      await noteChange(transaction, owner, { kind: 'registered', clientId }, now);
      return { outcome: 'registered', clientId, clientSecret };
    })
    .catch((error): Registered => {
      if (error instanceof TooMany) return { outcome: 'tooMany' };
      throw error;
    });
}

/** Rolls the use of the form back: it can be sent again when there is room. */
class TooMany extends Error {}

/**
 * Gives an application a new secret; the one before it ends after `overlap` seconds (D28: 0 to 7 days), older ones now.
 * @returns the new secret: the only time it can be read
 */
export async function rotateSecret(
  database: Database,
  clientId: string,
  overlap: number,
  now: Date,
): Promise<string> {
  return database.transaction(async (transaction) => {
    const { clientSecret, number } = await replaceSecret(transaction, clientId, overlap, now);
    const userId = (await findContactOfApplication(transaction, clientId))?.userId;
    const detail = { number, overlap };
    await recordEvent(transaction, { kind: 'secret_rotated', userId, clientId, detail }, now);
    return clientSecret;
  });
}

async function replaceSecret(
  transaction: Queryable,
  clientId: string,
  overlap: number,
  now: Date,
): Promise<{ clientSecret: string; number: number }> {
  const clientSecret = newClientSecret();
  // First the new one: that holds the application, so that of two who do it at once the second sees what the first made.
  const number = await insertClientSecret(transaction, clientId, clientSecretHash(clientSecret), now);
  await expireFormerSecrets(transaction, clientId, number, new Date(now.getTime() + overlap * 1000), now);
  return { clientSecret, number };
}

/** The same for its owner, once for each form; undefined when the application is not theirs or has no secrets. */
export async function rotateOwnSecret(
  database: Database,
  owner: Owner,
  clientId: string,
  overlap: number,
  form: OneUseForm,
  now: Date,
): Promise<{ clientSecret: string; number: number } | 'usedBefore' | undefined> {
  return database.transaction(async (transaction) => {
    await requireSession(transaction, owner, now);
    const application = await lockOwnApplication(transaction, owner.userId, clientId);
    if (application?.type !== 'confidential') return undefined;
    if (!(await useForm(transaction, usedFormDigest('rotate', clientId, form.value), form.until)))
      return 'usedBefore';
    const rotated = await replaceSecret(transaction, clientId, overlap, now);
    const { number } = rotated;
    await note(transaction, 'secret_rotated', owner, clientId, now, { number, overlap });
    await noteChange(transaction, owner, { kind: 'secret', clientId, detail: { number } }, now);
    return rotated;
  });
}

/** Ends one live secret now. False when it has ended already: what was asked for is so. */
export async function endSecret(
  database: Database,
  owner: Owner,
  clientId: string,
  number: number,
  now: Date,
): Promise<boolean> {
  return database.transaction(async (transaction) => {
    await requireSession(transaction, owner, now);
    if (!(await endOwnSecret(transaction, owner.userId, clientId, number, now))) return false;
    await note(transaction, 'secret_ended', owner, clientId, now, { number });
    return true;
  });
}

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
  await note(transaction, 'application_changed', owner, clientId, now, {
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
  await note(transaction, 'application_changed', owner, clientId, now, { changed: ['logo'] });
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
    await note(transaction, 'application_released', owner, clientId, now, {});
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
    await note(transaction, 'application_deleted', owner, clientId, now, { name });
    return true;
  });
}

const note = (
  transaction: Queryable,
  kind: Parameters<typeof recordEvent>[1]['kind'],
  owner: Owner,
  clientId: string,
  now: Date,
  detail: NonNullable<Parameters<typeof recordEvent>[1]['detail']>,
): Promise<void> => recordEvent(transaction, { kind, ...doneBy(owner), clientId, detail }, now);

/** What the audit log says of who did something, and to whom. */
export const doneBy = ({ userId, address }: Owner) => ({
  actorId: address === undefined ? undefined : userId,
  userId,
  address,
});
