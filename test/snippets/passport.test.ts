// The strategies that an application's page shows for Passport, run as they are copied.
import { pathToFileURL } from 'node:url';
import { parseEnv } from 'node:util';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { SnippetId } from '../../src/pages/console/snippets/catalogue.ts';
import { openBrowserSession } from '../support/browser-session.ts';
import { goThrough, signedInBrowser } from '../support/flow.ts';
import { freePort, startTestService, type TestService, type TestUser } from '../support/service.ts';
import { codeOf, envOf, type Folder, integratePageOf, openFolder } from './copied.ts';
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

async function start(id: SnippetId, standard: boolean, scopes = ['openid', 'profile', 'email']) {
  const port = await freePort();
  const origin = `http://localhost:${port}`;
  const application = await service.createApplication({
    ownerId: person.userId,
    redirectUris: [`${origin}/retour?l=fr`],
    scopes,
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

describe.each([
  ['passport-oauth2', false],
  ['passport-oauth2', true],
  ['passport-openidconnect', false],
  ['passport-openidconnect', true],
] as const)('the strategy for %s, standard mode %s (D19)', (id, standard) => {
  test('signs a person in, and sends a state', async () => {
    const own = await start(id, standard);
    const { location: address } = await own.get('/login');
    expect(address?.searchParams.get('state')).toMatch(/^.{20,}$/);
    expect(address?.searchParams.get('scope')).toBe('openid profile email');
    expect(address?.searchParams.has(id === 'passport-oauth2' ? 'code_challenge' : 'nonce')).toBe(true);
    const callback = await goThrough(await signedInBrowser(service, person), address as URL);
    const answer = await own.get(callback);
    expect([answer.status, answer.location?.pathname], answer.body).toEqual([302, '/']);
    const profile = JSON.parse((await own.get('/')).body);
    expect(profile.sub ?? profile.id).toBe(person.userId);
    expect(profile.name ?? profile.displayName).toBe('Zoé Lefèvre');
    expect(profile.email ?? profile.emails[0].value).toBe(person.email);
  });

  test('refuses an answer with another state', async () => {
    const own = await start(id, standard);
    const { location: address } = await own.get('/login');
    const callback = await goThrough(await signedInBrowser(service, person), address as URL);
    callback.searchParams.set('state', 'forged');
    const answer = await own.get(callback);
    expect(answer.location?.pathname).toBe('/login');
    expect((await own.get('/')).body).toBe('null');
  });
});

describe('without openid', () => {
  test('passport-oauth2 still reads the profile', async () => {
    const own = await start('passport-oauth2', false, ['profile']);
    const { location: address } = await own.get('/login');
    await own.get(await goThrough(await signedInBrowser(service, person), address as URL));
    expect(JSON.parse((await own.get('/')).body)).toMatchObject({ name: 'Zoé Lefèvre' });
  });
});
