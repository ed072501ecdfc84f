import { parseEnv } from 'node:util';
import { expect, test } from 'vitest';
import { findEnvVariables, formatEnvFile } from '../../../src/pages/console/snippets/env.ts';

const PLACEHOLDERS = { secret: 'the secret', random: 'a random text' };
const APPLICATION = { clientId: 'app_1', issuer: 'https://sesame.example', scopes: ['openid', 'profile'] };

test.each([
  'https://a.example/callback',
  "https://a.example/cb?a='1'&b=2",
  'https://a.example/cb?a=$b&c=`d`',
  'https://a.example/cb?a="1"',
])('the .env file with the redirect URI %s can be parsed', (redirectUri) => {
  expect(parseEnv(formatEnvFile({ ...APPLICATION, redirectUri }, PLACEHOLDERS))).toEqual({
    CLIENT_SECRET: '',
    CLIENT_ID: 'app_1',
    ISSUER: 'https://sesame.example',
    REDIRECT_URI: redirectUri,
    SCOPE: 'openid profile',
  });
});

test('the .env file contains the client secret if it is available', () => {
  const redirectUri = 'https://a.example/callback';
  const filled = formatEnvFile(
    { ...APPLICATION, redirectUri, clientSecret: 'sesame_secret_x' },
    PLACEHOLDERS,
  );
  expect(filled).toMatch(/^CLIENT_SECRET=sesame_secret_x\n/);
  expect(filled).not.toContain('#');
  const names = findEnvVariables(
    "os.environ['SESSION_SECRET'] SESSION_SECRET os.environ['ISSUER'] os.environ['CLIENT_SECRET']",
  );
  expect(names).toEqual(['CLIENT_SECRET', 'SESSION_SECRET', 'ISSUER']);
  expect(formatEnvFile({ ...APPLICATION, redirectUri }, PLACEHOLDERS, names)).toBe(
    '# the secret\nCLIENT_SECRET=\n# a random text\nSESSION_SECRET=\nISSUER=https://sesame.example',
  );
});

test('the .env file for a browser application contains no secret', () => {
  const redirectUri = 'https://a.example/';
  const names = findEnvVariables(
    'const { VITE_ISSUER, VITE_CLIENT_ID, VITE_REDIRECT_URI } = import.meta.env',
  );
  expect(formatEnvFile({ ...APPLICATION, redirectUri }, PLACEHOLDERS, names)).toBe(
    'VITE_CLIENT_ID=app_1\nVITE_ISSUER=https://sesame.example\nVITE_REDIRECT_URI=https://a.example/',
  );
});
