// Making passkeys those of an account, how many it may have, naming them, and taking them away.
import { cleanName, nameFault } from '../accounts/account-fields.ts';
import type { Sealer } from '../oauth/seal.ts';
import { type Database, rollback } from '../store/database.ts';
import { recordEvent } from '../store/events.ts';
import { addPasskey, removePasskey, renamePasskey } from '../store/passkeys.ts';
import { holdAllChanges, holdSession } from '../store/session-locks.ts';
import { endOtherSessions, noteShown } from '../store/sessions.ts';
import { useForm } from '../store/used-forms.ts';
import { authenticatorName } from './authenticator-names.ts';
import { type Answered, answeredChallenge } from './passkey-challenge.ts';
import type { PasskeyRefusal } from './passkey-refusal.ts';
import { methodOf, type RelyingParty, verifyCreation } from './relying-party.ts';
import { endFactorReset } from './second-factor-reset.ts';
import type { Actor } from './second-factor-setup.ts';

/** Passkeys of one account. */
export const MOST_PASSKEYS = 20;
/** Characters of a name. */
export const PASSKEY_NAME_MAX = 60;

interface Parts {
  database: Database;
  sealer: Sealer;
}

/** What a passkey is called, as it is kept: undefined where that is nothing, or too long. */
export function passkeyName(typed: string): string | undefined {
  const name = cleanName(typed);
  return nameFault(name) !== undefined || [...name].length > PASSKEY_NAME_MAX ? undefined : name;
}

/**
 * Makes a passkey that the browser has just made the account's. It counts as shown: this session has shown two factors.
 * @param otherwise its name where nothing is known of what keeps it
 */
export async function enrolPasskey(
  { database, sealer }: Parts,
  { userId, sid, idHash, address }: Actor,
  {
    rp,
    answer,
    holder,
    otherwise,
  }: { rp: RelyingParty; answer: string | undefined; holder: string; otherwise: string },
  now: Date,
): Promise<'added' | PasskeyRefusal> {
  let answered: Answered | undefined;
  const made = await verifyCreation(rp, answer, (challenge) => {
    answered = answeredChallenge(sealer, challenge, { purpose: 'enrol', holders: [holder], userId }, now);
    return answered !== undefined;
  });
  if ('refused' in made) return made;
  if (answered === undefined) return { refused: 'wrong challenge' };
  const { key, until } = answered;
  const passkey = { ...made, name: authenticatorName(made.aaguid) ?? otherwise };
  const outcome = await database.transaction(async (transaction): Promise<'added' | PasskeyRefusal> => {
    if (!(await holdSession(transaction, { userId, sid }, now))) return { refused: 'the session is over' };
    if (!(await useForm(transaction, key, until))) return { refused: 'used before' };
    if (!(await addPasskey(transaction, userId, passkey, MOST_PASSKEYS, now)))
      return { refused: 'registered already, or too many passkeys' };
    await endFactorReset(transaction, { userId, address }, now);
    await recordEvent(
      transaction,
      { kind: 'passkey_added', actorId: userId, userId, address, detail: { name: passkey.name } },
      now,
    );
    return 'added';
  });
  // Afterwards: whoever sends the same at the same time holds the session, too.
  if (outcome === 'added') await noteShown(database, idHash, methodOf(made), now);
  return outcome;
}

/** Calls a passkey something else. False where it is called so already, or is none of theirs. */
export const callPasskey = (
  { database }: Pick<Parts, 'database'>,
  { userId, sid, address }: Omit<Actor, 'idHash'>,
  { credentialId, name }: { credentialId: string; name: string },
  now: Date,
): Promise<boolean> =>
  database.transaction(async (transaction) => {
    if (!(await holdSession(transaction, { userId, sid }, now))) return false;
    if (!(await renamePasskey(transaction, userId, credentialId, name))) return false;
    await recordEvent(
      transaction,
      { kind: 'passkey_renamed', actorId: userId, userId, address, detail: { name } },
      now,
    );
    return true;
  });

/**
 * Takes a passkey away, and ends the other sessions in which one was shown or made: whoever has it may be in by it, and which
 * passkey it was is not kept (ADR 14). False where it is none of theirs, or not any more.
 */
export async function takePasskeyAway(
  { database }: Pick<Parts, 'database'>,
  { userId, sid, idHash, address }: Actor,
  credentialId: string,
  now: Date,
): Promise<boolean> {
  return database.transaction(async (transaction) => {
    // Before the account itself, as whatever its sessions are changing does.
    await holdAllChanges(transaction, userId);
    if (!(await holdSession(transaction, { userId, sid }, now))) return false;
    const removed = await removePasskey(transaction, userId, credentialId);
    if (removed === undefined) return false;
    if (removed === 'gone') return rollback(false);
    const sessions = await endOtherSessions(transaction, userId, idHash, now, 'passkey');
    await recordEvent(
      transaction,
      { kind: 'passkey_removed', actorId: userId, userId, address, detail: { name: removed.name } },
      now,
    );
    if (sessions > 0)
      await recordEvent(
        transaction,
        { kind: 'sessions_ended', actorId: userId, userId, address, detail: { sessions } },
        now,
      );
    return true;
  });
}
