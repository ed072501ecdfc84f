// Verifies client assertions: JWTs that a client or an API signs with its own key (RFC 7523 §3, RFC 10070).
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTPayload, jwtVerify } from 'jose';
import type { Reason } from './reason.ts';

/** How an assertion may be signed: never with anything that this service knows too. */
export const ASSERTION_ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA'];
/** Seconds by which the clocks of two hosts may differ, either way. */
const TOLERANCE = 30;
/** An assertion may live so many seconds at most: that long it has to be remembered. */
const LONGEST = 3600;

/** Whether a key (JWK) says what only its owner may know (RFC 7518 §6): published, it is anybody's. */
export const isPrivateKey = (key: object): boolean => ['d', 'p', 'q', 'k'].some((member) => member in key);

/** An assertion that is good, and until when it could be sent again. */
export interface GoodAssertion {
  jti: string;
  rememberUntil: Date;
}

/**
 * Verifies an assertion with the public keys of the client or API that it claims to be from.
 * @param issuer the issuer identifier, which must be the only audience
 * @returns the assertion, or why it is refused (shown to the client's owner only)
 */
export async function verifyAssertion(
  assertion: string,
  keys: JSONWebKeySet,
  { clientId, issuer, now }: { clientId: string; issuer: string; now: Date },
): Promise<GoodAssertion | Reason> {
  const time = Math.floor(now.getTime() / 1000);
  try {
    const { payload, protectedHeader } = await jwtVerify(assertion, createLocalJWKSet(keys), {
      issuer: clientId,
      subject: clientId,
      // RFC 10070: endpoint URLs are no audience, because another server could name ours as its own endpoint.
      audience: issuer,
      algorithms: ASSERTION_ALGORITHMS,
      requiredClaims: ['exp', 'jti'],
      clockTolerance: TOLERANCE,
      currentDate: now,
    });
    if (!isAssertionType(protectedHeader.typ)) return { kind: 'assertion_refused' };
    return furtherFault(payload, time) ?? rememberable(payload);
  } catch (error) {
    return reasonOf(error, time);
  }
}

/** A JWT of another explicit type, such as a DPoP proof or a request object, is not a client assertion (RFC 8725 §3.11). */
function isAssertionType(typ: string | undefined): boolean {
  const type = typ?.toLowerCase().replace(/^application\//, '');
  return type === undefined || type === 'jwt' || type === 'client-authentication+jwt';
}

/** Checks a single audience (RFC 10070: another recipient could pass the assertion on), `iat`, and the lifetime. */
function furtherFault({ aud, iat, exp = 0 }: JWTPayload, time: number): Reason | undefined {
  if (Array.isArray(aud) && aud.length > 1) return { kind: 'assertion_audience' };
  if (iat !== undefined && iat > time + TOLERANCE) return { kind: 'assertion_early', seconds: iat - time };
  return exp > time + LONGEST + TOLERANCE ? { kind: 'assertion_refused' } : undefined;
}

// It is good until its end and the tolerance; another process may have a clock that is behind.
const rememberable = ({ jti, exp = 0 }: JWTPayload): GoodAssertion => ({
  jti: String(jti),
  rememberUntil: new Date((exp + 2 * TOLERANCE) * 1000),
});

/** Claims are looked at once the signature is known to be the application's, so their values may be told to its owner. */
function reasonOf(error: unknown, time: number): Reason {
  if (error instanceof errors.JWTExpired) {
    const { exp = time, iat = exp } = error.payload;
    return { kind: 'assertion_expired', seconds: Math.round(time - exp), age: Math.round(time - iat) };
  }
  if (error instanceof errors.JWTClaimValidationFailed) {
    const { nbf = time } = error.payload;
    if (error.claim === 'aud') return { kind: 'assertion_audience' };
    if (error.claim === 'nbf') return { kind: 'assertion_early', seconds: Math.round(nbf - time) };
  }
  return { kind: 'assertion_refused' };
}
