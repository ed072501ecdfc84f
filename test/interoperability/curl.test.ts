// Runs the console's unchanged curl script in bash.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BrowserSession } from '../support/browser-session.ts';
import { readCodeBlock } from '../support/markup.ts';
import { completeAuthorization, fetchUserinfo, openSignedInBrowser } from '../support/oauth-flow.ts';
import { startTestService, type TestClient, type TestService, type TestUser } from '../support/service.ts';
import { isInstalled } from '../support/source-files.ts';
import { waitUntil } from '../support/wait-until.ts';
import { createSnippetFolder, fetchIntegrationPages, type SnippetFolder } from './snippets.ts';

const programsInstalled = ['bash', 'curl', 'openssl'].map((program) =>
  isInstalled(program, 'the snippet for curl'),
);

let service: TestService;
let user: TestUser;
let folder: SnippetFolder;
let browser: BrowserSession;
beforeAll(async () => {
  [service, folder] = await Promise.all([startTestService(), createSnippetFolder()]);
  user = await service.createUser({ name: 'Zoé Lefèvre' });
  browser = await openSignedInBrowser(service, user);
});
afterAll(() => Promise.all([service.close(), folder.remove()]));

/**
 * Runs the script and completes the authorization.
 * @param toEnteredUrl maps the callback URL to the URL that the user enters
 */
async function runScript(application: TestClient, toEnteredUrl = (callback: URL) => callback) {
  const code = readCodeBlock(await fetchIntegrationPages(service, user, application), 'http-1');
  if (application.clientSecret !== '') expect(code).not.toContain(application.clientSecret);
  const file = await folder.write(`${application.clientId}.sh`, code);
  const child = spawn('bash', [file], {
    env: { PATH: process.env.PATH, CLIENT_SECRET: application.clientSecret },
    stdio: 'pipe',
  });
  const exited = once(child, 'exit');
  let output = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    errors += text;
  });
  const url = await waitUntil(
    () => `the URL to open; output of the script:\n${output}${errors}`,
    () => /^Open (\S+)$/m.exec(output)?.[1],
  );
  const callback = toEnteredUrl(await completeAuthorization(browser, new URL(url)));
  child.stdin.end(`${callback}\n`);
  const [status] = (await exited) as [number];
  const lines = output.split('\n').filter((line) => line.startsWith('{'));
  return { status, errors, url: new URL(url), responses: lines.map((line) => JSON.parse(line)) };
}

const CLIENT_TYPES = [
  ['confidential', `https://client.example/it's?a=$HOME&b=\`id\`;c="1"`],
  ['public', 'com.example.app:/callback'],
] as const;

describe.skipIf(programsInstalled.includes(false))('the script for curl', () => {
  test.each(CLIENT_TYPES)(
    'obtains, uses and revokes tokens for a %s client with the redirect URI %s',
    async (type, uri) => {
      const application = await service.createClient({
        ownerId: user.userId,
        type,
        redirectUris: [uri],
        scopes: ['openid', 'profile', 'email'],
      });
      const { status, errors, url, responses } = await runScript(application);
      expect([status, errors]).toEqual([0, '']);
      expect(url.search).toContain('scope=openid+profile+email');
      expect(url.searchParams.get('redirect_uri')).toBe(uri);
      expect(url.searchParams.get('code_challenge_method')).toBe('S256');
      const [tokens, profile, refreshed] = responses;
      expect(tokens).toMatchObject({ token_type: 'Bearer', scope: 'openid profile email' });
      expect(profile).toMatchObject({ sub: user.userId, name: 'Zoé Lefèvre', email: user.email });
      expect(refreshed.refresh_token).not.toBe(tokens.refresh_token);
      for (const { access_token } of [tokens, refreshed])
        expect((await fetchUserinfo(service, access_token)).status, 'revoked').toBe(401);
    },
  );
});
