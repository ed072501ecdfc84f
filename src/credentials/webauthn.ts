// WebAuthn: challenges, options for the browser, and verification of its responses.

import { isIP } from 'node:net';
import type {
  AuthenticationResponseJSON,
  RegistrationResponseJSON,
  WebAuthnCredential,
} from '@simplewebauthn/server';
import type { BaseLogger } from 'pino';
import { z } from 'zod';
import type { Config } from '../config.ts';
import type { Method } from '../oauth/authentication-methods.ts';
import { challengeDigest } from '../oauth/digests.ts';
import { PASSKEY_CHALLENGE } from '../oauth/lifetimes.ts';
import type { Sealer } from '../oauth/seal.ts';
import { randomSecret } from '../oauth/secrets.ts';
import { uuidOf } from '../oauth/uuid.ts';
import type { NewPasskey, Passkey } from '../store/passkeys.ts';
import type { OneUse } from '../store/spent-tokens.ts';

export type ChallengePurpose = 'enrol' | 'sign-in' | 'confirm';

export interface ChallengeFor {
  purpose: ChallengePurpose;
  /** Id of the browser or session that gets the challenge. */
  holder: string;
  /** The account, if it is known. */
  userId?: string | undefined;
}

type Sealed = [random: string, holder: string, userId: string | null, at: number];

const sealedFor = (purpose: ChallengePurpose): string => `passkey ${purpose}`;

/** @returns base64url, good for five minutes */
export const newChallenge = (
  sealer: Sealer,
  { purpose, holder, userId }: ChallengeFor,
  now: Date,
): string => {
  const sealed: Sealed = [randomSecret(), holder, userId ?? null, now.getTime()];
  return sealer.sealJson(sealedFor(purpose), sealed);
};

/**
 * Opens a challenge that came back.
 * @param holders those of the browser that brings it
 * @returns the one-use token of the account; undefined unless it was given for this, here, for this account, and no longer than five minutes ago
 */
export function answeredChallenge(
  sealer: Sealer,
  challenge: string,
  { purpose, holders, userId }: { purpose: ChallengePurpose; holders: readonly string[]; userId: string },
  now: Date,
): OneUse | undefined {
  const [, holder, account, at] = sealer.openJson<Sealed>(sealedFor(purpose), challenge) ?? [];
  if (holder === undefined || at === undefined || !holders.includes(holder)) return undefined;
  if (account !== null && account !== userId) return undefined;
  const until = new Date(at + PASSKEY_CHALLENGE * 1000);
  return until > now ? { userId, key: challengeDigest(challenge), until } : undefined;
}

export interface PasskeyRefusal {
  /** The reason in fixed words, never what the browser sent. */
  refused: string;
  /** The library's error, if it is none of the known checks. */
  error?: unknown;
}

/** Reasons by the library's message, since it has no error classes. */
const CHECKS: readonly (readonly [message: RegExp, reason: string])[] = [
  [/challenge/, 'wrong challenge'],
  [/origin/, 'wrong origin'],
  [/RP ID/, 'wrong RP ID'],
  [/not present|not be verified/, 'user not verified'],
  [/(response|credential) type/, 'wrong type'],
  [/public key alg/, 'unsupported algorithm'],
];

function refusalOf(error: unknown): PasskeyRefusal {
  if (error instanceof SyntaxError) return { refused: 'client data is not JSON' };
  const message = error instanceof Error ? error.message : '';
  const reason = CHECKS.find(([pattern]) => pattern.test(message))?.[1];
  return reason === undefined ? { refused: 'verification failed', error } : { refused: reason };
}

/** Logs a refusal; as a warning if the verification failed in an unexpected way. */
export function logPasskeyRefusal(
  log: Pick<BaseLogger, 'info' | 'warn'>,
  { refused, error }: PasskeyRefusal,
): void {
  if (error === undefined) log.info({ reason: refused }, 'passkey refused');
  else log.warn({ reason: refused, err: error }, 'passkey refused after an unexpected error');
}

// Loaded on first use, because it takes longer than the rest of the start.
const library = () => import('@simplewebauthn/server');
const decoding = () => import('@simplewebauthn/server/helpers');

const ALGORITHMS = [-7, -8, -257];
const TIMEOUT = PASSKEY_CHALLENGE * 1000;

export interface RelyingParty {
  id: string;
  name: string;
  origins: readonly string[];
}

/** Undefined at an IP address, for which browsers create no passkeys. */
export function relyingPartyOf(config: Config): RelyingParty | undefined {
  const { passkeyRpId: id, serviceName: name, baseUrl, passkeyRelatedOrigins } = config;
  if (isIP(id.replace(/^\[|\]$/g, '')) !== 0) return undefined;
  return { id, name, origins: [baseUrl, ...passkeyRelatedOrigins] };
}

const bytesOf = (base64url: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(Buffer.from(base64url, 'base64url'));

/** The account's id in bytes. */
export const userHandleOf = (userId: string): string =>
  Buffer.from(userId.replaceAll('-', ''), 'hex').toString('base64url');

const named = (passkeys: readonly Pick<Passkey, 'credentialId' | 'transports'>[]) =>
  passkeys.map(({ credentialId, transports }) => ({ id: credentialId, transports }));

export const methodOf = ({ synced }: Pick<Passkey, 'synced'>): Method => (synced ? 'swk' : 'hwk');

/** The account of a user handle, which its bearer may have chosen; undefined if it can't be one. */
export function accountOfHandle(handle: string): string | undefined {
  const bytes = Buffer.from(handle, 'base64url');
  return bytes.length === 16 ? uuidOf(bytes) : undefined;
}

/** Options of `navigator.credentials.create`, as JSON. @param others the account's passkeys */
export async function creationOptions(
  { id, name }: RelyingParty,
  challenge: string,
  person: { userId: string; email: string; name: string },
  others: readonly Passkey[],
): Promise<string> {
  const { generateRegistrationOptions } = await library();
  const options = await generateRegistrationOptions({
    rpID: id,
    rpName: name,
    userID: bytesOf(userHandleOf(person.userId)),
    userName: person.email,
    userDisplayName: person.name,
    challenge: bytesOf(challenge),
    timeout: TIMEOUT,
    attestationType: 'none',
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    supportedAlgorithmIDs: ALGORITHMS,
    excludeCredentials: named(others),
  });
  return JSON.stringify(options);
}

/** Options of `navigator.credentials.get`, as JSON. @param passkeys the accepted ones; any if absent */
export async function requestOptions(
  { id }: RelyingParty,
  challenge: string,
  passkeys?: readonly Passkey[],
): Promise<string> {
  const { generateAuthenticationOptions } = await library();
  const options = await generateAuthenticationOptions({
    rpID: id,
    challenge: bytesOf(challenge),
    timeout: TIMEOUT,
    userVerification: 'required',
    ...(passkeys && { allowCredentials: named(passkeys) }),
  });
  return JSON.stringify(options);
}

const base64url = z
  .string()
  .max(20_000)
  .regex(/^[A-Za-z0-9_-]*$/);
/** At most 1,023 bytes (WebAuthn Level 3 §4). */
const credentialId = z.string().regex(/^[A-Za-z0-9_-]{1,1364}$/);
const answerOf = <Response extends z.ZodRawShape>(response: Response) =>
  z.object({
    id: credentialId,
    rawId: credentialId,
    type: z.literal('public-key'),
    response: z.object({ clientDataJSON: base64url, ...response }),
  });
const assertion = answerOf({
  authenticatorData: base64url,
  signature: base64url,
  userHandle: base64url.optional(),
});
const attestation = answerOf({
  attestationObject: base64url,
  transports: z.array(z.string().max(40)).max(10).optional(),
});

/** Parses the outer form of a response; undefined if it is malformed. */
export const readAssertion = (text: string | undefined): Assertion | undefined => read(assertion, text);
export type Assertion = z.infer<typeof assertion>;

const identified = z.object({
  id: credentialId,
  response: z.object({ userHandle: base64url.optional(), attestationObject: base64url.optional() }),
});

/**
 * The passkey in a response, if there is one.
 * @returns its id, and the account that it is for: undefined for a new one
 */
export function passkeyIn(
  text: string,
): { credentialId: string; userId: string | undefined; isNew: boolean } | undefined {
  const { id, response } = read(identified, text) ?? {};
  if (id === undefined || response === undefined) return undefined;
  const userId = response.userHandle === undefined ? undefined : accountOfHandle(response.userHandle);
  return { credentialId: id, userId, isNew: response.attestationObject !== undefined };
}

function read<Value>(schema: z.ZodType<Value>, text: string | undefined): Value | undefined {
  try {
    return schema.safeParse(JSON.parse(text ?? '')).data;
  } catch {
    return undefined;
  }
}

/** Whether another site's page framed ours. */
function isFramed(clientDataJSON: string): boolean {
  const data: unknown = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString('utf8'));
  return (
    typeof data !== 'object' ||
    data === null ||
    'topOrigin' in data ||
    ('crossOrigin' in data && data.crossOrigin !== false)
  );
}

/**
 * Verifies an assertion (WebAuthn Level 3 §7.2), except for its counter, which the statement that uses the passkey checks.
 * @param isAnswered whether a challenge is accepted
 */
export async function verifyAssertion(
  { id, origins }: RelyingParty,
  answer: Assertion,
  { passkey, userId }: { passkey: Passkey & { publicKey: Buffer }; userId: string },
  isAnswered: (challenge: string) => boolean,
): Promise<{ counter: number; backedUp: boolean } | PasskeyRefusal> {
  const { userHandle } = answer.response;
  if (userHandle !== undefined && userHandle !== userHandleOf(userId))
    return { refused: 'wrong user handle' };
  const credential: WebAuthnCredential = {
    id: passkey.credentialId,
    publicKey: Uint8Array.from(passkey.publicKey),
    counter: 0,
  };
  const { verifyAuthenticationResponse } = await library();
  try {
    if (isFramed(answer.response.clientDataJSON)) return { refused: 'framed' };
    const { verified, authenticationInfo: info } = await verifyAuthenticationResponse({
      response: { ...answer, clientExtensionResults: {} } as AuthenticationResponseJSON,
      expectedChallenge: isAnswered,
      expectedOrigin: [...origins],
      expectedRPID: id,
      credential,
      requireUserVerification: true,
    });
    // §7.2 step 18.
    if (!verified) return { refused: 'wrong signature' };
    if ((info.credentialDeviceType === 'multiDevice') !== passkey.synced)
      return { refused: 'backup eligibility changed' };
    return { counter: info.newCounter, backedUp: info.credentialBackedUp };
  } catch (error) {
    return refusalOf(error);
  }
}

/** Whether there is no attestation certificate. The library would follow the URLs in it. */
async function isUnattested(attestationObject: string): Promise<boolean> {
  const { decodeAttestationObject } = await decoding();
  const said = decodeAttestationObject(bytesOf(attestationObject));
  const format = said.get('fmt');
  return format === 'none' || (format === 'packed' && said.get('attStmt')?.get('x5c') === undefined);
}

/** Verifies a new passkey (WebAuthn Level 3 §7.1). */
export async function verifyCreation(
  { id, origins }: RelyingParty,
  text: string | undefined,
  isAnswered: (challenge: string) => boolean,
): Promise<NewPasskey | PasskeyRefusal> {
  const answer = read(attestation, text);
  if (answer === undefined) return { refused: 'malformed' };
  const { verifyRegistrationResponse } = await library();
  try {
    if (isFramed(answer.response.clientDataJSON)) return { refused: 'framed' };
    if (!(await isUnattested(answer.response.attestationObject))) return { refused: 'attested' };
    const { verified, registrationInfo: info } = await verifyRegistrationResponse({
      response: { ...answer, clientExtensionResults: {} } as RegistrationResponseJSON,
      expectedChallenge: isAnswered,
      expectedOrigin: [...origins],
      expectedRPID: id,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    });
    if (!verified || info === undefined) return { refused: 'wrong signature' };
    if (info.credential.id !== answer.id) return { refused: 'wrong credential ID' };
    return {
      credentialId: info.credential.id,
      publicKey: Buffer.from(info.credential.publicKey),
      counter: info.credential.counter,
      transports: answer.response.transports ?? [],
      synced: info.credentialDeviceType === 'multiDevice',
      backedUp: info.credentialBackedUp,
      aaguid: info.aaguid,
    };
  } catch (error) {
    return refusalOf(error);
  }
}
