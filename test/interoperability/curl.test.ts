// The requests that an application's page shows step by step, run by bash with curl as they are copied.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BrowserSession } from '../support/browser-session.ts';
import { goThrough, signedInBrowser, userinfo } from '../support/flow.ts';
import { codeOf } from '../support/markup.ts';
import {
  startTestService,
  type TestApplication,
  type TestService,
  type TestUser,
} from '../support/service.ts';
import { isInstalled } from '../support/sources.ts';
import { until } from '../support/until.ts';
import { type Folder, integratePageOf, openFolder } from './copied.ts';

const needed = ['bash', 'curl', 'openssl'].map((program) => isInstalled(program, 'the snippet for curl'));

let service: TestService;
let person: TestUser;
let folder: Folder;
let browser: BrowserSession;
beforeAll(async () => {
  [service, folder] = await Promise.all([startTestService(), openFolder()]);
  person = await service.createUser({ name: 'Zoé Lefèvre' });
  browser = await signedInBrowser(service, person);
});
afterAll(() => Promise.all([service.close(), folder.remove()]));

/** Copies the script, runs it, goes where it says; `change` may put another answer in place of the callback's address. */
async function run(application: TestApplication, change = (callback: URL) => callback) {
  const code = codeOf(await integratePageOf(service, person, application), 'http-1');
  if (application.clientSecret !== '') expect(code).not.toContain(application.clientSecret);
  const file = await folder.put(`${application.clientId}.sh`, code);
  const child = spawn('bash', [file], {
    env: { PATH: process.env.PATH, CLIENT_SECRET: application.clientSecret },
    stdio: 'pipe',
  });
  const ended = once(child, 'exit');
  let output = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    errors += text;
  });
  const address = await until(
    () => `the address to open; the script said:\n${output}${errors}`,
    () => /^Open (\S+)$/m.exec(output)?.[1],
  );
  const callback = change(await goThrough(browser, new URL(address)));
  child.stdin.end(`${callback}\n`);
  const [status] = (await ended) as [number];
  const lines = output.split('\n').filter((line) => line.startsWith('{'));
  return { status, errors, address: new URL(address), answers: lines.map((line) => JSON.parse(line)) };
}

const TYPES = [
  ['confidential', `https://client.example/it's?a=$HOME&b=\`id\`;c="1"`],
  ['public', 'com.example.app:/callback'],
] as const;

describe.skipIf(needed.includes(false))('the script for curl', () => {
  test.each(TYPES)('of a %s application at %s: sign-in, profile, renewal, revocation', async (type, uri) => {
    const application = await service.createApplication({
      ownerId: person.userId,
      type,
      redirectUris: [uri],
      scopes: ['openid', 'profile', 'email'],
    });
    const { status, errors, address, answers } = await run(application);
    expect([status, errors]).toEqual([0, '']);
    expect(address.search).toContain('scope=openid+profile+email');
    expect(address.searchParams.get('redirect_uri')).toBe(uri);
    expect(address.searchParams.get('code_challenge_method')).toBe('S256');
    const [tokens, profile, renewed] = answers;
    expect(tokens).toMatchObject({ token_type: 'Bearer', scope: 'openid profile email' });
    expect(profile).toMatchObject({ sub: person.userId, name: 'Zoé Lefèvre', email: person.email });
    expect(renewed.refresh_token).not.toBe(tokens.refresh_token);
    for (const { access_token } of [tokens, renewed])
      expect((await userinfo(service, access_token)).status, 'revoked').toBe(401);
  });
});
