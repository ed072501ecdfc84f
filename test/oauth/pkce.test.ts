import { describe, expect, test } from 'vitest';
import {
  checkChallenge,
  checkVerifier,
  checkVerifierSyntax,
  computeCodeChallenge,
} from '../../src/oauth/pkce.ts';
import { catchOAuthError } from '../support/expect-error.ts';

// The example in RFC 7636 appendix B.
const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';

test('the example in RFC 7636 appendix B is accepted', () => {
  expect(computeCodeChallenge(VERIFIER)).toBe(CHALLENGE);
  expect(catchOAuthError(() => checkChallenge(CHALLENGE, 'S256', true))).toBeUndefined();
  expect(catchOAuthError(() => checkVerifierSyntax(VERIFIER))).toBeUndefined();
  expect(catchOAuthError(() => checkVerifier(VERIFIER, CHALLENGE))).toBeUndefined();
});

describe('a code_challenge', () => {
  test('is optional if PKCE is not required', () => {
    expect(catchOAuthError(() => checkChallenge(undefined, undefined, false))).toBeUndefined();
    expect(catchOAuthError(() => checkChallenge(undefined, undefined, true))?.description).toContain(
      'must send code_challenge',
    );
  });

  test.each([undefined, 'plain', 's256', 'S256 ', 'S512', 'SHA-256'])(
    'is rejected with the code_challenge_method %j',
    (method) => {
      expect(catchOAuthError(() => checkChallenge(CHALLENGE, method, false))?.description).toContain(
        'code_challenge_method',
      );
      expect(catchOAuthError(() => checkChallenge(CHALLENGE, method, true))?.description).toContain(
        'code_challenge_method',
      );
    },
  );

  test('is required if code_challenge_method is sent', () => {
    expect(catchOAuthError(() => checkChallenge(undefined, 'S256', false))?.description).toContain(
      'without code_challenge',
    );
  });

  test.each([
    ['42 characters', CHALLENGE.slice(1)],
    ['44 characters', `${CHALLENGE}A`],
    ['padding', `${CHALLENGE}=`],
    ['standard base64', CHALLENGE.replace('-', '+')],
    ['a slash', CHALLENGE.replace('E', '/')],
    ['a line break at the end', `${CHALLENGE}\n`],
    ['a leading space', ` ${CHALLENGE}`],
    ['a non-ASCII letter', CHALLENGE.replace('E', 'É')],
  ])('with %s is rejected', (_, challenge) => {
    expect(catchOAuthError(() => checkChallenge(challenge, 'S256', false))?.description).toContain(
      '43 characters',
    );
  });
});

describe('a code_verifier', () => {
  test('may consist of 43 to 128 unreserved characters', () => {
    expect(catchOAuthError(() => checkVerifierSyntax(undefined))).toBeUndefined();
    for (const verifier of ['a'.repeat(43), 'a'.repeat(128), `${'-._~'.repeat(10)}AZ9`])
      expect(
        catchOAuthError(() => checkVerifierSyntax(verifier)),
        verifier,
      ).toBeUndefined();
  });

  test.each([
    ['42 characters', 'a'.repeat(42)],
    ['129 characters', 'a'.repeat(129)],
    ['a reserved character', `${'a'.repeat(42)}+`],
    ['a space', `${'a'.repeat(42)} `],
    ['a line break at the end', `${'a'.repeat(43)}\n`],
    ['a non-ASCII letter', `${'a'.repeat(42)}é`],
  ])('with %s is rejected', (_, verifier) => {
    expect(catchOAuthError(() => checkVerifierSyntax(verifier))).toMatchObject({
      status: 400,
      error: 'invalid_request',
    });
  });
});

test('checkVerifier rejects a verifier that equals the challenge (RFC 7636 §4.6)', () => {
  expect
    .soft(catchOAuthError(() => checkVerifier(CHALLENGE, CHALLENGE)))
    .toMatchObject({ error: 'invalid_grant' });
});
