// Verifies client assertions: JWTs signed by a client or an API (RFC 7523 §3, RFC 10070).
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTPayload, jwtVerify } from 'jose';
import type { RefusalReason } from './refusal-reason.ts';

export const ASSERTION_ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA'];
/** In seconds. */
const MAX_CLOCK_SKEW = 30;
/** In seconds. Limits how long used assertions are stored. */
const MAX_ASSERTION_LIFETIME = 3600;

/** Private and symmetric keys have one of these members (RFC 7518 §6). */
export const hasPrivateMembers = (key: object): boolean =>
  ['d', 'p', 'q', 'k'].some((member) => member in key);

/** The caller must store `jti` until `rememberUntil` to prevent replay. */
export interface VerifiedAssertion {
  jti: string;
  rememberUntil: Date;
}

/**
 * @param keys public keys of the client or API
 * @param issuer this service's issuer, the only accepted audience
 * @returns the assertion, or why it was rejected. Only the client's owner may see the reason.
 */
export async function verifyAssertion(
  assertion: string,
  keys: JSONWebKeySet,
  { clientId, issuer, now }: { clientId: string; issuer: string; now: Date },
): Promise<VerifiedAssertion | RefusalReason> {
  const time = Math.floor(now.getTime() / 1000);
  try {
    const { payload, protectedHeader } = await jwtVerify(assertion, createLocalJWKSet(keys), {
      issuer: clientId,
      subject: clientId,
      // An endpoint URL isn't accepted, because a malicious server could publish it as its own (RFC 10070).
      audience: issuer,
      algorithms: ASSERTION_ALGORITHMS,
      requiredClaims: ['exp', 'jti'],
      clockTolerance: MAX_CLOCK_SKEW,
      currentDate: now,
    });
    if (!isAssertionType(protectedHeader.typ)) return { kind: 'assertion_invalid' };
    return explainInvalidClaims(payload, time) ?? toVerifiedAssertion(payload);
  } catch (error) {
    return explainRejection(error, time);
  }
}

/** Rejects other types of JWTs, such as DPoP proofs (RFC 8725 §3.11). */
function isAssertionType(typ: string | undefined): boolean {
  const type = typ?.toLowerCase().replace(/^application\//, '');
  return type === undefined || type === 'jwt' || type === 'client-authentication+jwt';
}

/**
 * Checks the claims that jose doesn't check. Only one audience is allowed because one audience could replay the
 * assertion at another (RFC 10070).
 */
function explainInvalidClaims({ aud, iat, exp = 0 }: JWTPayload, time: number): RefusalReason | undefined {
  if (Array.isArray(aud) && aud.length > 1) return { kind: 'assertion_audience_mismatch' };
  if (iat !== undefined && iat > time + MAX_CLOCK_SKEW)
    return { kind: 'assertion_not_yet_valid', seconds: iat - time };
  return exp > time + MAX_ASSERTION_LIFETIME + MAX_CLOCK_SKEW ? { kind: 'assertion_invalid' } : undefined;
}

// Assertions are accepted until `exp` plus the clock skew. Another process's clock may be behind by as much again.
const toVerifiedAssertion = ({ jti, exp = 0 }: JWTPayload): VerifiedAssertion => ({
  jti: String(jti),
  rememberUntil: new Date((exp + 2 * MAX_CLOCK_SKEW) * 1000),
});

/** jose verifies the signature first, so the client's owner may see these claims. */
function explainRejection(error: unknown, time: number): RefusalReason {
  if (error instanceof errors.JWTExpired) {
    const { exp = time, iat = exp } = error.payload;
    return { kind: 'assertion_expired', seconds: Math.round(time - exp), age: Math.round(time - iat) };
  }
  if (error instanceof errors.JWTClaimValidationFailed) {
    const { nbf = time } = error.payload;
    if (error.claim === 'aud') return { kind: 'assertion_audience_mismatch' };
    if (error.claim === 'nbf') return { kind: 'assertion_not_yet_valid', seconds: Math.round(nbf - time) };
  }
  return { kind: 'assertion_invalid' };
}
