// PKCE with S256 alone (RFC 7636; D5, D14).

import { describe, expect, test } from 'vitest';
import { challengeOf, checkChallenge, checkVerifier, checkVerifierForm } from '../../src/oauth/pkce.ts';
import { refusalOf } from '../support/expect-error.ts';

// RFC 7636 appendix B.
const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';

test('the example of RFC 7636 appendix B', () => {
  expect(challengeOf(VERIFIER)).toBe(CHALLENGE);
  expect(refusalOf(() => checkChallenge(CHALLENGE, 'S256', true))).toBeUndefined();
  expect(refusalOf(() => checkVerifierForm(VERIFIER))).toBeUndefined();
  expect(refusalOf(() => checkVerifier(VERIFIER, CHALLENGE))).toBeUndefined();
});

describe('the challenge of an authorization request (D5)', () => {
  test('is optional for a confidential application, mandatory for a public one (D12)', () => {
    expect(refusalOf(() => checkChallenge(undefined, undefined, false))).toBeUndefined();
    expect(refusalOf(() => checkChallenge(undefined, undefined, true))?.description).toContain(
      'must send code_challenge',
    );
  });

  test.each([undefined, 'plain', 's256', 'S256 ', 'S512', 'SHA-256'])('method %j is refused', (method) => {
    expect(refusalOf(() => checkChallenge(CHALLENGE, method, false))?.description).toContain(
      'code_challenge_method',
    );
    expect(refusalOf(() => checkChallenge(CHALLENGE, method, true))?.description).toContain(
      'code_challenge_method',
    );
  });

  test('the method without a challenge is refused', () => {
    expect(refusalOf(() => checkChallenge(undefined, 'S256', false))?.description).toContain(
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
    ['a space in front', ` ${CHALLENGE}`],
    ['a letter that is not ASCII', CHALLENGE.replace('E', 'É')],
  ])('exactly 43 base64url characters: %s is refused', (_, challenge) => {
    expect(refusalOf(() => checkChallenge(challenge, 'S256', false))?.description).toContain('43 characters');
  });
});

describe('the form of a verifier (RFC 7636 §4.1, D14)', () => {
  test('43 to 128 unreserved characters', () => {
    expect(refusalOf(() => checkVerifierForm(undefined))).toBeUndefined();
    for (const verifier of ['a'.repeat(43), 'a'.repeat(128), `${'-._~'.repeat(10)}AZ9`])
      expect(
        refusalOf(() => checkVerifierForm(verifier)),
        verifier,
      ).toBeUndefined();
  });

  test.each([
    ['42 characters', 'a'.repeat(42)],
    ['129 characters', 'a'.repeat(129)],
    ['a reserved character', `${'a'.repeat(42)}+`],
    ['a space', `${'a'.repeat(42)} `],
    ['a line break at the end', `${'a'.repeat(43)}\n`],
    ['a letter that is not ASCII', `${'a'.repeat(42)}é`],
  ])('%s: 400 invalid_request', (_, verifier) => {
    expect(refusalOf(() => checkVerifierForm(verifier))).toMatchObject({
      status: 400,
      error: 'invalid_request',
    });
  });
});

test('verifier against challenge (RFC 7636 §4.6, D14)', () => {
  // The challenge itself is no verifier: plain does not exist.
  expect.soft(refusalOf(() => checkVerifier(CHALLENGE, CHALLENGE))).toMatchObject({ error: 'invalid_grant' });
});
