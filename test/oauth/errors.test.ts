// Every refusal: status, code and headers (contract §7; D10, D11, D18, D21, D25), fit for RFC 6749 §5.2.
import { describe, expect, test } from 'vitest';
import * as errors from '../../src/oauth/errors.ts';

const { OAuthError } = errors;
const REASON = { kind: 'service_failed' } as const;

describe('status and code', () => {
  test.each([
    [errors.invalidRequest('x', REASON), 400, 'invalid_request'],
    [errors.invalidClient(REASON), 401, 'invalid_client'],
    [errors.invalidGrant('x', REASON), 400, 'invalid_grant'],
    [errors.invalidScope('x', REASON), 400, 'invalid_scope'],
    [errors.unsupportedGrantType('x', REASON), 400, 'unsupported_grant_type'],
    [errors.invalidToken(REASON), 401, 'invalid_token'],
    [errors.tokenMissing(), 401, 'invalid_token'],
    [errors.insufficientScope('profile'), 403, 'insufficient_scope'],
    [errors.accessDenied('x'), 403, 'access_denied'],
    [errors.notFound(), 404, 'not_found'],
    [errors.methodNotAllowed(['POST'], 'GET'), 405, 'invalid_request'],
    [errors.rateLimited(7), 429, 'rate_limited'],
    [errors.temporarilyUnavailable(), 503, 'temporarily_unavailable'],
  ])('%s', (error, status, code) => {
    expect(error).toBeInstanceOf(OAuthError);
    expect(error).toMatchObject({ status, error: code });
    // RFC 6749 §5.2: printable ASCII without quote and backslash; the headers carry no line break.
    expect(error.description).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/);
    for (const value of Object.values(error.headers)) expect(value).toMatch(/^[\x20-\x7e]+$/);
  });
});

describe('headers', () => {
  test('invalid_client challenges with Basic only when Basic was tried (D11)', () => {
    expect(errors.invalidClient(REASON, true).headers['www-authenticate']).toMatch(/^Basic /);
    expect(errors.invalidClient(REASON).headers).toEqual({});
    expect(errors.invalidClient(REASON, true).description).toBe(errors.invalidClient(REASON).description);
  });

  test('invalid_token: a bare challenge without a token, error="invalid_token" with one (RFC 6750 §3, D21)', () => {
    expect(errors.tokenMissing().headers).toEqual({ 'www-authenticate': 'Bearer' });
    expect(errors.invalidToken(REASON).headers['www-authenticate']).toMatch(/^Bearer error="invalid_token"/);
  });

  test('405 names the methods, 429 and 503 say when to come back (D17, D25)', () => {
    expect(errors.methodNotAllowed(['GET', 'POST'], 'PUT').headers).toEqual({ allow: 'GET, POST' });
    expect(errors.rateLimited(7).headers).toEqual({ 'retry-after': '7' });
    expect(errors.temporarilyUnavailable(undefined, 10).headers).toEqual({ 'retry-after': '10' });
  });
});

test('the cause is for the log: it is in no public member', () => {
  const error = errors.temporarilyUnavailable(new Error('select secret from somewhere'));
  expect(error.cause).toBeInstanceOf(Error);
  expect(JSON.stringify([error.error, error.description, error.headers, error.message])).not.toContain(
    'secret',
  );
});
