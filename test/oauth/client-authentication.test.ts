// How an application says who it is (D11; RFC 6749 §2.3.1).
import { describe, expect, test } from 'vitest';
import { type Credentials, readCredentials } from '../../src/oauth/client-authentication.ts';
import { clientSecretHash } from '../../src/oauth/digests.ts';
import type { OAuthError } from '../../src/oauth/errors.ts';
import { parseParameters } from '../../src/oauth/parameters.ts';

const read = (form: string, authorization?: string): Credentials =>
  readCredentials(parseParameters(form), authorization);
const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
const refusal = (form: string, authorization?: string): OAuthError => {
  try {
    read(form, authorization);
  } catch (error) {
    return error as OAuthError;
  }
  throw new Error('was not refused');
};

describe('in the form (contract §5)', () => {
  test('client_id and client_secret, of which only the hash goes on (D32)', () => {
    expect(read('client_id=app_1&client_secret=s%26%2B')).toStrictEqual({
      clientId: 'app_1',
      proof: clientSecretHash('s&+'),
      triedBasic: false,
      fault: expect.any(Function),
    });
  });

  test('client_id alone: a public application; an empty secret is no secret (D12, D17)', () => {
    for (const form of ['client_id=app_1', 'client_id=app_1&client_secret='])
      expect(read(form)).toMatchObject({ clientId: 'app_1', proof: null, triedBasic: false });
  });

  test('no client_id at all: 400 invalid_request', () => {
    for (const form of ['', 'client_secret=s', 'client_id=&client_secret=s'])
      expect(refusal(form)).toMatchObject({ status: 400, error: 'invalid_request' });
  });

  test('what can be no client_id: 401 invalid_client in the words of every other failure, without a challenge', () => {
    for (const id of ['a%20b', 'a'.repeat(65), '%C3%A9', "'%20or%201=1"])
      expect(refusal(`client_id=${id}&client_secret=s`)).toMatchObject({
        status: 401,
        error: 'invalid_client',
        description: 'The client_id is unknown or the client_secret is wrong.',
        headers: {},
      });
  });

  test('an Authorization header of another scheme is not looked at', () => {
    for (const authorization of ['Bearer x', 'Basicx y', 'Digest Basic', ''])
      expect(read('client_id=app_1&client_secret=s', authorization).triedBasic, authorization).toBe(false);
  });
});

describe('HTTP Basic (RFC 6749 §2.3.1)', () => {
  test('both halves are form-decoded', () => {
    expect(read('', basic('app%5F1:s%26%2B+x%3A'))).toStrictEqual({
      clientId: 'app_1',
      proof: clientSecretHash('s&+ x:'),
      triedBasic: true,
      fault: expect.any(Function),
    });
  });

  test('the first colon separates; the scheme may be in any case (RFC 7617 §2)', () => {
    expect(read('', basic('app_1:a:b')).proof).toEqual(clientSecretHash('a:b'));
    for (const scheme of ['basic', 'BASIC', 'bAsIc'])
      expect(read('', basic('app_1:s').replace('Basic', scheme)).clientId).toBe('app_1');
  });

  test('the form may repeat the same client_id', () => {
    expect(read('client_id=app_1', basic('app_1:s')).clientId).toBe('app_1');
  });

  test('an empty password is no secret', () => {
    expect(read('', basic('app_1:')).proof).toBeNull();
  });

  test('both methods at once: 400 invalid_request, even with the same secret (RFC 6749 §2.3)', () => {
    for (const authorization of [basic('app_1:s'), 'Basic ???'])
      expect(refusal('client_id=app_1&client_secret=s', authorization)).toMatchObject({
        status: 400,
        error: 'invalid_request',
      });
  });

  test('another client_id in the form: 400 invalid_request', () => {
    expect(refusal('client_id=app_2', basic('app_1:s'))).toMatchObject({
      status: 400,
      error: 'invalid_request',
    });
  });

  test.each([
    ['nothing behind the scheme', 'Basic'],
    ['nothing but spaces', 'Basic   '],
    ['no base64', 'Basic ???'],
    ['no colon', basic('app_1')],
    ['no client_id', basic(':secret')],
    ['bad percent-encoding', basic('app_1:%zz')],
    ['bad UTF-8', basic('app_1:%ff')],
    ['a client_id that can be none', basic('app%001:s')],
  ])('%s: 401 invalid_client with a Basic challenge (D11)', (_, authorization) => {
    expect(refusal('', authorization)).toMatchObject({
      status: 401,
      error: 'invalid_client',
      headers: { 'www-authenticate': expect.stringMatching(/^Basic realm=/) },
    });
  });
});
