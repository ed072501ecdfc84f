// Getting in by a passkey, and confirming by one that whoever is signed in is there (D37, D38).
import { announceDanger } from '../accounts/announcements.ts';
import type { MailParts } from '../mail/links.ts';
import type { Method } from '../oauth/authentication-methods.ts';
import type { Sealer } from '../oauth/seal.ts';
import { recordEvent } from '../store/events.ts';
import {
  type CheckedPasskey,
  findPasskey,
  isPasskeyBehind,
  type PasskeyUse,
  usePasskey,
} from '../store/passkeys.ts';
import { type Answered, answeredChallenge, type ChallengePurpose } from './passkey-challenge.ts';
import type { PasskeyRefusal } from './passkey-refusal.ts';
import { methodOf, type RelyingParty, readAssertion, verifyAssertion } from './relying-party.ts';
import {
  beginSession,
  minuteOf,
  type Origin,
  type SessionParts,
  type StartedSession,
  sessionOf,
} from './session-start.ts';

type Parts = MailParts & SessionParts & { sealer: Sealer };

/** A passkey that was shown, verified and not yet used up. */
interface Shown {
  passkey: CheckedPasskey;
  use: PasskeyUse;
  challenge: string;
  answered: Answered;
}

/** Where it was shown: what the browser sent, and whose browser it is. */
interface Showing {
  rp: RelyingParty;
  /** JSON, as the browser gave it. */
  answer: string | undefined;
  purpose: Exclude<ChallengePurpose, 'enrol'>;
  holders: readonly string[];
}

async function read(
  { database, sealer }: Parts,
  { rp, answer, purpose, holders }: Showing,
  now: Date,
): Promise<Shown | PasskeyRefusal> {
  const assertion = readAssertion(answer);
  if (assertion === undefined) return { refused: 'malformed' };
  const passkey = await findPasskey(database, assertion.id);
  if (passkey === undefined) return { refused: 'unknown passkey' };
  const { userId } = passkey;
  let given: Pick<Shown, 'challenge' | 'answered'> | undefined;
  const verified = await verifyAssertion(rp, assertion, { passkey, userId }, (challenge) => {
    const answered = answeredChallenge(sealer, challenge, { purpose, holders, userId }, now);
    given = answered && { challenge, answered };
    return answered !== undefined;
  });
  if ('refused' in verified) return verified;
  if (given === undefined) return { refused: 'wrong challenge' };
  return { passkey, use: { credentialId: passkey.credentialId, ...verified }, ...given };
}

/** The purpose of the names of such sessions. */
const SESSION = 'session by passkey';

/**
 * Starts a session by a passkey: whose it is, it says itself.
 * @returns `suspended` if the account is; `behind` if the counter shows that there may be two of the passkey (its owner is
 *   notified); else the new session, or why there is none
 */
export async function signInByPasskey(
  parts: Parts,
  showing: Omit<Showing, 'purpose'>,
  origin: Origin,
  now: Date,
): Promise<StartedSession | 'suspended' | 'behind' | PasskeyRefusal> {
  const shown = await read(parts, { ...showing, purpose: 'sign-in' }, now);
  if ('refused' in shown) return shown;
  const { passkey, use, challenge, answered } = shown;
  const { userId } = passkey;
  if (passkey.suspended) return 'suspended';
  const entry = { userId, proof: { by: 'passkey', ...use }, methods: [methodOf(passkey)] } as const;
  const idIn = (minute: number) => parts.sealer.mac(SESSION, challenge, String(minute)).toString('base64url');
  const why = { kind: 'signed_in', id: idIn(minuteOf(now)), form: answered } as const;
  const session = await beginSession(parts, entry, origin, now, why);
  // Impatience is harmless: in this browser the same answer leads into the session that it has started.
  if (session === 'again') return (await sessionOf(parts.database, { idIn }, entry, origin, now)) ?? USED;
  if (session !== undefined) return session;
  return (await tellIfBehind(parts, userId, use, origin.address, now)) ? 'behind' : USED;
}

const USED: PasskeyRefusal = { refused: 'used before, or the passkey is gone' };

/** Re-authenticates a signed-in user with one of their passkeys. @returns the method, or why it is refused */
export async function confirmByPasskey(
  parts: Parts,
  { userId, address, ...showing }: Omit<Showing, 'purpose'> & { userId: string; address: string },
  now: Date,
): Promise<Method | PasskeyRefusal> {
  const shown = await read(parts, { ...showing, purpose: 'confirm' }, now);
  if ('refused' in shown) return shown;
  if (shown.passkey.userId !== userId) return { refused: 'passkey of another account' };
  const { passkey, use, answered } = shown;
  const outcome = await usePasskey(parts.database, userId, use, answered, now);
  if (outcome === 'used') return methodOf(passkey);
  if (outcome === 'behind') await tellIfBehind(parts, userId, use, address, now);
  return USED;
}

/** A counter that did not grow: there may be two of that passkey. It is in the log, and the owner is told. */
async function tellIfBehind(
  parts: Parts,
  userId: string,
  use: PasskeyUse,
  address: string,
  now: Date,
): Promise<boolean> {
  if (!(await isPasskeyBehind(parts.database, userId, use))) return false;
  await recordEvent(parts.database, { kind: 'passkey_behind', userId, address }, now);
  await announceDanger(parts, 'passkey_behind', userId, address, now).catch((error) =>
    parts.mailer.lost(error),
  );
  return true;
}
