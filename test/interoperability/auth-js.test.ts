// The configuration that an application's page shows for Auth.js, given to @auth/core as it is copied.
import { pathToFileURL } from 'node:url';
import { parseEnv } from 'node:util';
import { Auth, type AuthConfig } from '@auth/core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { goThrough, postForm, signedInBrowser, userinfo } from '../support/flow.ts';
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
async function configure(standard: boolean, callback = '/api/auth/callback/sesame'): Promise<AuthConfig> {
  const application = await service.createApplication({
    ownerId: person.userId,
    redirectUris: [`${ORIGIN}/elsewhere`, `${ORIGIN}${callback}`],
    standard,
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
    basePath: callback.replace(/\/callback\/.*/, ''),
    secret: 'a secret of the application itself, for tests only',
    trustHost: true,
    logger: { error: () => undefined, warn: () => undefined },
  };
}

/**
 * What an application adds to renew, which Auth.js leaves to it (https://authjs.dev/guides/refresh-token-rotation): the
 * tokens are kept in its session, and new ones are asked for when they have expired.
 */
function renewing({ providers: [provider] }: AuthConfig): NonNullable<AuthConfig['callbacks']> {
  const { clientId, clientSecret } = provider as { clientId: string; clientSecret: string };
  const now = () => service.clock.now().getTime() / 1000;
  const keep = (token: object, { access_token, refresh_token, expires_in }: Record<string, unknown>) => ({
    ...token,
    access_token,
    refresh_token,
    expires_at: now() + Number(expires_in),
  });
  return {
    jwt: async ({ token, account }) => {
      if (account) return keep(token, account);
      if (now() < Number(token.expires_at)) return token;
      const { body } = await postForm(service, '/oauth/token', {
        grant_type: 'refresh_token',
        refresh_token: String(token.refresh_token),
        client_id: clientId,
        client_secret: clientSecret,
      });
      return keep(token, body);
    },
    session: ({ session, token }) => ({ ...session, accessToken: token.access_token }),
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
async function begin(visit: ReturnType<typeof openApplication>, base: string, id: string): Promise<URL> {
  const { csrfToken } = (await (await visit(`${base}/csrf`)).json()) as { csrfToken: string };
  const response = await visit(`${base}/signin/${id}`, { csrfToken, callbackUrl: ORIGIN });
  return new URL(response.headers.get('location') ?? '');
}

describe('the configuration for Auth.js', () => {
  test.each([
    ['contract', false],
    ['standard', true],
  ])('signs a person in with state and PKCE, %s mode', async (_, standard) => {
    const visit = openApplication(await configure(standard));
    const address = await begin(visit, '/api/auth', 'sesame');
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

  test('with idToken: true finds the person in the id_token alone, standard mode', async () => {
    const config = await configure(true);
    const [provider] = config.providers as [object];
    const visit = openApplication({
      ...config,
      providers: [{ ...provider, idToken: true } as AuthConfig['providers'][number]],
    });
    const address = await begin(visit, '/api/auth', 'sesame');
    await visit(await goThrough(await signedInBrowser(service, person), address));
    expect(await (await visit('/api/auth/session')).json()).toMatchObject({
      user: { name: 'Zoé Lefèvre', email: person.email, image: expect.stringMatching(/^http.*\/avatars?\//) },
    });
  });

  test('takes the name of its provider from the callback URL that is registered', async () => {
    const visit = openApplication(await configure(false, '/auth/callback/notre-service'));
    const address = await begin(visit, '/auth', 'notre-service');
    expect(address.searchParams.get('redirect_uri')).toBe(`${ORIGIN}/auth/callback/notre-service`);
    const callback = await goThrough(await signedInBrowser(service, person), address);
    expect(callback.searchParams.get('code')).toBeTruthy();
  });

  test('refuses an answer with another state', async () => {
    const visit = openApplication(await configure(false));
    const callback = await goThrough(
      await signedInBrowser(service, person),
      await begin(visit, '/api/auth', 'sesame'),
    );
    callback.searchParams.set('state', 'forged');
    const response = await visit(callback);
    expect(response.headers.get('location')).toContain('error=');
    expect(await (await visit('/api/auth/session')).json()).toBeNull();
  });

  test('brings what the jwt callback renews with', async () => {
    const config = await configure(false);
    const visit = openApplication({ ...config, callbacks: renewing(config) });
    await visit(
      await goThrough(await signedInBrowser(service, person), await begin(visit, '/api/auth', 'sesame')),
    );
    const accessToken = async () => {
      const session = (await (await visit('/api/auth/session')).json()) as { accessToken: string };
      return session.accessToken;
    };
    let token = await accessToken();
    expect((await userinfo(service, token)).body.sub).toBe(person.userId);
    // Again, because only the refresh token that the first renewal brought is still good then.
    for (const time of ['first', 'second']) {
      service.clock.advance(3600);
      expect((await userinfo(service, token)).status, time).toBe(401);
      const renewed = await accessToken();
      expect(renewed, time).not.toBe(token);
      expect((await userinfo(service, renewed)).body.sub, time).toBe(person.userId);
      token = renewed;
    }
  });
});
