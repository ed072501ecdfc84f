import { pathToFileURL } from 'node:url';
import { parseEnv } from 'node:util';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { SnippetId } from '../../src/pages/console/snippets/templates.ts';
import { openBrowserSession } from '../support/browser-session.ts';
import { goThrough, signedInBrowser } from '../support/flow.ts';
import { codeOf } from '../support/markup.ts';
import { freePort, startTestService, type TestService, type TestUser } from '../support/service.ts';
import { envOf, type Folder, integratePageOf, openFolder } from './copied.ts';
import { type AddSignIn, startExpressLike } from './express-like.ts';

let service: TestService;
let person: TestUser;
let folder: Folder;
const stops: (() => Promise<void>)[] = [];
beforeAll(async () => {
  [service, folder] = await Promise.all([startTestService(), openFolder()]);
  person = await service.createUser({ name: 'Zoé Lefèvre' });
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await Promise.all([...stops.map((stop) => stop()), service.close(), folder.remove()]);
});

async function start(id: SnippetId, standard: boolean) {
  const port = await freePort();
  const origin = `http://localhost:${port}`;
  const application = await service.createApplication({
    ownerId: person.userId,
    redirectUris: [`${origin}/retour?l=fr`],
    scopes: ['openid', 'profile', 'email'],
    standard,
  });
  const page = await integratePageOf(service, person, application);
  const code = codeOf(page, `${id}-1`);
  expect(code).not.toContain(application.clientSecret);
  for (const [name, value] of Object.entries(parseEnv(envOf(page, id, application)))) vi.stubEnv(name, value);
  const file = await folder.put(`${application.clientId}.mjs`, code);
  const { addSignIn } = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as {
    addSignIn: AddSignIn;
  };
  stops.push(await startExpressLike(port, addSignIn));
  return openBrowserSession(origin);
}

test.each([
  ['passport-oauth2', false],
  ['passport-openidconnect', true],
] as const)(
  'the strategy to copy for %s signs a person in and refuses another state, standard mode %s',
  async (id, standard) => {
    const own = await start(id, standard);
    const browser = await signedInBrowser(service, person);
    const { location: began } = await own.get('/login');
    const forged = await goThrough(browser, began as URL);
    forged.searchParams.set('state', 'forged');
    expect((await own.get(forged)).location?.pathname).toBe('/login');
    expect((await own.get('/')).body).toBe('null');

    const { location: address } = await own.get('/login');
    expect(address?.searchParams.get('state')).toMatch(/^.{20,}$/);
    expect(address?.searchParams.get('scope')).toBe('openid profile email');
    expect(address?.searchParams.has(id === 'passport-oauth2' ? 'code_challenge' : 'nonce')).toBe(true);
    const answer = await own.get(await goThrough(browser, address as URL));
    expect([answer.status, answer.location?.pathname], answer.body).toEqual([302, '/']);
    const profile = JSON.parse((await own.get('/')).body);
    expect(profile.sub ?? profile.id).toBe(person.userId);
    expect(profile.name ?? profile.displayName).toBe('Zoé Lefèvre');
    expect(profile.email ?? profile.emails[0].value).toBe(person.email);
  },
);
