// PKCE (RFC 7636) with S256 only.
import { hash } from 'node:crypto';
import { invalidGrant, invalidRequest } from './errors.ts';
import { redactText } from './redaction.ts';

// RFC 7636 §4.1, §4.2
const VERIFIER_PATTERN = /^[A-Za-z0-9._~-]{43,128}$/;
const CHALLENGE_PATTERN = /^[A-Za-z0-9_-]{43}$/;

/**
 * @param required whether PKCE is required. It must be true for public clients.
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
      sent: redactText(method),
    });
  if (challenge === undefined)
    throw invalidRequest('code_challenge_method was sent without code_challenge.', {
      kind: 'parameter_missing',
      parameter: 'code_challenge',
    });
  if (!CHALLENGE_PATTERN.test(challenge))
    throw invalidRequest(
      'code_challenge must be the SHA-256 of the verifier in base64url without padding: 43 characters.',
      { kind: 'challenge_malformed', length: challenge.length },
    );
}

export const computeCodeChallenge = (verifier: string) => hash('sha256', verifier, 'base64url');

export function checkVerifierSyntax(verifier: string | undefined): void {
  if (verifier === undefined || VERIFIER_PATTERN.test(verifier)) return;
  throw invalidRequest(
    'code_verifier must be 43 to 128 characters long and contain only A-Z, a-z, 0-9 and - . _ ~',
    {
      kind: 'verifier_malformed',
      length: verifier.length,
    },
  );
}

/**
 * A verifier without a challenge may be a downgrade attack (RFC 9700 §4.8.2).
 * @throws OAuthError `invalid_grant`, or `invalid_request` if the verifier is missing
 */
export function checkVerifier(verifier: string | undefined, challenge: string | undefined): void {
  if (challenge === undefined) {
    if (verifier === undefined) return;
    throw invalidGrant('code_verifier was sent, but the authorization request had no code_challenge.', {
      kind: 'verifier_not_expected',
    });
  }
  if (verifier === undefined)
    throw invalidRequest(
      'code_verifier is missing. It is required because the authorization request had a code_challenge.',
      {
        kind: 'verifier_missing',
      },
    );
  if (computeCodeChallenge(verifier) !== challenge)
    throw invalidGrant('The code_verifier does not match the code_challenge of the authorization request.', {
      kind: verifier === challenge ? 'verifier_is_challenge' : 'verifier_mismatch',
    });
}
