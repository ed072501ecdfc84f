// WebAuthn as this service speaks it (D37): what browsers are asked for, and how their answers are read. The library's verdict
// is the last word; what it leaves to its user is checked here.
import { isIP } from 'node:net';
import type {
  AuthenticationResponseJSON,
  RegistrationResponseJSON,
  WebAuthnCredential,
} from '@simplewebauthn/server';
import { z } from 'zod';
import type { Config } from '../config.ts';
import type { Method } from '../oauth/authentication-methods.ts';
import { PASSKEY_CHALLENGE } from '../oauth/lifetimes.ts';
import type { NewPasskey, Passkey } from '../store/passkeys.ts';
import { type PasskeyRefusal, refusalOf } from './passkey-refusal.ts';

// Loaded by whoever needs it first: it takes longer than all the rest of the start.
const library = () => import('@simplewebauthn/server');
const decoding = () => import('@simplewebauthn/server/helpers');

/** ES256, EdDSA, RS256. */
const ALGORITHMS = [-7, -8, -257];
const TIMEOUT = PASSKEY_CHALLENGE * 1000;

/** Whose passkeys they are: this service, as browsers know it. */
export interface RelyingParty {
  id: string;
  name: string;
  origins: readonly string[];
}

/** @returns undefined where the service is at an IP address, for which browsers make no passkeys */
export function relyingPartyOf(config: Config): RelyingParty | undefined {
  const { passkeyRpId: id, serviceName: name, baseUrl, passkeyRelatedOrigins } = config;
  if (isIP(id.replace(/^\[|\]$/g, '')) !== 0) return undefined;
  return { id, name, origins: [baseUrl, ...passkeyRelatedOrigins] };
}

const bytesOf = (base64url: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(Buffer.from(base64url, 'base64url'));

/** What an authenticator keeps as whose passkey it is: the account's id in bytes, which says nothing of the person. */
export const userHandleOf = (userId: string): string =>
  Buffer.from(userId.replaceAll('-', ''), 'hex').toString('base64url');

const named = (passkeys: readonly Pick<Passkey, 'credentialId' | 'transports'>[]) =>
  passkeys.map(({ credentialId, transports }) => ({ id: credentialId, transports }));

/** What is claimed of a passkey (D41). */
export const methodOf = ({ synced }: Pick<Passkey, 'synced'>): Method => (synced ? 'swk' : 'hwk');

/** What `navigator.credentials.create` is given, as JSON. @param others the passkeys that the account has */
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

/** What `navigator.credentials.get` is given, as JSON. @param passkeys the only ones that will do; any when absent */
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

/** What a browser sent for a passkey, in its outer form; undefined where it is none. */
export const readAssertion = (text: string | undefined): Assertion | undefined => read(assertion, text);
export type Assertion = z.infer<typeof assertion>;

/** The id of the passkey that a browser says it has made, or used; undefined where it says none. */
export const passkeyIdIn = (text: string): string | undefined =>
  read(z.object({ id: credentialId }), text)?.id;

function read<Value>(schema: z.ZodType<Value>, text: string | undefined): Value | undefined {
  try {
    return schema.safeParse(JSON.parse(text ?? '')).data;
  } catch {
    return undefined;
  }
}

/** Whether a page of somebody else's held ours when it was answered: we are in nobody's frame. */
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
 * Verifies what a passkey has signed (WebAuthn Level 3 §7.2): type, challenge, origin, RP ID, that somebody was there and was
 * recognised, and the signature. Its counter is left to the statement that uses it (store/passkeys.ts).
 * @param isAnswered whether the challenge in it is one that may be answered here
 */
export async function verifyAssertion(
  { id, origins }: RelyingParty,
  answer: Assertion,
  { passkey, userId }: { passkey: Passkey & { publicKey: Buffer }; userId: string },
  isAnswered: (challenge: string) => boolean,
): Promise<{ counter: number; backedUp: boolean } | PasskeyRefusal> {
  const { userHandle } = answer.response;
  // Absent where the passkeys that would do were named; else it says whose it is.
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
    // What it was made as, it stays (§7.2 step 18).
    if (!verified) return { refused: 'wrong signature' };
    if ((info.credentialDeviceType === 'multiDevice') !== passkey.synced)
      return { refused: 'backup eligibility changed' };
    return { counter: info.newCounter, backedUp: info.credentialBackedUp };
  } catch (error) {
    return refusalOf(error);
  }
}

/**
 * Whether it says nothing of who made the authenticator, as it was asked, or what browsers leave in that place: a signature by
 * the passkey itself. Certificates are not looked at: the library follows addresses that stand in them.
 */
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
