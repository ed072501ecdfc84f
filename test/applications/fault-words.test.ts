// What is said of a fault of an application's settings: by what it is about, and by what the service takes.
import { expect, test } from 'vitest';
import type { DefinitionFault } from '../../src/applications/definition.ts';
import { faultWords } from '../../src/applications/fault-words.ts';
import { messagesFor } from '../../src/i18n/index.ts';

const NOT_FULL = 'it is not a full URL, such as ';
const OTHER_SCHEME = 'it must start with https://';

test.each<[DefinitionFault, production: string, development: string]>([
  [
    { field: 'redirect_uris', fault: 'uriNotAbsolute', uri: 'x' },
    `${NOT_FULL}https://example.com/callback.`,
    `${NOT_FULL}http://localhost:3000/callback.`,
  ],
  [
    { field: 'post_logout_redirect_uris', fault: 'uriNotAbsolute', entry: 'x' },
    `${NOT_FULL}https://example.com/goodbye.`,
    `${NOT_FULL}http://localhost:3000/goodbye.`,
  ],
  [
    { field: 'post_logout_redirect_uris', fault: 'uriNotHttps', entry: 'ftp://x' },
    OTHER_SCHEME,
    `${OTHER_SCHEME} or, as this service is in development mode, http://`,
  ],
  [
    { field: 'backchannel_logout_uri', fault: 'backchannelInvalid' },
    'Enter a full https URL, without a fragment.',
    'Enter a full URL that starts with https:// or http://, without a fragment.',
  ],
])('%j is said as it is taken, in production and outside', (fault, production, development) => {
  const said = (inProduction: boolean) => faultWords(messagesFor('en'), inProduction)(fault);
  expect([said(true), said(false)]).toEqual([production, development]);
});

test('a parameter of its own that the response adds is said of callback URLs alone', () => {
  const words = faultWords(messagesFor('en'), true);
  const fault = 'uriOwnParameter';
  expect(words({ field: 'redirect_uris', fault, uri: 'x' })).toContain('which the response adds itself');
  expect(words({ field: 'post_logout_redirect_uris', fault, entry: 'x' })).toBe(
    'it contains code, state, iss or error, which are reserved parameters.',
  );
});
