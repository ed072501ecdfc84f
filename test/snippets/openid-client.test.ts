// The server that an application's page shows for openid-client, run as it is copied.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowserSession } from '../support/browser-session.ts';
import { goThrough, signedInBrowser } from '../support/flow.ts';
import {
  freePort,
  startTestService,
  type TestApplication,
  type TestService,
  type TestUser,
} from '../support/service.ts';
import { until } from '../support/until.ts';
import { codeOf, envOf, type Folder, integratePageOf, openFolder } from './copied.ts';

let service: TestService;
let person: TestUser;
let folder: Folder;
const running: ChildProcess[] = [];
beforeAll(async () => {
  [service, folder] = await Promise.all([startTestService(), openFolder()]);
  person = await service.createUser({ name: 'Zoé Lefèvre' });
});
afterAll(async () => {
  for (const child of running) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  await Promise.all([service.close(), folder.remove()]);
});

/** Copies the server and its .env, starts it as the page says, waits until it listens. */
async function start(fields: { standard?: boolean; scopes?: string[] } = {}, secret?: string) {
  const port = await freePort();
  const origin = `http://localhost:${port}`;
  const application: TestApplication = await service.createApplication({
    ownerId: person.userId,
    redirectUris: [`${origin}/callback?registered=1`, `${origin}/callback`],
    ...fields,
  });
  const page = await integratePageOf(service, person, application);
  const code = codeOf(page, 'openid-client-1');
  const given = { clientSecret: secret ?? application.clientSecret };
  expect(code).not.toContain(application.clientSecret);
  const file = await folder.put(`server-${port}.mjs`, code);
  const env = await folder.put(`server-${port}.env`, envOf(page, 'openid-client', given));
  expect(codeOf(page, 'run')).toBe('node --env-file=.env server.mjs');
  const child = spawn(process.execPath, [`--env-file=${env}`, file], {
    cwd: folder.path,
    env: { PATH: process.env.PATH },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  running.push(child);
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said += text;
  });
  await until(
    () => `the copied server to listen; it said:\n${said}`,
    () =>
      fetch(`${origin}/`).then(
        () => true,
        () => false,
      ),
  );
  return { origin, application, said: () => said };
}

describe('the server for openid-client', () => {
  test.each([
    ['contract', false, 'avatar'],
    ['standard', true, 'picture'],
  ])('signs a person in with state, nonce and PKCE, %s mode (D19)', async (_, standard, picture) => {
    const { origin } = await start({ standard });
    const own = openBrowserSession(origin);
    const { location: address } = await own.get('/login');
    expect(address?.searchParams.get('state')).toMatch(/^.{43}$/);
    expect(address?.searchParams.get('nonce')).toMatch(/^.{43}$/);
    expect(address?.searchParams.get('code_challenge_method')).toBe('S256');
    const callback = await goThrough(await signedInBrowser(service, person), address as URL);
    expect(`${callback.origin}${callback.pathname}`).toBe(`${origin}/callback`);
    const answer = await own.get(callback);
    expect(answer.status, answer.body).toBe(200);
    expect(JSON.parse(answer.body)).toMatchObject({ sub: person.userId, name: 'Zoé Lefèvre' });
    expect(JSON.parse(answer.body)).toHaveProperty(picture);
  });

  test('refuses an answer with another state, and one that this browser did not begin', async () => {
    const { origin, said } = await start();
    const own = openBrowserSession(origin);
    const { location: address } = await own.get('/login');
    const callback = await goThrough(await signedInBrowser(service, person), address as URL);
    expect((await openBrowserSession(origin).get(callback)).status, 'another browser').toBe(400);
    const stripped = new URL(callback);
    stripped.searchParams.delete('state');
    expect((await openBrowserSession(origin).get(stripped)).status, 'no state, no cookie').toBe(400);
    const forged = new URL(callback);
    forged.searchParams.set('state', 'forged');
    expect((await own.get(forged)).status, 'another state').toBe(400);
    expect(said()).toContain('OAUTH_INVALID_RESPONSE');
    expect((await own.get(callback)).status, 'none of which used the code up').toBe(200);
  });

  test('refuses an id_token without the nonce that it sent', async () => {
    const { origin } = await start();
    const own = openBrowserSession(origin);
    const address = (await own.get('/login')).location as URL;
    address.searchParams.delete('nonce');
    const callback = await goThrough(await signedInBrowser(service, person), address);
    expect((await own.get(callback)).status).toBe(400);
  });

  test('says so when the service refuses, and goes on', async () => {
    const { origin, said } = await start({}, 'not-the-secret');
    const own = openBrowserSession(origin);
    const { location: address } = await own.get('/login');
    const callback = await goThrough(await signedInBrowser(service, person), address as URL);
    const answer = await own.get(callback);
    expect([answer.status, answer.body]).toEqual([400, 'Sign-in failed. Try again.']);
    await until('the reason on standard error', () => said().includes('OAUTH_'));
    expect((await own.get('/login')).status).toBe(303);
  });
});
