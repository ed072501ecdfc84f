// The configuration that an application's page shows for Auth.js, given to @auth/core as it is copied.
import { pathToFileURL } from 'node:url';
import { parseEnv } from 'node:util';
import { Auth, type AuthConfig } from '@auth/core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { goThrough, signedInBrowser } from '../support/flow.ts';
import { codeOf } from '../support/markup.ts';
import { startTestService, type TestService, type TestUser } from '../support/service.ts';
import { envOf, type Folder, integratePageOf, openFolder } from './copied.ts';

const ORIGIN = 'https://carnet.example';

let service: TestService;
let person: TestUser;
let folder: Folder;
beforeAll(async () => {
  [service, folder] = await Promise.all([startTestService(), openFolder()]);
  person = await service.createUser({ name: 'Zoé Lefèvre' });
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await Promise.all([service.close(), folder.remove()]);
});

/** Copies the configuration of a new application and puts what the developer's framework would around it. */
async function configure(): Promise<AuthConfig> {
  const application = await service.createApplication({
    ownerId: person.userId,
    redirectUris: [`${ORIGIN}/elsewhere`, `${ORIGIN}/api/auth/callback/sesame`],
  });
  const page = await integratePageOf(service, person, application);
  const code = codeOf(page, 'auth-js-1');
  expect(code).not.toContain(application.clientSecret);
  for (const [name, value] of Object.entries(parseEnv(envOf(page, 'auth-js', application))))
    vi.stubEnv(name, value);
  const file = await folder.put(`${application.clientId}.mjs`, code);
  const { config } = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as { config: AuthConfig };
  return {
    ...config,
    basePath: '/api/auth',
    secret: 'a secret of the application itself, for tests only',
    trustHost: true,
    logger: { error: () => undefined, warn: () => undefined },
  };
}

/** A browser at an application that Auth.js answers for. */
function openApplication(config: AuthConfig) {
  const cookies = new Map<string, string>();
  return async (path: string | URL, form?: Record<string, string>): Promise<Response> => {
    const response = await Auth(
      new Request(new URL(path, ORIGIN), {
        ...(form && { method: 'POST', body: new URLSearchParams(form) }),
        headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      }),
      config,
    );
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    return response;
  };
}

/** Presses the button of Auth.js. @returns where it sends the browser */
async function begin(visit: ReturnType<typeof openApplication>): Promise<URL> {
  const { csrfToken } = (await (await visit('/api/auth/csrf')).json()) as { csrfToken: string };
  const response = await visit('/api/auth/signin/sesame', { csrfToken, callbackUrl: ORIGIN });
  return new URL(response.headers.get('location') ?? '');
}

describe('the configuration for Auth.js', () => {
  test('signs a person in with state and PKCE, and out', async () => {
    const visit = openApplication(await configure());
    const address = await begin(visit);
    expect(address.origin).toBe(service.baseUrl);
    expect(address.searchParams.get('state')).toMatch(/^.{32,}$/);
    expect(address.searchParams.get('code_challenge_method')).toBe('S256');
    const callback = await goThrough(await signedInBrowser(service, person), address);
    expect(callback.pathname).toBe('/api/auth/callback/sesame');
    const response = await visit(callback);
    expect(response.headers.get('location')).toBe(ORIGIN);
    const session = await (await visit('/api/auth/session')).json();
    expect(session).toMatchObject({ user: { name: 'Zoé Lefèvre', email: person.email } });
    expect((session as { user: { image: string } }).user.image, 'D20').toMatch(/^http.*\/avatars?\//);
    const { csrfToken } = (await (await visit('/api/auth/csrf')).json()) as { csrfToken: string };
    await visit('/api/auth/signout', { csrfToken, callbackUrl: ORIGIN });
    expect(await (await visit('/api/auth/session')).json(), 'signed out').toBeNull();
  });
});
