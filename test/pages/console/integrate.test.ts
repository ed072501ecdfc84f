import { parseEnv } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { CLIENT_TEMPLATES } from '../../../src/pages/console/snippets/templates.ts';
import { fetchIntegrationPages } from '../../interoperability/snippets.ts';
import { type BrowserSession, openBrowserSession } from '../../support/browser-session.ts';
import { parseElements, readCodeBlock } from '../../support/markup.ts';
import { openSignedInBrowser } from '../../support/oauth-flow.ts';
import { type TestClient, type TestUser, useTestService } from '../../support/service.ts';

const service = useTestService();
let owner: TestUser;
let browser: BrowserSession;
let application: TestClient;
beforeAll(async () => {
  owner = await service.createUser();
  browser = await openSignedInBrowser(service, owner);
  application = await service.createClient({
    ownerId: owner.userId,
    name: 'Notes & "Cie" <b>',
    redirectUris: ['https://notes.example/cb?a=1&b=2', 'https://notes.example/callback'],
    scopes: ['openid', 'profile', 'email', 'phone'],
  });
});

const buildPath = (clientId: string) => `/console/applications/${clientId}/integrate`;
const loadAllPages = (client: { clientId: string }) => fetchIntegrationPages(service, owner, client);
const loadPage = async ({ clientId }: { clientId: string }, query = '') =>
  (await browser.get(`${buildPath(clientId)}${query}`)).body;

describe('the integration page', () => {
  test('shows the client’s settings but never a secret', async () => {
    const page = await loadAllPages(application);
    for (const text of [
      application.clientId,
      service.baseUrl,
      `${service.baseUrl}/.well-known/openid-configuration`,
      'https://notes.example/cb?a=1&amp;b=2',
      'https://notes.example/callback',
      'openid profile email phone',
      'Notes &amp; &quot;Cie&quot; &lt;b&gt;',
    ])
      expect(page).toContain(text);
    expect(page).not.toContain(application.clientSecret);
    expect(page).not.toContain('sesame_secret_');
  });

  test('links the button to the authorization endpoint', async () => {
    const code = readCodeBlock(await loadPage(application, '?tab=button'), 'button-html');
    const href = /href="([^"]*)"/.exec(code)?.[1]?.replaceAll('&amp;', '&') ?? '';
    expect(href).toContain('scope=openid+profile+email+phone');
    const { origin, pathname, searchParams } = new URL(href);
    expect(origin + pathname).toBe(`${service.baseUrl}/oauth/authorize`);
    expect(Object.fromEntries(searchParams)).toEqual({
      client_id: application.clientId,
      redirect_uri: 'https://notes.example/cb?a=1&b=2',
      response_type: 'code',
      scope: 'openid profile email phone',
      state: 'STATE',
    });
    expect(code).toContain('>Se connecter avec Sésame</a>');
    expect(
      (await openBrowserSession(service.baseUrl).get(href)).status,
      "the service accepts the button's URL",
    ).toBe(303);
  });

  test('shows no server-side code for a public client', async () => {
    const publicClient = await service.createClient({
      ownerId: owner.userId,
      type: 'public',
      redirectUris: ['http://localhost:5000/'],
    });
    const page = await loadAllPages(publicClient);
    expect(readCodeBlock(page, 'button-html')).toMatch(
      /^<button type="button" class="service-signin-btn" lang="fr">/,
    );
    expect(page).not.toContain('CLIENT_SECRET');
    expect(page).not.toContain('id="auth-js"');
    expect(page).toContain('id="oidc-client-ts"');
  });

  test('shows the claims that userinfo returns', async () => {
    expect(await loadPage(application, '?tab=reference')).toContain(
      'sub, name, avatar, updated_at, email, email_verified, phone<',
    );
    const standardClient = await service.createClient({ ownerId: owner.userId, standard: true });
    expect(await loadPage(standardClient, '?tab=reference')).toContain(
      'sub, name, picture, updated_at, preferred_username, email, email_verified, phone_number<',
    );
  });

  test('warns if the application lacks the profile scope', async () => {
    const fields = { ownerId: owner.userId, scopes: ['openid', 'email'] };
    const nativeClient = await service.createClient(fields);
    const page = await loadPage(nativeClient);
    expect(page).toContain('does not have the scope <code>profile</code>');
    expect(page).toContain(`href="/console/applications/${nativeClient.clientId}/edit"`);
    const standardClient = await service.createClient({ ...fields, standard: true });
    expect(await loadPage(standardClient)).not.toContain('does not have the scope <code>profile</code>');
    expect(await loadPage(application)).not.toContain('does not have the scope <code>profile</code>');
  });

  test('warns if the application lacks a scope that the library needs', async () => {
    const incompleteClient = await service.createClient({ ownerId: owner.userId, scopes: ['profile'] });
    expect((await browser.get(`${buildPath(incompleteClient.clientId)}?library=auth-js`)).body).toContain(
      'This library needs the scope <code>openid</code>',
    );
    const allPages = await loadAllPages(application);
    expect(allPages).not.toContain('This library needs the scope');
    expect(allPages.replaceAll('<wbr>', '')).toContain(
      `The example uses https://notes.example/api/auth/callback/sesame: register it, or a similar URL. <a href="${buildPath(application.clientId).replace('integrate', 'edit')}">`,
    );
  });
});

describe("an application's integration page", () => {
  test('opens with a library that supports a registered redirect URI', async () => {
    const mobileClient = await service.createClient({
      ownerId: owner.userId,
      type: 'public',
      redirectUris: ['com.example.notes:/callback'],
    });
    const page = await loadPage(mobileClient);
    expect(page).toContain('id="appauth-ios"');
    expect(page).not.toContain('callback URLs is suitable');
  });

  test.each(['code', 'button', 'reference'])('shows only the content of the %s tab', async (tab) => {
    const page = await loadPage(application, `?tab=${tab}`);
    const url = buildPath(application.clientId);
    const current = parseElements(page).find(
      ({ attributes }) => attributes['aria-current'] === 'true' && attributes.href?.startsWith(url),
    );
    expect(current?.attributes.href).toBe(tab === 'code' ? url : `${url}?tab=${tab}`);
    const ids = { code: 'openid-client', button: 'button-html', reference: 'issuer' };
    const shown = Object.entries(ids).filter(([, id]) => page.includes(`id="${id}"`));
    expect(shown.map(([name]) => name)).toEqual([tab]);
  });

  test('collapses long code, even without JavaScript', async () => {
    const page = await loadPage(application, '?library=openid-client');
    const [, rest = ''] = page.split('<span class="code-rest">');
    expect(rest).toContain('createServer');
    expect(rest).toContain('<details class="code-more"><summary>');
    expect(rest).toContain('Show all 64 lines');
    expect(readCodeBlock(page, 'openid-client-1').split('\n')).toHaveLength(64);
  });
});

test.each(CLIENT_TEMPLATES.filter(({ install }) => install !== undefined))(
  'the sample code for $id does not repeat the commands shown above it',
  ({ install = '', run = '', files }) => {
    const texts = files.map(({ template }) => template).join('\n');
    expect(texts).not.toContain(install);
    expect(
      run === '' ? [] : texts.split('\n').filter((line) => /^\W+/.test(line) && line.includes(run)),
    ).toEqual([]);
  },
);

describe('the code tab of the integration page', () => {
  const loadSelection = async (query: string) => {
    const { status, body } = await browser.get(`${buildPath(application.clientId)}${query}`);
    expect(status, query).toBe(200);
    const current = parseElements(body).filter(
      ({ attributes }) =>
        attributes['aria-current'] === 'true' &&
        /[?]language=(?!.*&lang=)/.test(attributes.href?.replaceAll('&amp;', '&') ?? ''),
    );
    return {
      snippets: [...body.matchAll(/<section class="snippet" id="([\w-]+)"/g)].map(([, id]) => id),
      current: current.map(({ attributes }) => attributes.href?.split('?')[1]?.replaceAll('&amp;', '&')),
      body,
    };
  };

  test.each([
    ['', 'openid-client', ['language=node', 'language=node&library=openid-client']],
    ['?language=python', 'authlib', ['language=python', 'language=python&library=authlib']],
    ['?language=go', 'go-oidc', ['language=go']],
    ['?language=node&library=auth-js', 'auth-js', ['language=node', 'language=node&library=auth-js']],
    ['?language=cobol', 'openid-client', ['language=node', 'language=node&library=openid-client']],
    ['?library=%22%3E%3Cb%3E&language=ruby', 'omniauth', ['language=ruby']],
  ])('shows the library selected by the query "%s"', async (query, id, tabs) => {
    const { snippets, current } = await loadSelection(query);
    expect([snippets, current]).toEqual([[id], tabs]);
  });

  test('includes a .env file for the sample code', async () => {
    const { body } = await loadSelection('?library=authlib');
    const env = readCodeBlock(body, 'env');
    expect(parseEnv(env)).toEqual({
      CLIENT_SECRET: '',
      SESSION_SECRET: '',
      CLIENT_ID: application.clientId,
      ISSUER: service.baseUrl,
      REDIRECT_URI: 'https://notes.example/callback',
      SCOPE: 'openid profile email phone',
    });
    expect(readCodeBlock(body, 'run')).toBe('python3 -m dotenv run -- python3 app.py');
    const { body: go } = await loadSelection('?library=go-oidc');
    expect(parseEnv(readCodeBlock(go, 'env')), "the library's code reads only this variable").toEqual({
      CLIENT_SECRET: '',
    });
    expect(readCodeBlock(go, 'run')).toBe('set -a; . ./.env; set +a\ngo run .');
    const apache = await loadPage(application, '?library=mod-auth-openidc');
    expect(readCodeBlock(apache, 'env')).toMatch(/^export CLIENT_SECRET=$/m);
    expect(env).toContain(`# the Client Secret that ends in ${application.clientSecret.slice(-4)}\n`);
    const publicClient = await service.createClient({ ownerId: owner.userId, type: 'public' });
    const page = await loadPage(publicClient);
    expect(parseEnv(readCodeBlock(page, 'env')), 'a public application has no secret').toEqual({
      VITE_CLIENT_ID: publicClient.clientId,
      VITE_ISSUER: service.baseUrl,
      VITE_REDIRECT_URI: 'https://client.example/callback',
      VITE_SCOPE: 'openid profile email phone',
    });
    expect(await loadAllPages(publicClient)).not.toContain('CLIENT_SECRET');
  });
});
