// PKCE (RFC 7636) with S256 only: the challenge of the authorization request, the verifier of the token request.
import { hash } from 'node:crypto';
import { invalidGrant, invalidRequest, type OAuthError } from './errors.ts';
import { printable } from './shown.ts';

/** 43 base64url characters: the SHA-256 of the verifier without padding (RFC 7636 §4.2). */
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;
/** 43 to 128 unreserved characters (RFC 7636 §4.1). */
const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;

/**
 * The fault of an authorization request's PKCE parameters, or undefined when they are good (D5).
 * @param required a public application must send them, and a confidential one whose owner wants it so
 */
export function challengeFault(
  challenge: string | undefined,
  method: string | undefined,
  required: boolean,
): OAuthError | undefined {
  if (challenge === undefined && method === undefined)
    return required
      ? invalidRequest('This application must send code_challenge and code_challenge_method=S256.', {
          kind: 'challenge_missing',
        })
      : undefined;
  if (method === undefined)
    return invalidRequest('code_challenge was sent without code_challenge_method=S256.', {
      kind: 'parameter_missing',
      parameter: 'code_challenge_method',
    });
  if (method !== 'S256')
    return invalidRequest('code_challenge_method must be S256.', {
      kind: 'challenge_method',
      sent: printable(method),
    });
  if (challenge === undefined)
    return invalidRequest('code_challenge_method was sent without code_challenge.', {
      kind: 'parameter_missing',
      parameter: 'code_challenge',
    });
  if (!CHALLENGE.test(challenge))
    return invalidRequest(
      'code_challenge must be the SHA-256 of the verifier in base64url without padding: 43 characters.',
      { kind: 'challenge_malformed', length: challenge.length },
    );
  return undefined;
}

/** The S256 challenge of a verifier: base64url(SHA-256(verifier)) without padding. */
export const challengeOf = (verifier: string) => hash('sha256', verifier, 'base64url');

/** The fault of the verifier's form (D14), before the application is authenticated; undefined when it is good. */
export function verifierFault(verifier: string | undefined): OAuthError | undefined {
  if (verifier === undefined || VERIFIER.test(verifier)) return undefined;
  return invalidRequest('code_verifier must be 43 to 128 characters out of A-Z a-z 0-9 - . _ ~', {
    kind: 'verifier_malformed',
    length: verifier.length,
  });
}

/**
 * Compares the verifier of an exchange with the challenge of its authorization request; undefined when they agree.
 * RFC 9700 §4.8.2: a verifier without a challenge is a downgrade and is refused too.
 */
export function verifierRefusal(
  verifier: string | undefined,
  challenge: string | undefined,
): OAuthError | undefined {
  if (challenge === undefined)
    return verifier === undefined
      ? undefined
      : invalidGrant('code_verifier was sent, but the authorization request had no code_challenge.', {
          kind: 'verifier_not_expected',
        });
  if (verifier === undefined)
    return invalidRequest('code_verifier is missing: the authorization request had a code_challenge.', {
      kind: 'verifier_missing',
    });
  return challengeOf(verifier) === challenge
    ? undefined
    : invalidGrant('The code_verifier does not match the code_challenge of the authorization request.', {
        kind: verifier === challenge ? 'verifier_is_challenge' : 'verifier_mismatch',
      });
}
