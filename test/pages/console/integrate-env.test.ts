// The file .env of an application: what reads such files gets the values as they are.
import { parseEnv } from 'node:util';
import { expect, test } from 'vitest';
import { envFile, variablesOf } from '../../../src/pages/console/snippets/env.ts';

const NOTES = { secret: 'the secret', random: 'a random text' };
const APPLICATION = { clientId: 'app_1', issuer: 'https://sesame.example', scopes: ['openid', 'profile'] };

test.each([
  'https://a.example/callback',
  "https://a.example/cb?a='1'&b=2",
  'https://a.example/cb?a=$b&c=`d`',
  'https://a.example/cb?a="1"',
])('the callback %s', (redirectUri) => {
  expect(parseEnv(envFile({ ...APPLICATION, redirectUri }, NOTES))).toEqual({
    CLIENT_SECRET: '',
    CLIENT_ID: 'app_1',
    ISSUER: 'https://sesame.example',
    REDIRECT_URI: redirectUri,
    SCOPE: 'openid profile',
  });
});

test('with the secret there is nothing left to fill in; random texts stand below how to come by them', () => {
  const redirectUri = 'https://a.example/callback';
  const filled = envFile({ ...APPLICATION, redirectUri, clientSecret: 'sesame_secret_x' }, NOTES);
  expect(filled).toMatch(/^CLIENT_SECRET=sesame_secret_x\n/);
  expect(filled).not.toContain('#');
  const names = variablesOf("os.environ['SESSION_SECRET'] SESSION_SECRET os.environ['ISSUER']");
  expect(names).toEqual(['SESSION_SECRET', 'ISSUER']);
  expect(envFile({ ...APPLICATION, redirectUri }, NOTES, names)).toBe(
    '# the secret\nCLIENT_SECRET=\n# a random text\nSESSION_SECRET=\nISSUER=https://sesame.example',
  );
});
