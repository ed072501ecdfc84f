// Runs the console's unchanged Auth.js configuration with @auth/core.
import { pathToFileURL } from 'node:url';
import { parseEnv } from 'node:util';
import { Auth, type AuthConfig } from '@auth/core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { readCodeBlock } from '../support/markup.ts';
import { completeAuthorization, openSignedInBrowser } from '../support/oauth-flow.ts';
import { startTestService, type TestService, type TestUser } from '../support/service.ts';
import { createSnippetFolder, fetchIntegrationPages, readEnvFile, type SnippetFolder } from './snippets.ts';

const ORIGIN = 'https://carnet.example';

let service: TestService;
let user: TestUser;
let folder: SnippetFolder;
beforeAll(async () => {
  [service, folder] = await Promise.all([startTestService(), createSnippetFolder()]);
  user = await service.createUser({ name: 'Zoé Lefèvre' });
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await Promise.all([service.close(), folder.remove()]);
});

/**
 * Loads the snippet's Auth.js configuration for a new client and adds the settings that a framework would
 * add.
 */
async function configure(): Promise<AuthConfig> {
  const application = await service.createClient({
    ownerId: user.userId,
    redirectUris: [`${ORIGIN}/elsewhere`, `${ORIGIN}/api/auth/callback/sesame`],
  });
  const page = await fetchIntegrationPages(service, user, application);
  const code = readCodeBlock(page, 'auth-js-1');
  expect(code).not.toContain(application.clientSecret);
  for (const [name, value] of Object.entries(parseEnv(readEnvFile(page, 'auth-js', application))))
    vi.stubEnv(name, value);
  const file = await folder.write(`${application.clientId}.mjs`, code);
  const { config } = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as { config: AuthConfig };
  return {
    ...config,
    basePath: '/api/auth',
    secret: 'session secret of the application, for tests only',
    trustHost: true,
    logger: { error: () => undefined, warn: () => undefined },
  };
}

/**
 * Simulates a browser that uses an Auth.js application. Returns a function that sends requests with the
 * browser's cookies.
 */
function createBrowser(config: AuthConfig) {
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

async function startSignIn(browse: ReturnType<typeof createBrowser>): Promise<URL> {
  const { csrfToken } = (await (await browse('/api/auth/csrf')).json()) as { csrfToken: string };
  const response = await browse('/api/auth/signin/sesame', { csrfToken, callbackUrl: ORIGIN });
  return new URL(response.headers.get('location') ?? '');
}

describe('an app with the Auth.js configuration', () => {
  test('signs a user in and out', async () => {
    const browse = createBrowser(await configure());
    const url = await startSignIn(browse);
    expect(url.origin).toBe(service.baseUrl);
    expect(url.searchParams.get('state')).toMatch(/^.{32,}$/);
    expect(url.searchParams.get('code_challenge_method')).toBe('S256');
    const callback = await completeAuthorization(await openSignedInBrowser(service, user), url);
    expect(callback.pathname).toBe('/api/auth/callback/sesame');
    const response = await browse(callback);
    expect(response.headers.get('location')).toBe(ORIGIN);
    const session = await (await browse('/api/auth/session')).json();
    expect(session).toMatchObject({ user: { name: 'Zoé Lefèvre', email: user.email } });
    expect((session as { user: { image: string } }).user.image, 'the claim picture').toMatch(
      /^http.*\/avatars?\//,
    );
    const { csrfToken } = (await (await browse('/api/auth/csrf')).json()) as { csrfToken: string };
    await browse('/api/auth/signout', { csrfToken, callbackUrl: ORIGIN });
    expect(await (await browse('/api/auth/session')).json(), 'signed out').toBeNull();
  });
});
