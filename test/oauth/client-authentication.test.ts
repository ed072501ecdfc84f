// How an application says who it is (D11; RFC 6749 §2.3.1).
import { expect, test } from 'vitest';
import { type Credentials, readCredentials } from '../../src/oauth/client-authentication.ts';
import { clientSecretHash } from '../../src/oauth/digests.ts';
import { parseParameters } from '../../src/oauth/parameters.ts';

const read = (form: string, authorization?: string): Credentials =>
  readCredentials(parseParameters(form), authorization);
const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;

// Refusals, and what they consume: test/http/oauth-endpoint-credentials.test.ts.
test('in the form: client_id and client_secret, of which only the hash goes on; no secret is a public client', () => {
  expect(read('client_id=app_1&client_secret=s%26%2B')).toStrictEqual({
    clientId: 'app_1',
    proof: clientSecretHash('s&+'),
    triedBasic: false,
    fault: expect.any(Function),
  });
  for (const form of ['client_id=app_1', 'client_id=app_1&client_secret='])
    expect(read(form)).toMatchObject({ clientId: 'app_1', proof: null, triedBasic: false });
});

test('HTTP Basic: both halves are form-decoded, the first colon separates (RFC 6749 §2.3.1, RFC 7617 §2)', () => {
  expect(read('', basic('app%5F1:s%26%2B+x%3A'))).toStrictEqual({
    clientId: 'app_1',
    proof: clientSecretHash('s&+ x:'),
    triedBasic: true,
    fault: expect.any(Function),
  });
  expect(read('', basic('app_1:a:b')).proof).toEqual(clientSecretHash('a:b'));
  expect(read('', basic('app_1:')).proof).toBeNull();
});
