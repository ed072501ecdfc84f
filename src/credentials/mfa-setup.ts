// Manages authenticator apps, recovery codes and remembered devices.
import { randomUUID } from 'node:crypto';
import { type Notification, notifyInTransaction, type SessionContext } from '../accounts/notifications.ts';
import type { MailServices } from '../mail/links.ts';
import { rememberedDeviceDigest } from '../oauth/digests.ts';
import { REMEMBERED_DEVICE_TTL } from '../oauth/lifetimes.ts';
import { recordOwnEvent } from '../store/audit-log.ts';
import { type Queryable, rollback } from '../store/database.ts';
import {
  deleteRememberedDevice,
  rememberDevice,
  removeAuthenticatorApp,
  replaceRecoveryCodes,
  setAuthenticatorApp,
} from '../store/mfa-factors.ts';
import { lockSession } from '../store/session-locks.ts';
import { addSessionMethod, type SessionKey } from '../store/sessions.ts';
import { runOnce, type SingleUseFormToken } from '../store/used-tokens.ts';
import { findTimeStep, sealSecret } from './authenticator-app.ts';
import { cancelPendingMfaReset } from './mfa-reset.ts';
import { deriveRecoveryCodes, hashRecoveryCodes } from './recovery-codes.ts';

export interface Actor extends SessionContext, SessionKey {
  sid: string;
  ip: string;
}

interface CreatedRecoveryCodes {
  /** Undefined if the codes must not be shown again (ADR 11). */
  codes: string[] | undefined;
}

/**
 * Enrolls an authenticator app and creates recovery codes. The session then counts as authenticated with MFA, but not
 * as re-authenticated, because the user has presented no existing credential.
 * @returns `wrong` if the code is wrong or the session has ended. `exists` if the account already has an app.
 */
export async function enrollAuthenticatorApp(
  services: MailServices,
  { userId, sid, idHash, ip, ...sessionContext }: Actor,
  { secret, code, form }: { secret: string; code: string; form: SingleUseFormToken },
  now: Date,
): Promise<CreatedRecoveryCodes | 'wrong' | 'exists'> {
  const step = findTimeStep(secret, code, now);
  if (step === undefined) return 'wrong';
  const codes = deriveRecoveryCodes(form.seed);
  const { database, sealer } = services;
  type Outcome = (CreatedRecoveryCodes & { isRepeat: boolean }) | 'wrong' | 'exists';
  const outcome = await database.transaction(async (transaction): Promise<Outcome> => {
    if (!(await lockSession(transaction, { userId, sid }, now))) return 'wrong';
    const { isRepeat, canShowSecret } = await runOnce(transaction, form, now, async () => {
      const app = { userId, sealedSecret: sealSecret(sealer, userId, secret), step };
      if (!(await setAuthenticatorApp(transaction, app, now))) return rollback('exists');
      await cancelPendingMfaReset(transaction, { userId, ip }, now);
      await replaceRecoveryCodes(transaction, userId, hashRecoveryCodes(userId, codes), now);
      await recordOwnEvent(transaction, { kind: 'app_added', userId, ip }, now);
      const alert = {
        kind: 'app_added',
        account: userId,
        ip,
        ...sessionContext,
      } as const satisfies Notification;
      await notifyInTransaction(services, transaction, alert, now);
      return 'set';
    });
    return { codes: canShowSecret ? codes : undefined, isRepeat };
  });
  if (typeof outcome === 'string') return outcome;
  services.mailer.wake();
  // Must run after the transaction, which share-locks the session. Otherwise, two submits of the same form would
  // deadlock.
  if (!outcome.isRepeat) await addSessionMethod(database, { userId, idHash }, 'otp', now);
  return outcome;
}

/**
 * Removes the authenticator app and remembered devices. Also removes the recovery codes if the account has a password
 * and no passkey.
 * @returns false if the account has no authenticator app or the session has ended
 */
export async function removeOwnAuthenticatorApp(
  transaction: Queryable,
  { userId, sid, ip }: Omit<Actor, 'idHash'>,
  now: Date,
): Promise<boolean> {
  if (!(await lockSession(transaction, { userId, sid }, now))) return false;
  if (!(await removeAuthenticatorApp(transaction, userId))) return false;
  await cancelPendingMfaReset(transaction, { userId, ip }, now);
  await recordOwnEvent(transaction, { kind: 'app_removed', userId, ip }, now);
  return true;
}

export async function regenerateRecoveryCodes(
  services: MailServices,
  { userId, sid, ip, ...sessionContext }: Omit<Actor, 'idHash'>,
  form: SingleUseFormToken,
  now: Date,
): Promise<CreatedRecoveryCodes | undefined> {
  const created = await services.database.transaction(async (transaction) => {
    if (!(await lockSession(transaction, { userId, sid }, now))) return undefined;
    const codes = deriveRecoveryCodes(form.seed);
    const { canShowSecret } = await runOnce(transaction, form, now, async () => {
      await replaceRecoveryCodes(transaction, userId, hashRecoveryCodes(userId, codes), now);
      await cancelPendingMfaReset(transaction, { userId, ip }, now);
      await recordOwnEvent(transaction, { kind: 'recovery_codes_made', userId, ip }, now);
      const alert = {
        kind: 'recovery_codes_made',
        account: userId,
        ip,
        ...sessionContext,
      } as const satisfies Notification;
      await notifyInTransaction(services, transaction, alert, now);
      return null;
    });
    return { codes: canShowSecret ? codes : undefined };
  });
  services.mailer.wake();
  return created;
}

export const rememberOwnDevice = (
  { database }: Pick<MailServices, 'database'>,
  { token, ...account }: { token: string; userId: string; browserEpoch: number; userAgent: string },
  now: Date,
): Promise<void> => {
  const expiresAt = new Date(now.getTime() + REMEMBERED_DEVICE_TTL * 1000);
  return rememberDevice(
    database,
    { hash: rememberedDeviceDigest(token), id: randomUUID(), ...account, expiresAt },
    now,
  );
};

export const forgetOwnDevice = async (
  { database }: Pick<MailServices, 'database'>,
  { userId, ip }: Pick<Actor, 'userId' | 'ip'>,
  id: string,
  now: Date,
): Promise<boolean> =>
  database.transaction(async (transaction) => {
    if (!(await deleteRememberedDevice(transaction, userId, id))) return false;
    await recordOwnEvent(transaction, { kind: 'remembered_device_deleted', userId, ip }, now);
    return true;
  });
