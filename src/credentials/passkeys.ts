// Passkeys of an account: creating, renaming, deleting, signing in and re-authenticating.
import { cleanName, nameFault } from '../accounts/account-fields.ts';
import { notify, notifyWithin } from '../accounts/notifications.ts';
import type { MailParts } from '../mail/links.ts';
import type { Method } from '../oauth/authentication-methods.ts';
import type { Sealer } from '../oauth/seal.ts';
import { type Queryable, rollback } from '../store/database.ts';
import { recordEvent, recordOwnEvent } from '../store/events.ts';
import {
  addPasskey,
  type CheckedPasskey,
  findPasskey,
  isPasskeyBehind,
  type PasskeyUse,
  removePasskey,
  renamePasskey,
  usePasskey,
} from '../store/passkeys.ts';
import { holdAllChanges, holdSession } from '../store/session-locks.ts';
import { endSessions, noteShown, renewAuthTime } from '../store/sessions.ts';
import { type OneUse, spendToken } from '../store/spent-tokens.ts';
import { authenticatorName } from './authenticator-names.ts';
import { endFactorReset } from './second-factor-reset.ts';
import type { Actor } from './second-factor-setup.ts';
import { type Origin, type SessionParts, type StartedSession, startSession } from './session-start.ts';
import {
  accountOfHandle,
  answeredChallenge,
  type ChallengePurpose,
  methodOf,
  type PasskeyRefusal,
  type RelyingParty,
  readAssertion,
  verifyAssertion,
  verifyCreation,
} from './webauthn.ts';

type Parts = MailParts & SessionParts & { sealer: Sealer };

/** Maximum number of passkeys per account. */
export const MOST_PASSKEYS = 20;
/** Maximum length of a name, in characters. */
export const PASSKEY_NAME_MAX = 60;

/** The name of a passkey as it is stored; undefined if it is empty or too long. */
export function passkeyName(typed: string): string | undefined {
  const name = cleanName(typed);
  return nameFault(name) !== undefined || [...name].length > PASSKEY_NAME_MAX ? undefined : name;
}

/**
 * Adds a passkey that the browser has just created. The session then counts as signed in with two factors.
 * @param otherwise its name if the authenticator is unknown
 */
export async function enrolPasskey(
  parts: MailParts,
  { userId, sid, idHash, address, ...inSession }: Actor,
  {
    rp,
    answer,
    holder,
    otherwise,
  }: { rp: RelyingParty; answer: string | undefined; holder: string; otherwise: string },
  now: Date,
): Promise<'added' | PasskeyRefusal> {
  let answered: OneUse | undefined;
  const made = await verifyCreation(rp, answer, (challenge) => {
    answered = answeredChallenge(
      parts.sealer,
      challenge,
      { purpose: 'enrol', holders: [holder], userId },
      now,
    );
    return answered !== undefined;
  });
  if ('refused' in made) return made;
  if (answered === undefined) return { refused: 'wrong challenge' };
  const token = answered;
  const passkey = { ...made, name: authenticatorName(made.aaguid) ?? otherwise };
  const outcome = await parts.database.transaction(async (transaction): Promise<'added' | PasskeyRefusal> => {
    if (!(await holdSession(transaction, { userId, sid }, now))) return { refused: 'the session is over' };
    if (!(await spendToken(transaction, token))) return { refused: 'used before' };
    if (!(await addPasskey(transaction, userId, passkey, MOST_PASSKEYS, now)))
      return { refused: 'registered already, or too many passkeys' };
    const event = { kind: 'passkey_added', userId, address, detail: { name: passkey.name } } as const;
    await recordOwnEvent(transaction, event, now);
    await endFactorReset(transaction, { userId, address }, now);
    const alert = { kind: 'passkey_added', account: userId, address, ...inSession } as const;
    await notifyWithin(parts, transaction, alert, now);
    return 'added';
  });
  parts.mailer.wake();
  if (outcome === 'added') await noteShown(parts.database, { userId, idHash }, methodOf(made), now);
  return outcome;
}

/** Renames a passkey in a transaction. Returns false if it is unchanged or not found. */
export async function renameOwnPasskey(
  transaction: Queryable,
  { userId, sid, address }: Omit<Actor, 'idHash'>,
  { credentialId, name }: { credentialId: string; name: string },
  now: Date,
): Promise<boolean> {
  if (!(await holdSession(transaction, { userId, sid }, now))) return false;
  if (!(await renamePasskey(transaction, userId, credentialId, name))) return false;
  await recordOwnEvent(transaction, { kind: 'passkey_renamed', userId, address, detail: { name } }, now);
  return true;
}

/**
 * Deletes a passkey in a transaction, and ends the other sessions that showed or created one: its holder may have signed in with it,
 * and sessions don't record which passkey it was (ADR 14). Returns false if it isn't found, or is needed to sign in; `gone` if
 * another transaction deleted it meanwhile: the caller has to roll back.
 */
export async function deletePasskey(
  transaction: Queryable,
  { userId, sid, idHash, address }: Actor,
  credentialId: string,
  now: Date,
): Promise<boolean | 'gone'> {
  await holdAllChanges(transaction, userId);
  if (!(await holdSession(transaction, { userId, sid }, now))) return false;
  const removed = await removePasskey(transaction, userId, credentialId);
  if (removed === undefined) return false;
  if (removed === 'gone') return removed;
  const sessions = await endSessions(transaction, userId, now, { kept: idHash, passkeyOnly: true });
  const event = { kind: 'passkey_removed', userId, address, detail: { name: removed.name } } as const;
  await recordOwnEvent(transaction, event, now);
  const ended = { kind: 'sessions_ended', userId, address, detail: { sessions } } as const;
  if (sessions > 0) await recordOwnEvent(transaction, ended, now);
  return true;
}

interface Shown {
  userId: string;
  passkey: CheckedPasskey;
  use: PasskeyUse;
}

interface Showing {
  rp: RelyingParty;
  answer: string | undefined;
  purpose: Exclude<ChallengePurpose, 'enrol'>;
  holders: readonly string[];
  /** The account, if it is known: its passkeys may come without a user handle (WebAuthn Level 3 §7.2 step 6). */
  userId?: string | undefined;
}

async function verify(
  { database, sealer }: Parts,
  { rp, answer, purpose, holders, ...known }: Showing,
  now: Date,
): Promise<Shown | PasskeyRefusal> {
  const assertion = readAssertion(answer);
  if (assertion === undefined) return { refused: 'malformed' };
  const { userHandle } = assertion.response;
  const userId = userHandle === undefined ? known.userId : accountOfHandle(userHandle);
  const passkey = userId && (await findPasskey(database, userId, assertion.id));
  if (!userId || !passkey) return { refused: 'unknown passkey' };
  let answered: OneUse | undefined;
  const verified = await verifyAssertion(rp, assertion, { passkey, userId }, (challenge) => {
    answered = answeredChallenge(sealer, challenge, { purpose, holders, userId }, now);
    return answered !== undefined;
  });
  if ('refused' in verified) return verified;
  if (answered === undefined) return { refused: 'wrong challenge' };
  return { userId, passkey, use: { credentialId: passkey.credentialId, ...verified, challenge: answered } };
}

/**
 * Starts a session by a passkey.
 * @returns `suspended` if the account is; `behind` if there may be a copy of the passkey; else the new session, or why not
 */
export async function signInByPasskey(
  parts: Parts,
  showing: Omit<Showing, 'purpose'>,
  origin: Origin,
  now: Date,
): Promise<StartedSession | 'suspended' | 'behind' | PasskeyRefusal> {
  const shown = await verify(parts, { ...showing, purpose: 'sign-in' }, now);
  if ('refused' in shown) return shown;
  const { userId, passkey, use } = shown;
  if (passkey.suspended) return 'suspended';
  const entry = { userId, proof: { by: 'passkey', ...use }, methods: [methodOf(passkey)] } as const;
  const session = await startSession(parts, entry, origin, now);
  if (session !== undefined) return session;
  return (await tellIfBehind(parts, userId, use, origin.address, now)) ? 'behind' : USED;
}

const USED: PasskeyRefusal = { refused: 'used before, or the passkey is gone' };

/** Re-authenticates a session with one of its user's passkeys. @returns the method, or why it is refused */
export async function confirmByPasskey(
  parts: Parts,
  { userId, idHash, address }: Omit<Actor, 'sid'>,
  showing: Omit<Showing, 'purpose' | 'userId'>,
  now: Date,
): Promise<Method | PasskeyRefusal> {
  const shown = await verify(parts, { ...showing, userId, purpose: 'confirm' }, now);
  if ('refused' in shown) return shown;
  if (shown.userId !== userId) return { refused: 'passkey of another account' };
  const { passkey, use } = shown;
  const isUsed = await parts.database.transaction(async (transaction) => {
    await renewAuthTime(transaction, { userId, idHash }, [methodOf(passkey)], now);
    return (await usePasskey(transaction, userId, use, now)) || rollback(false);
  });
  if (isUsed) return methodOf(passkey);
  await tellIfBehind(parts, userId, use, address, now);
  return USED;
}

/**
 * Notifies the owner if the counter did not grow, because there may be a copy of the passkey. A challenge that was spent before
 * is a request sent twice, not a copy.
 */
async function tellIfBehind(
  parts: Parts,
  userId: string,
  use: PasskeyUse,
  address: string,
  now: Date,
): Promise<boolean> {
  if (!(await spendToken(parts.database, use.challenge))) return false;
  if (!(await isPasskeyBehind(parts.database, userId, use))) return false;
  await recordEvent(parts.database, { kind: 'passkey_behind', userId, address }, now);
  await notify(parts, { kind: 'passkey_behind', account: userId, address }, now);
  return true;
}
