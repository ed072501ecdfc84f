// Runs the unchanged Passport snippets.
import { pathToFileURL } from 'node:url';
import { parseEnv } from 'node:util';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { SnippetId } from '../../src/pages/console/snippets/templates.ts';
import { openBrowserSession } from '../support/browser-session.ts';
import { readCodeBlock } from '../support/markup.ts';
import { completeAuthorization, openSignedInBrowser } from '../support/oauth-flow.ts';
import { findFreePort, startTestService, type TestService, type TestUser } from '../support/service.ts';
import { type AddSignIn, startExpressStub } from './express-stub.ts';
import { createSnippetFolder, fetchIntegrationPages, readEnvFile, type SnippetFolder } from './snippets.ts';

let service: TestService;
let user: TestUser;
let folder: SnippetFolder;
const stopFunctions: (() => Promise<void>)[] = [];
beforeAll(async () => {
  [service, folder] = await Promise.all([startTestService(), createSnippetFolder()]);
  user = await service.createUser({ name: 'Zoé Lefèvre' });
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await Promise.all([...stopFunctions.map((stop) => stop()), service.close(), folder.remove()]);
});

async function startClient(id: SnippetId, standard: boolean) {
  const port = await findFreePort();
  const origin = `http://localhost:${port}`;
  const application = await service.createClient({
    ownerId: user.userId,
    redirectUris: [`${origin}/retour?l=fr`],
    scopes: ['openid', 'profile', 'email'],
    standard,
  });
  const page = await fetchIntegrationPages(service, user, application);
  const code = readCodeBlock(page, `${id}-1`);
  expect(code).not.toContain(application.clientSecret);
  for (const [name, value] of Object.entries(parseEnv(readEnvFile(page, id, application))))
    vi.stubEnv(name, value);
  const file = await folder.write(`${application.clientId}.mjs`, code);
  const { addSignIn } = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as {
    addSignIn: AddSignIn;
  };
  stopFunctions.push(await startExpressStub(port, addSignIn));
  return openBrowserSession(origin);
}

test.each([
  ['passport-oauth2', false],
  ['passport-openidconnect', true],
] as const)('the Passport strategy for %s signs a user in (standard mode: %s)', async (id, standard) => {
  const clientBrowser = await startClient(id, standard);
  const browser = await openSignedInBrowser(service, user);
  const { location: firstUrl } = await clientBrowser.get('/login');
  const forgedCallback = await completeAuthorization(browser, firstUrl as URL);
  forgedCallback.searchParams.set('state', 'forged');
  expect((await clientBrowser.get(forgedCallback)).location?.pathname).toBe('/login');
  expect((await clientBrowser.get('/')).body).toBe('null');

  const { location: url } = await clientBrowser.get('/login');
  expect(url?.searchParams.get('state')).toMatch(/^.{20,}$/);
  expect(url?.searchParams.get('scope')).toBe('openid profile email');
  expect(url?.searchParams.has(id === 'passport-oauth2' ? 'code_challenge' : 'nonce')).toBe(true);
  const response = await clientBrowser.get(await completeAuthorization(browser, url as URL));
  expect([response.status, response.location?.pathname], response.body).toEqual([302, '/']);
  const profile = JSON.parse((await clientBrowser.get('/')).body);
  expect(profile.sub ?? profile.id).toBe(user.userId);
  expect(profile.name ?? profile.displayName).toBe('Zoé Lefèvre');
  expect(profile.email ?? profile.emails[0].value).toBe(user.email);
});
