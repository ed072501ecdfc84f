// PKCE (RFC 7636) with S256 only: the challenge of the authorization request, the verifier of the token request.
import { hash } from 'node:crypto';
import { invalidGrant, invalidRequest } from './errors.ts';
import { printable } from './shown.ts';

/** 43 base64url characters: the SHA-256 of the verifier without padding (RFC 7636 §4.2). */
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;
/** 43 to 128 unreserved characters (RFC 7636 §4.1). */
const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;

/**
 * Checks the PKCE parameters of an authorization request.
 * @param required whether they must be sent: by public clients, and by confidential ones if their owner chose so
 * @throws OAuthError `invalid_request`
 */
export function checkChallenge(
  challenge: string | undefined,
  method: string | undefined,
  required: boolean,
): void {
  if (challenge === undefined && method === undefined) {
    if (!required) return;
    throw invalidRequest('This application must send code_challenge and code_challenge_method=S256.', {
      kind: 'challenge_missing',
    });
  }
  if (method === undefined)
    throw invalidRequest('code_challenge was sent without code_challenge_method=S256.', {
      kind: 'parameter_missing',
      parameter: 'code_challenge_method',
    });
  if (method !== 'S256')
    throw invalidRequest('code_challenge_method must be S256.', {
      kind: 'challenge_method',
      sent: printable(method),
    });
  if (challenge === undefined)
    throw invalidRequest('code_challenge_method was sent without code_challenge.', {
      kind: 'parameter_missing',
      parameter: 'code_challenge',
    });
  if (!CHALLENGE.test(challenge))
    throw invalidRequest(
      'code_challenge must be the SHA-256 of the verifier in base64url without padding: 43 characters.',
      { kind: 'challenge_malformed', length: challenge.length },
    );
}

/** The S256 challenge of a verifier: base64url(SHA-256(verifier)) without padding. */
export const challengeOf = (verifier: string) => hash('sha256', verifier, 'base64url');

/** Checks the syntax of a verifier. @throws OAuthError `invalid_request` */
export function checkVerifierForm(verifier: string | undefined): void {
  if (verifier === undefined || VERIFIER.test(verifier)) return;
  throw invalidRequest('code_verifier must be 43 to 128 characters out of A-Z a-z 0-9 - . _ ~', {
    kind: 'verifier_malformed',
    length: verifier.length,
  });
}

/**
 * Compares the verifier of an exchange with the challenge of its authorization request.
 * RFC 9700 §4.8.2: a verifier without a challenge is a downgrade and is refused too.
 * @throws OAuthError `invalid_grant`, or `invalid_request` without a verifier
 */
export function checkVerifier(verifier: string | undefined, challenge: string | undefined): void {
  if (challenge === undefined) {
    if (verifier === undefined) return;
    throw invalidGrant('code_verifier was sent, but the authorization request had no code_challenge.', {
      kind: 'verifier_not_expected',
    });
  }
  if (verifier === undefined)
    throw invalidRequest('code_verifier is missing: the authorization request had a code_challenge.', {
      kind: 'verifier_missing',
    });
  if (challengeOf(verifier) !== challenge)
    throw invalidGrant('The code_verifier does not match the code_challenge of the authorization request.', {
      kind: verifier === challenge ? 'verifier_is_challenge' : 'verifier_mismatch',
    });
}
