// Setting the second factor up and taking it away: the authenticator app, its recovery codes, browsers that are trusted.
import { randomUUID } from 'node:crypto';
import { formTokenDigest, trustedBrowserDigest } from '../oauth/digests.ts';
import { SHOWN_SECRET, TRUSTED_BROWSER } from '../oauth/lifetimes.ts';
import type { Sealer } from '../oauth/seal.ts';
import { randomSecret } from '../oauth/secrets.ts';
import type { Database } from '../store/database.ts';
import { recordEvent } from '../store/events.ts';
import {
  areNewCodes,
  distrustBrowser,
  removeAuthenticatorApp,
  replaceRecoveryCodes,
  setAuthenticatorApp,
  trustBrowser,
} from '../store/second-factors.ts';
import { holdSession } from '../store/session-locks.ts';
import { noteShown } from '../store/sessions.ts';
import { spendToken } from '../store/spent-tokens.ts';
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

/** A form that is good for one use (web/one-use-form.ts). */
interface Form {
  value: string;
  until: Date;
}

/**
 * Sets an authenticator app up, confirmed by a code of it, and makes recovery codes with it. The code counts as shown: this
 * session has shown two factors. It is no proof of what the account had before, so nobody stays fresh by it (D40).
 * @returns `wrong`: the code is none of the secret's; `there`: the account has an app; `again`: the form was used before
 */
export async function setUpApp(
  { database, sealer }: Parts,
  { userId, sid, idHash, address }: Actor,
  { secret, code, form }: { secret: string; code: string; form: Form },
  now: Date,
): Promise<'set' | 'wrong' | 'there' | 'again'> {
  const step = stepOf(secret, code, now);
  if (step === undefined) return 'wrong';
  const outcome = await database.transaction(async (transaction) => {
    if (!(await holdSession(transaction, { userId, sid }, now))) return 'wrong';
    if (
      !(await spendToken(transaction, {
        key: formTokenDigest('codes', userId, form.value),
        until: form.until,
      }))
    )
      return 'again';
    const app = { userId, sealedSecret: sealSecret(sealer, userId, secret), step };
    if (!(await setAuthenticatorApp(transaction, app, now))) return 'there';
    await endFactorReset(transaction, { userId, address }, now);
    const codes = recoveryCodesOf(sealer, { userId, sid, form: form.value });
    await replaceRecoveryCodes(transaction, userId, hashesOf(userId, codes), now);
    await recordEvent(transaction, { kind: 'app_added', actorId: userId, userId, address }, now);
    return 'set';
  });
  // Afterwards: whoever sends the same at the same time holds the session, too.
  if (outcome === 'set') await noteShown(database, idHash, 'otp', now);
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

/** Makes new recovery codes, once for each form: those before are nothing any more. */
export const renewRecoveryCodes = (
  { database, sealer }: Parts,
  { userId, sid, address }: Omit<Actor, 'idHash'>,
  form: Form,
  now: Date,
): Promise<boolean> =>
  database.transaction(async (transaction) => {
    if (!(await holdSession(transaction, { userId, sid }, now))) return false;
    if (
      !(await spendToken(transaction, {
        key: formTokenDigest('codes', userId, form.value),
        until: form.until,
      }))
    )
      return false;
    const codes = recoveryCodesOf(sealer, { userId, sid, form: form.value });
    await replaceRecoveryCodes(transaction, userId, hashesOf(userId, codes), now);
    await endFactorReset(transaction, { userId, address }, now);
    await recordEvent(transaction, { kind: 'recovery_codes_made', actorId: userId, userId, address }, now);
    return true;
  });

/**
 * The codes that a form made, for as long as they may be shown: to the session that made them, for ten minutes, until they
 * are said to be copied or one of them is used.
 */
export async function shownCodes(
  { database, sealer }: Parts,
  { userId, sid }: Pick<Actor, 'userId' | 'sid'>,
  form: string,
  now: Date,
): Promise<string[] | undefined> {
  const codes = recoveryCodesOf(sealer, { userId, sid, form });
  const since = new Date(now.getTime() - SHOWN_SECRET * 1000);
  const asked = { hashes: hashesOf(userId, codes), since, copied: copiedKey(userId, form) };
  return (await areNewCodes(database, userId, asked)) ? codes : undefined;
}

/** Nothing shows these codes any more. */
export async function markCodesCopied(
  { database }: Pick<Parts, 'database'>,
  userId: string,
  form: string,
  now: Date,
): Promise<void> {
  await spendToken(database, {
    key: copiedKey(userId, form),
    until: new Date(now.getTime() + SHOWN_SECRET * 1000),
  });
}

const copiedKey = (userId: string, form: string): Buffer => formTokenDigest('copied', userId, form);

/** Trusts the browser in which a session has just begun, for thirty days (D44). @returns what it shows from then on */
export async function trust(
  { database }: Pick<Parts, 'database'>,
  { userId, browserEpoch, userAgent }: { userId: string; browserEpoch: number; userAgent: string },
  now: Date,
): Promise<string> {
  const token = randomSecret();
  const expiresAt = new Date(now.getTime() + TRUSTED_BROWSER * 1000);
  const hash = trustedBrowserDigest(token);
  const browser = { hash, id: randomUUID(), userId, browserEpoch, userAgent, expiresAt };
  await trustBrowser(database, browser, now);
  return token;
}

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
