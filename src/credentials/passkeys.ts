// Passkey registration, sign-in, re-authentication, renaming and deletion.
import { cleanName, findNameError } from '../accounts/account-fields.ts';
import { type Notification, notify, notifyInTransaction } from '../accounts/notifications.ts';
import type { MailServices } from '../mail/links.ts';
import type { AuthenticationMethod } from '../oauth/authentication-methods.ts';
import type { Sealer } from '../oauth/seal.ts';
import { type AuditEvent, recordEvent, recordOwnEvent } from '../store/audit-log.ts';
import { type Queryable, rollback } from '../store/database.ts';
import {
  addPasskey,
  findPasskey,
  isPasskeyCounterStale,
  type PasskeyUse,
  removePasskey,
  renamePasskey,
  usePasskey,
  type VerifiablePasskey,
} from '../store/passkeys.ts';
import { lockAccountChanges, lockSession } from '../store/session-locks.ts';
import { addSessionMethod, endSessions, recordReauthentication } from '../store/sessions.ts';
import { recordTokenUse, type SingleUseToken } from '../store/used-tokens.ts';
import { findAuthenticatorName } from './authenticator-names.ts';
import { cancelPendingMfaReset } from './mfa-reset.ts';
import type { Actor } from './mfa-setup.ts';
import {
  type RequestContext,
  type SessionServices,
  type StartedSession,
  startSession,
} from './session-start.ts';
import {
  type ChallengePurpose,
  getPasskeyMethod,
  type PasskeyRejection,
  parseAssertion,
  parseUserHandle,
  type RelyingParty,
  verifyAssertion,
  verifyChallenge,
  verifyRegistration,
} from './webauthn.ts';

type Services = MailServices & SessionServices & { sealer: Sealer };

export const MAX_PASSKEYS = 20;
export const MAX_PASSKEY_NAME_LENGTH = 60;

export function normalizePasskeyName(entered: string): string | undefined {
  const name = cleanName(entered);
  return findNameError(name) !== undefined || [...name].length > MAX_PASSKEY_NAME_LENGTH ? undefined : name;
}

/**
 * Registers a passkey. The session then counts as authenticated with MFA.
 * @param fallbackName used for unknown authenticators
 */
export async function registerPasskey(
  services: MailServices,
  { userId, sid, idHash, ip, ...sessionContext }: Actor,
  {
    rp,
    response,
    holder,
    fallbackName,
  }: { rp: RelyingParty; response: string | undefined; holder: string; fallbackName: string },
  now: Date,
): Promise<'added' | PasskeyRejection> {
  let challengeToken: SingleUseToken | undefined;
  const verified = await verifyRegistration(rp, response, (challenge) => {
    challengeToken = verifyChallenge(
      services.sealer,
      challenge,
      { purpose: 'enroll', holders: [holder], userId },
      now,
    );
    return challengeToken !== undefined;
  });
  if ('refused' in verified) return verified;
  if (challengeToken === undefined) return { refused: 'wrong challenge' };
  const token = challengeToken;
  const passkey = { ...verified, name: findAuthenticatorName(verified.aaguid) ?? fallbackName };
  const outcome = await services.database.transaction(
    async (transaction): Promise<'added' | PasskeyRejection> => {
      if (!(await lockSession(transaction, { userId, sid }, now))) return { refused: 'session has ended' };
      if (!(await recordTokenUse(transaction, token))) return { refused: 'challenge already used' };
      if (!(await addPasskey(transaction, userId, passkey, MAX_PASSKEYS, now)))
        return { refused: 'already registered, or too many passkeys' };
      const event = {
        kind: 'passkey_added',
        userId,
        ip,
        detail: { name: passkey.name },
      } as const satisfies AuditEvent;
      await recordOwnEvent(transaction, event, now);
      await cancelPendingMfaReset(transaction, { userId, ip }, now);
      const alert = {
        kind: 'passkey_added',
        account: userId,
        ip,
        ...sessionContext,
      } as const satisfies Notification;
      await notifyInTransaction(services, transaction, alert, now);
      return 'added';
    },
  );
  services.mailer.wake();
  if (outcome === 'added')
    await addSessionMethod(services.database, { userId, idHash }, getPasskeyMethod(verified), now);
  return outcome;
}

export async function renameOwnPasskey(
  transaction: Queryable,
  { userId, sid, ip }: Omit<Actor, 'idHash'>,
  { credentialId, name }: { credentialId: string; name: string },
  now: Date,
): Promise<boolean> {
  if (!(await lockSession(transaction, { userId, sid }, now))) return false;
  if (!(await renamePasskey(transaction, userId, credentialId, name))) return false;
  await recordOwnEvent(transaction, { kind: 'passkey_renamed', userId, ip, detail: { name } }, now);
  return true;
}

/**
 * Deletes a passkey and ends all other sessions that used any passkey. Sessions don't record which passkey was used
 * (ADR 14).
 * @returns false if the session has ended, or the passkey is unknown or needed to sign in. `notFound` if the passkey
 *   was deleted concurrently. The caller must then roll back.
 */
export async function deletePasskey(
  transaction: Queryable,
  { userId, sid, idHash, ip }: Actor,
  credentialId: string,
  now: Date,
): Promise<boolean | 'notFound'> {
  await lockAccountChanges(transaction, userId);
  if (!(await lockSession(transaction, { userId, sid }, now))) return false;
  const removed = await removePasskey(transaction, userId, credentialId);
  if (removed === undefined) return false;
  if (removed === 'notFound') return removed;
  const sessions = await endSessions(transaction, userId, now, { exceptIdHash: idHash, passkeyOnly: true });
  const event = {
    kind: 'passkey_removed',
    userId,
    ip,
    detail: { name: removed.name },
  } as const satisfies AuditEvent;
  await recordOwnEvent(transaction, event, now);
  const sessionsEvent = {
    kind: 'sessions_ended',
    userId,
    ip,
    detail: { sessions },
  } as const satisfies AuditEvent;
  if (sessions > 0) await recordOwnEvent(transaction, sessionsEvent, now);
  return true;
}

interface VerifiedPasskey {
  userId: string;
  passkey: VerifiablePasskey;
  use: PasskeyUse;
}

interface PasskeyAttempt {
  rp: RelyingParty;
  response: string | undefined;
  purpose: Exclude<ChallengePurpose, 'enroll'>;
  holders: readonly string[];
  /** If undefined, the response must contain a user handle (WebAuthn Level 3 §7.2 step 6). */
  userId?: string | undefined;
}

async function verifyPasskey(
  { database, sealer }: Services,
  { rp, response, purpose, holders, ...known }: PasskeyAttempt,
  now: Date,
): Promise<VerifiedPasskey | PasskeyRejection> {
  const assertion = parseAssertion(response);
  if (assertion === undefined) return { refused: 'malformed' };
  const { userHandle } = assertion.response;
  const userId = userHandle === undefined ? known.userId : parseUserHandle(userHandle);
  const passkey = userId && (await findPasskey(database, userId, assertion.id));
  if (!userId || !passkey) return { refused: 'unknown passkey' };
  let challengeToken: SingleUseToken | undefined;
  const verified = await verifyAssertion(rp, assertion, { passkey, userId }, (challenge) => {
    challengeToken = verifyChallenge(sealer, challenge, { purpose, holders, userId }, now);
    return challengeToken !== undefined;
  });
  if ('refused' in verified) return verified;
  if (challengeToken === undefined) return { refused: 'wrong challenge' };
  return {
    userId,
    passkey,
    use: { credentialId: passkey.credentialId, ...verified, challenge: challengeToken },
  };
}

/** @returns `cloneSuspected` if the signature counter didn't increase */
export async function signInWithPasskey(
  services: Services,
  attempt: Omit<PasskeyAttempt, 'purpose'>,
  request: RequestContext,
  now: Date,
): Promise<StartedSession | 'suspended' | 'cloneSuspected' | PasskeyRejection> {
  const verified = await verifyPasskey(services, { ...attempt, purpose: 'sign-in' }, now);
  if ('refused' in verified) return verified;
  const { userId, passkey, use } = verified;
  if (passkey.suspended) return 'suspended';
  const authenticated = {
    userId,
    proof: { by: 'passkey', ...use },
    methods: [getPasskeyMethod(passkey)],
  } as const;
  const session = await startSession(services, authenticated, request, now);
  if (session !== undefined) return session;
  return (await alertIfCloneSuspected(services, userId, use, request.ip, now))
    ? 'cloneSuspected'
    : CHALLENGE_USED_OR_PASSKEY_DELETED;
}

const CHALLENGE_USED_OR_PASSKEY_DELETED: PasskeyRejection = {
  refused: 'challenge already used, or passkey deleted',
};

export async function reauthenticateWithPasskey(
  services: Services,
  { userId, idHash, ip }: Omit<Actor, 'sid'>,
  attempt: Omit<PasskeyAttempt, 'purpose' | 'userId'>,
  now: Date,
): Promise<AuthenticationMethod | PasskeyRejection> {
  const verified = await verifyPasskey(services, { ...attempt, userId, purpose: 'confirm' }, now);
  if ('refused' in verified) return verified;
  if (verified.userId !== userId) return { refused: 'passkey belongs to a different account' };
  const { passkey, use } = verified;
  const isUsed = await services.database.transaction(async (transaction) => {
    await recordReauthentication(transaction, { userId, idHash }, [getPasskeyMethod(passkey)], now);
    return (await usePasskey(transaction, userId, use, now)) || rollback(false);
  });
  if (isUsed) return getPasskeyMethod(passkey);
  await alertIfCloneSuspected(services, userId, use, ip, now);
  return CHALLENGE_USED_OR_PASSKEY_DELETED;
}

/**
 * Alerts the owner if the signature counter didn't increase. A double submit causes no alert because the first request
 * has redeemed the challenge.
 */
async function alertIfCloneSuspected(
  services: Services,
  userId: string,
  use: PasskeyUse,
  ip: string,
  now: Date,
): Promise<boolean> {
  if (!(await recordTokenUse(services.database, use.challenge))) return false;
  if (!(await isPasskeyCounterStale(services.database, userId, use))) return false;
  await recordEvent(services.database, { kind: 'passkey_clone_suspected', userId, ip }, now);
  await notify(services, { kind: 'passkey_clone_suspected', account: userId, ip }, now);
  return true;
}
