// Creates WebAuthn (Level 3) challenges and options for browsers, and verifies responses.

import { isIP } from 'node:net';
import type {
  AuthenticationResponseJSON,
  RegistrationResponseJSON,
  WebAuthnCredential,
} from '@simplewebauthn/server';
import type { BaseLogger } from 'pino';
import { z } from 'zod';
import type { Config } from '../config.ts';
import type { AuthenticationMethod } from '../oauth/authentication-methods.ts';
import { challengeDigest } from '../oauth/digests.ts';
import { PASSKEY_CHALLENGE_TTL } from '../oauth/lifetimes.ts';
import type { Sealer } from '../oauth/seal.ts';
import { randomSecret } from '../oauth/secrets.ts';
import { formatUuid } from '../oauth/uuid.ts';
import type { NewPasskey, Passkey } from '../store/passkeys.ts';
import type { SingleUseToken } from '../store/used-tokens.ts';

export type ChallengePurpose = 'enroll' | 'sign-in' | 'confirm';

export interface ChallengeRequest {
  purpose: ChallengePurpose;
  holder: string;
  userId?: string | undefined;
}

type SealedChallenge = [random: string, holder: string, userId: string | null, at: number];

const getSealPurpose = (purpose: ChallengePurpose): string => `passkey ${purpose}`;

/** Creates a challenge that is valid for five minutes. */
export const createChallenge = (
  sealer: Sealer,
  { purpose, holder, userId }: ChallengeRequest,
  now: Date,
): string => {
  const sealed: SealedChallenge = [randomSecret(), holder, userId ?? null, now.getTime()];
  return sealer.sealJson(getSealPurpose(purpose), sealed);
};

/**
 * Verifies the challenge in a response.
 * @param holders IDs of the browser and the session, one of which must match
 * @returns the challenge's single-use token, or undefined if the challenge is expired or was created for a different
 *   purpose, holder or user
 */
export function verifyChallenge(
  sealer: Sealer,
  challenge: string,
  { purpose, holders, userId }: { purpose: ChallengePurpose; holders: readonly string[]; userId: string },
  now: Date,
): SingleUseToken | undefined {
  const [, holder, account, at] = sealer.openJson<SealedChallenge>(getSealPurpose(purpose), challenge) ?? [];
  if (holder === undefined || at === undefined || !holders.includes(holder)) return undefined;
  if (account !== null && account !== userId) return undefined;
  const until = new Date(at + PASSKEY_CHALLENGE_TTL * 1000);
  return until > now ? { userId, key: challengeDigest(challenge), until } : undefined;
}

export interface PasskeyRejection {
  /** A fixed string without input from the browser. */
  refused: string;
  error?: unknown;
}

/** The library has no error classes, so errors are recognized by their messages. */
const REJECTION_REASONS: readonly (readonly [message: RegExp, reason: string])[] = [
  [/challenge/, 'wrong challenge'],
  [/origin/, 'wrong origin'],
  [/RP ID/, 'wrong RP ID'],
  [/not present|not be verified/, 'user not verified'],
  [/(response|credential) type/, 'wrong type'],
  [/public key alg/, 'unsupported algorithm'],
];

function toRejection(error: unknown): PasskeyRejection {
  if (error instanceof SyntaxError) return { refused: 'client data is not JSON' };
  const message = error instanceof Error ? error.message : '';
  const reason = REJECTION_REASONS.find(([pattern]) => pattern.test(message))?.[1];
  return reason === undefined ? { refused: 'verification failed', error } : { refused: reason };
}

export function logPasskeyRejection(
  log: Pick<BaseLogger, 'info' | 'warn'>,
  { refused, error }: PasskeyRejection,
): void {
  if (error === undefined) log.info({ reason: refused }, 'passkey refused');
  else log.warn({ reason: refused, err: error }, 'passkey refused after an unexpected error');
}

// Loading the library at startup would more than double the startup time.
const loadServerLibrary = () => import('@simplewebauthn/server');
const loadHelperLibrary = () => import('@simplewebauthn/server/helpers');

/** COSE algorithms: ES256, EdDSA, RS256. */
const COSE_ALGORITHMS = [-7, -8, -257];
const CEREMONY_TIMEOUT = PASSKEY_CHALLENGE_TTL * 1000;

export interface RelyingParty {
  id: string;
  name: string;
  origins: readonly string[];
}

/** Returns undefined if the RP ID is an IP address because browsers don't create passkeys for IP addresses. */
export function getRelyingParty(config: Config): RelyingParty | undefined {
  const { passkeyRpId: id, serviceName: name, baseUrl, passkeyRelatedOrigins } = config;
  if (isIP(id.replace(/^\[|\]$/g, '')) !== 0) return undefined;
  return { id, name, origins: [baseUrl, ...passkeyRelatedOrigins] };
}

const decodeBase64url = (base64urlSchema: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(Buffer.from(base64urlSchema, 'base64url'));

/** The WebAuthn user handle is the account's ID in base64url. */
export const toUserHandle = (userId: string): string =>
  Buffer.from(userId.replaceAll('-', ''), 'hex').toString('base64url');

const toDescriptors = (passkeys: readonly Pick<Passkey, 'credentialId' | 'transports'>[]) =>
  passkeys.map(({ credentialId, transports }) => ({ id: credentialId, transports }));

export const getPasskeyMethod = ({ synced }: Pick<Passkey, 'synced'>): AuthenticationMethod =>
  synced ? 'swk' : 'hwk';

export function parseUserHandle(handle: string): string | undefined {
  const bytes = Buffer.from(handle, 'base64url');
  return bytes.length === 16 ? formatUuid(bytes) : undefined;
}

export async function buildCreationOptions(
  { id, name }: RelyingParty,
  challenge: string,
  user: { userId: string; email: string; name: string },
  existing: readonly Passkey[],
): Promise<string> {
  const { generateRegistrationOptions } = await loadServerLibrary();
  const options = await generateRegistrationOptions({
    rpID: id,
    rpName: name,
    userID: decodeBase64url(toUserHandle(user.userId)),
    userName: user.email,
    userDisplayName: user.name,
    challenge: decodeBase64url(challenge),
    timeout: CEREMONY_TIMEOUT,
    attestationType: 'none',
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    supportedAlgorithmIDs: COSE_ALGORITHMS,
    excludeCredentials: toDescriptors(existing),
  });
  return JSON.stringify(options);
}

/** @param passkeys the accepted passkeys. If absent, any passkey is accepted. */
export async function buildRequestOptions(
  { id }: RelyingParty,
  challenge: string,
  passkeys?: readonly Passkey[],
): Promise<string> {
  const { generateAuthenticationOptions } = await loadServerLibrary();
  const options = await generateAuthenticationOptions({
    rpID: id,
    challenge: decodeBase64url(challenge),
    timeout: CEREMONY_TIMEOUT,
    userVerification: 'required',
    ...(passkeys && { allowCredentials: toDescriptors(passkeys) }),
  });
  return JSON.stringify(options);
}

const base64url = z
  .string()
  .max(20_000)
  .regex(/^[A-Za-z0-9_-]*$/);
/** At most 1,023 bytes (WebAuthn Level 3 §4). */
const credentialIdSchema = z.string().regex(/^[A-Za-z0-9_-]{1,1364}$/);
const createResponseSchema = <Response extends z.ZodRawShape>(response: Response) =>
  z.object({
    id: credentialIdSchema,
    rawId: credentialIdSchema,
    type: z.literal('public-key'),
    response: z.object({ clientDataJSON: base64url, ...response }),
  });
const assertionSchema = createResponseSchema({
  authenticatorData: base64url,
  signature: base64url,
  userHandle: base64url.optional(),
});
const attestationSchema = createResponseSchema({
  attestationObject: base64url,
  transports: z.array(z.string().max(40)).max(10).optional(),
});

export const parseAssertion = (text: string | undefined): Assertion | undefined =>
  parseJsonWithSchema(assertionSchema, text);
export type Assertion = z.infer<typeof assertionSchema>;

const anyResponseSchema = z.object({
  id: credentialIdSchema,
  response: z.object({ userHandle: base64url.optional(), attestationObject: base64url.optional() }),
});

/** Doesn't verify the response. Returns undefined if the response is malformed. */
export function parsePasskeyResponse(
  text: string,
): { credentialId: string; userId: string | undefined; isNew: boolean } | undefined {
  const { id, response } = parseJsonWithSchema(anyResponseSchema, text) ?? {};
  if (id === undefined || response === undefined) return undefined;
  const userId = response.userHandle === undefined ? undefined : parseUserHandle(response.userHandle);
  return { credentialId: id, userId, isNew: response.attestationObject !== undefined };
}

function parseJsonWithSchema<Value>(schema: z.ZodType<Value>, text: string | undefined): Value | undefined {
  try {
    return schema.safeParse(JSON.parse(text ?? '')).data;
  } catch {
    return undefined;
  }
}

function isFromCrossOriginFrame(clientDataJSON: string): boolean {
  const data: unknown = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString('utf8'));
  return (
    typeof data !== 'object' ||
    data === null ||
    'topOrigin' in data ||
    ('crossOrigin' in data && data.crossOrigin !== false)
  );
}

/**
 * Verifies an assertion (WebAuthn Level 3 §7.2). The SQL statement that records the passkey's use checks the
 * signature counter.
 * @param isExpected returns whether the challenge is accepted
 */
export async function verifyAssertion(
  { id, origins }: RelyingParty,
  assertion: Assertion,
  { passkey, userId }: { passkey: Passkey & { publicKey: Buffer }; userId: string },
  isExpected: (challenge: string) => boolean,
): Promise<{ counter: number; backedUp: boolean } | PasskeyRejection> {
  const { userHandle } = assertion.response;
  if (userHandle !== undefined && userHandle !== toUserHandle(userId))
    return { refused: 'wrong user handle' };
  const credential: WebAuthnCredential = {
    id: passkey.credentialId,
    publicKey: Uint8Array.from(passkey.publicKey),
    counter: 0,
  };
  const { verifyAuthenticationResponse } = await loadServerLibrary();
  try {
    if (isFromCrossOriginFrame(assertion.response.clientDataJSON)) return { refused: 'cross-origin frame' };
    const { verified, authenticationInfo: info } = await verifyAuthenticationResponse({
      response: { ...assertion, clientExtensionResults: {} } as AuthenticationResponseJSON,
      expectedChallenge: isExpected,
      expectedOrigin: [...origins],
      expectedRPID: id,
      credential,
      requireUserVerification: true,
    });
    if (!verified) return { refused: 'wrong signature' };
    // Backup eligibility never changes (§7.2 step 18).
    if ((info.credentialDeviceType === 'multiDevice') !== passkey.synced)
      return { refused: 'backup eligibility changed' };
    return { counter: info.newCounter, backedUp: info.credentialBackedUp };
  } catch (error) {
    return toRejection(error);
  }
}

/** Attestation certificates are rejected because the library would fetch URLs in them. */
async function isUnattested(attestationObject: string): Promise<boolean> {
  const { decodeAttestationObject } = await loadHelperLibrary();
  const decoded = decodeAttestationObject(decodeBase64url(attestationObject));
  const format = decoded.get('fmt');
  return format === 'none' || (format === 'packed' && decoded.get('attStmt')?.get('x5c') === undefined);
}

/** Verifies the registration of a passkey (WebAuthn Level 3 §7.1). */
export async function verifyRegistration(
  { id, origins }: RelyingParty,
  text: string | undefined,
  isExpected: (challenge: string) => boolean,
): Promise<NewPasskey | PasskeyRejection> {
  const attestation = parseJsonWithSchema(attestationSchema, text);
  if (attestation === undefined) return { refused: 'malformed' };
  const { verifyRegistrationResponse } = await loadServerLibrary();
  try {
    if (isFromCrossOriginFrame(attestation.response.clientDataJSON)) return { refused: 'cross-origin frame' };
    if (!(await isUnattested(attestation.response.attestationObject)))
      return { refused: 'attestation certificate' };
    const { verified, registrationInfo: info } = await verifyRegistrationResponse({
      response: { ...attestation, clientExtensionResults: {} } as RegistrationResponseJSON,
      expectedChallenge: isExpected,
      expectedOrigin: [...origins],
      expectedRPID: id,
      requireUserVerification: true,
      supportedAlgorithmIDs: COSE_ALGORITHMS,
    });
    if (!verified || info === undefined) return { refused: 'wrong signature' };
    if (info.credential.id !== attestation.id) return { refused: 'wrong credential ID' };
    return {
      credentialId: info.credential.id,
      publicKey: Buffer.from(info.credential.publicKey),
      counter: info.credential.counter,
      transports: attestation.response.transports ?? [],
      synced: info.credentialDeviceType === 'multiDevice',
      backedUp: info.credentialBackedUp,
      aaguid: info.aaguid,
    };
  } catch (error) {
    return toRejection(error);
  }
}
