// Setting the second factor up and taking it away: the authenticator app, its recovery codes, browsers that are trusted.
import { randomUUID } from 'node:crypto';
import { type InSession, notifyWithin } from '../accounts/notifications.ts';
import type { MailParts } from '../mail/links.ts';
import { trustedBrowserDigest } from '../oauth/digests.ts';
import { TRUSTED_BROWSER } from '../oauth/lifetimes.ts';
import { type Queryable, rollback } from '../store/database.ts';
import { recordOwnEvent } from '../store/events.ts';
import {
  distrustBrowser,
  removeAuthenticatorApp,
  replaceRecoveryCodes,
  setAuthenticatorApp,
  trustBrowser,
} from '../store/second-factors.ts';
import { holdSession } from '../store/session-locks.ts';
import { noteShown, type SessionKey } from '../store/sessions.ts';
import { type OneUseForm, runOnce } from '../store/spent-tokens.ts';
import { sealSecret, stepOf } from './authenticator-app.ts';
import { hashesOf, recoveryCodesOf } from './recovery-codes.ts';
import { endFactorReset } from './second-factor-reset.ts';

export interface Actor extends InSession, SessionKey {
  sid: string;
  address: string;
}

/** Recovery codes that a form made, as long as they may be shown. */
interface MadeCodes {
  codes: string[] | undefined;
}

/**
 * Sets an authenticator app up, confirmed by a code of it, and makes recovery codes with it. The code counts as shown: this
 * session has shown two factors. It is no proof of what the account had before, so nobody stays fresh by it (D40).
 * @returns `wrong`: the code is none of the secret's; `there`: the account has an app
 */
export async function setUpApp(
  parts: MailParts,
  { userId, sid, idHash, address, ...inSession }: Actor,
  { secret, code, form }: { secret: string; code: string; form: OneUseForm },
  now: Date,
): Promise<MadeCodes | 'wrong' | 'there'> {
  const step = stepOf(secret, code, now);
  if (step === undefined) return 'wrong';
  const codes = recoveryCodesOf(form.seed);
  const { database, sealer } = parts;
  type Outcome = (MadeCodes & { again: boolean }) | 'wrong' | 'there';
  const outcome = await database.transaction(async (transaction): Promise<Outcome> => {
    if (!(await holdSession(transaction, { userId, sid }, now))) return 'wrong';
    const { again, mayShow } = await runOnce(transaction, form, now, async () => {
      const app = { userId, sealedSecret: sealSecret(sealer, userId, secret), step };
      if (!(await setAuthenticatorApp(transaction, app, now))) return rollback('there');
      await endFactorReset(transaction, { userId, address }, now);
      await replaceRecoveryCodes(transaction, userId, hashesOf(userId, codes), now);
      await recordOwnEvent(transaction, { kind: 'app_added', userId, address }, now);
      const alert = { kind: 'app_added', account: userId, address, ...inSession } as const;
      await notifyWithin(parts, transaction, alert, now);
      return 'set';
    });
    return { codes: mayShow ? codes : undefined, again };
  });
  if (typeof outcome === 'string') return outcome;
  parts.mailer.wake();
  // Afterwards, because a form that is sent twice holds the session, too.
  if (!outcome.again) await noteShown(database, { userId, idHash }, 'otp', now);
  return outcome;
}

/** Removes the app in a transaction, with everything that replaces it. Returns false if there was none. */
export async function takeAppAway(
  transaction: Queryable,
  { userId, sid, address }: Omit<Actor, 'idHash'>,
  now: Date,
): Promise<boolean> {
  if (!(await holdSession(transaction, { userId, sid }, now))) return false;
  if (!(await removeAuthenticatorApp(transaction, userId))) return false;
  await endFactorReset(transaction, { userId, address }, now);
  await recordOwnEvent(transaction, { kind: 'app_removed', userId, address }, now);
  return true;
}

/** Replaces the recovery codes, once for each form. Returns undefined if the session has ended. */
export async function renewRecoveryCodes(
  parts: MailParts,
  { userId, sid, address, ...inSession }: Omit<Actor, 'idHash'>,
  form: OneUseForm,
  now: Date,
): Promise<MadeCodes | undefined> {
  const made = await parts.database.transaction(async (transaction) => {
    if (!(await holdSession(transaction, { userId, sid }, now))) return undefined;
    const codes = recoveryCodesOf(form.seed);
    const { mayShow } = await runOnce(transaction, form, now, async () => {
      await replaceRecoveryCodes(transaction, userId, hashesOf(userId, codes), now);
      await endFactorReset(transaction, { userId, address }, now);
      await recordOwnEvent(transaction, { kind: 'recovery_codes_made', userId, address }, now);
      const alert = { kind: 'recovery_codes_made', account: userId, address, ...inSession } as const;
      await notifyWithin(parts, transaction, alert, now);
      return null;
    });
    return { codes: mayShow ? codes : undefined };
  });
  parts.mailer.wake();
  return made;
}

/** Trusts the browser in which a session has just begun, for thirty days. @param token what it presents from then on */
export const trust = (
  { database }: Pick<MailParts, 'database'>,
  { token, ...account }: { token: string; userId: string; browserEpoch: number; userAgent: string },
  now: Date,
): Promise<void> => {
  const expiresAt = new Date(now.getTime() + TRUSTED_BROWSER * 1000);
  return trustBrowser(
    database,
    { hash: trustedBrowserDigest(token), id: randomUUID(), ...account, expiresAt },
    now,
  );
};

/** Asks for the code again in a browser. False where it was not trusted. */
export const endTrust = async (
  { database }: Pick<MailParts, 'database'>,
  { userId, address }: Pick<Actor, 'userId' | 'address'>,
  id: string,
  now: Date,
): Promise<boolean> =>
  database.transaction(async (transaction) => {
    if (!(await distrustBrowser(transaction, userId, id))) return false;
    await recordOwnEvent(transaction, { kind: 'trust_ended', userId, address }, now);
    return true;
  });
