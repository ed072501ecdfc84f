// Setting the second factor up and taking it away: the authenticator app, its recovery codes, browsers that are trusted.
import { randomUUID } from 'node:crypto';
import { trustedBrowserDigest } from '../oauth/digests.ts';
import { TRUSTED_BROWSER } from '../oauth/lifetimes.ts';
import type { Sealer } from '../oauth/seal.ts';
import { type Database, rollback } from '../store/database.ts';
import { recordEvent } from '../store/events.ts';
import {
  distrustBrowser,
  removeAuthenticatorApp,
  replaceRecoveryCodes,
  setAuthenticatorApp,
  trustBrowser,
} from '../store/second-factors.ts';
import { holdSession } from '../store/session-locks.ts';
import { noteShown } from '../store/sessions.ts';
import { type OneUseForm, runOnce } from '../store/spent-tokens.ts';
import { sealSecret, stepOf } from './authenticator-app.ts';
import { hashesOf, recoveryCodesOf } from './recovery-codes.ts';
import { endFactorReset } from './second-factor-reset.ts';

interface Parts {
  database: Database;
  sealer: Sealer;
}

export interface Actor {
  userId: string;
  sid: string;
  idHash: Buffer;
  address: string;
}

/** Recovery codes that a form made: themselves as long as they may be shown, and whether the form was sent twice. */
interface MadeCodes {
  codes: string[] | undefined;
  again: boolean;
}

/**
 * Sets an authenticator app up, confirmed by a code of it, and makes recovery codes with it. The code counts as shown: this
 * session has shown two factors. It is no proof of what the account had before, so nobody stays fresh by it (D40).
 * @returns `wrong`: the code is none of the secret's; `there`: the account has an app
 */
export async function setUpApp(
  { database, sealer }: Parts,
  { userId, sid, idHash, address }: Actor,
  { secret, code, form }: { secret: string; code: string; form: OneUseForm },
  now: Date,
): Promise<MadeCodes | 'wrong' | 'there'> {
  const step = stepOf(secret, code, now);
  if (step === undefined) return 'wrong';
  const codes = recoveryCodesOf(form.seed);
  const outcome = await database.transaction(async (transaction) => {
    if (!(await holdSession(transaction, { userId, sid }, now))) return 'wrong';
    const { result, again, mayShow } = await runOnce(transaction, form, now, async () => {
      const app = { userId, sealedSecret: sealSecret(sealer, userId, secret), step };
      if (!(await setAuthenticatorApp(transaction, app, now))) return rollback('there');
      await endFactorReset(transaction, { userId, address }, now);
      await replaceRecoveryCodes(transaction, userId, hashesOf(userId, codes), now);
      await recordEvent(transaction, { kind: 'app_added', actorId: userId, userId, address }, now);
      return 'set';
    });
    return result === 'there' ? result : { codes: mayShow ? codes : undefined, again };
  });
  // Afterwards, because a form that is sent twice holds the session, too.
  if (typeof outcome === 'object' && !outcome.again) await noteShown(database, idHash, 'otp', now);
  return outcome;
}

/** Takes the app away, with all that stands in for it. False where there was none. */
export const takeAppAway = (
  { database }: Pick<Parts, 'database'>,
  { userId, sid, address }: Omit<Actor, 'idHash'>,
  now: Date,
): Promise<boolean> =>
  database.transaction(async (transaction) => {
    if (!(await holdSession(transaction, { userId, sid }, now))) return false;
    if (!(await removeAuthenticatorApp(transaction, userId))) return false;
    await endFactorReset(transaction, { userId, address }, now);
    await recordEvent(transaction, { kind: 'app_removed', actorId: userId, userId, address }, now);
    return true;
  });

/** Replaces the recovery codes, once for each form. Returns undefined if the session has ended. */
export const renewRecoveryCodes = (
  { database }: Pick<Parts, 'database'>,
  { userId, sid, address }: Omit<Actor, 'idHash'>,
  form: OneUseForm,
  now: Date,
): Promise<MadeCodes | undefined> =>
  database.transaction(async (transaction) => {
    if (!(await holdSession(transaction, { userId, sid }, now))) return undefined;
    const codes = recoveryCodesOf(form.seed);
    const { again, mayShow } = await runOnce(transaction, form, now, async () => {
      await replaceRecoveryCodes(transaction, userId, hashesOf(userId, codes), now);
      await endFactorReset(transaction, { userId, address }, now);
      await recordEvent(transaction, { kind: 'recovery_codes_made', actorId: userId, userId, address }, now);
      return null;
    });
    return { codes: mayShow ? codes : undefined, again };
  });

/** Trusts the browser in which a session has just begun, for thirty days. @param token what it presents from then on */
export const trust = (
  { database }: Pick<Parts, 'database'>,
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
  { database }: Pick<Parts, 'database'>,
  { userId, address }: Pick<Actor, 'userId' | 'address'>,
  id: string,
  now: Date,
): Promise<boolean> =>
  database.transaction(async (transaction) => {
    if (!(await distrustBrowser(transaction, userId, id))) return false;
    await recordEvent(transaction, { kind: 'trust_ended', actorId: userId, userId, address }, now);
    return true;
  });
