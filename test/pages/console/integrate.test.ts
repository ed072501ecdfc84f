// GET /console/applications/:client_id/integrate: who sees it, and what it says of which application.
import { parseEnv } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { integratePageOf } from '../../interoperability/copied.ts';
import { type BrowserSession, openBrowserSession } from '../../support/browser-session.ts';
import { signedInBrowser } from '../../support/flow.ts';
import { codeOf, elementsOf } from '../../support/markup.ts';
import { type TestApplication, type TestUser, useTestService } from '../../support/service.ts';

const service = useTestService();
let owner: TestUser;
let browser: BrowserSession;
let application: TestApplication;
beforeAll(async () => {
  owner = await service.createUser();
  browser = await signedInBrowser(service, owner);
  application = await service.createApplication({
    ownerId: owner.userId,
    name: 'Notes & "Cie" <b>',
    redirectUris: ['https://notes.example/cb?a=1&b=2', 'https://notes.example/callback'],
    scopes: ['openid', 'profile', 'email', 'phone'],
  });
});

const addressOf = (clientId: string) => `/console/applications/${clientId}/integrate`;
const everyPageOf = (one: { clientId: string }) => integratePageOf(service, owner, one);
const pageOf = async ({ clientId }: { clientId: string }) => (await browser.get(addressOf(clientId))).body;

describe('what it says', () => {
  test('Client ID, issuer, discovery, every callback URL and scope; never a secret', async () => {
    const page = await everyPageOf(application);
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

  test('the button leads to the authorize address with + between scopes (contract §1)', async () => {
    const code = codeOf(await pageOf(application), 'button-html');
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
    expect((await openBrowserSession(service.baseUrl).get(href)).status, 'which the service takes').toBe(303);
  });

  test('a public application has a button for its script, no secret and no server', async () => {
    const open = await service.createApplication({
      ownerId: owner.userId,
      type: 'public',
      redirectUris: ['http://localhost:5000/'],
    });
    const page = await everyPageOf(open);
    expect(codeOf(page, 'button-html')).toMatch(
      /^<button type="button" class="service-signin-btn" lang="fr">/,
    );
    expect(page).not.toContain('CLIENT_SECRET');
    expect(page).not.toContain('id="auth-js"');
    expect(page).toContain('id="browser"');
  });

  test('what userinfo answers, by the mode', async () => {
    expect(await pageOf(application)).toContain(
      'sub, name, avatar, updated_at, email, email_verified, phone<',
    );
    const standard = await service.createApplication({ ownerId: owner.userId, standard: true });
    expect(await pageOf(standard)).toContain(
      'sub, name, picture, updated_at, preferred_username, email, email_verified, phone_number<',
    );
  });

  test('that userinfo refuses it without profile, unless in standard mode (D18)', async () => {
    const fields = { ownerId: owner.userId, scopes: ['openid', 'email'] };
    const refused = await service.createApplication(fields);
    const page = await pageOf(refused);
    expect(page).toContain('does not have the scope <code>profile</code>');
    expect(page).toContain(`href="/console/applications/${refused.clientId}/edit"`);
    const standard = await service.createApplication({ ...fields, standard: true });
    expect(await pageOf(standard)).not.toContain('does not have the scope <code>profile</code>');
    expect(await pageOf(application)).not.toContain('does not have the scope <code>profile</code>');
  });

  test('which scope a library lacks, and which callback URL it would need', async () => {
    const bare = await service.createApplication({ ownerId: owner.userId, scopes: ['profile'] });
    expect((await browser.get(`${addressOf(bare.clientId)}?library=auth-js`)).body).toContain(
      'This library needs the scope <code>openid</code>',
    );
    const others = await everyPageOf(application);
    expect(others).not.toContain('This library needs the scope');
    expect(others).toContain(
      `The example is filled in with https://notes.example/api/auth/callback/sesame: register it, or another of the same form. <a href="${addressOf(application.clientId).replace('integrate', 'edit')}">`,
    );
  });
});

describe('which language it shows', () => {
  const shown = async (query: string) => {
    const { status, body } = await browser.get(`${addressOf(application.clientId)}${query}`);
    expect(status, query).toBe(200);
    const current = elementsOf(body).filter(
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
  ])('%s: one library alone, and its tab says so', async (query, id, tabs) => {
    const { snippets, current } = await shown(query);
    expect([snippets, current]).toEqual([[id], tabs]);
  });

  test('a file .env for what the code reads, with the end of the secret that belongs there', async () => {
    const { body } = await shown('?library=authlib');
    const env = codeOf(body, 'env');
    expect(parseEnv(env)).toEqual({
      CLIENT_SECRET: '',
      SESSION_SECRET: '',
      CLIENT_ID: application.clientId,
      ISSUER: service.baseUrl,
      REDIRECT_URI: 'https://notes.example/callback',
      SCOPE: 'openid profile email phone',
    });
    expect(codeOf(body, 'run')).toBe('python3 -m dotenv run -- python3 app.py');
    const { body: go } = await shown('?library=go-oidc');
    expect(parseEnv(codeOf(go, 'env')), 'what the code of this library reads').toEqual({ CLIENT_SECRET: '' });
    expect(codeOf(go, 'run')).toBe('set -a; . ./.env; set +a\ngo run .');
    expect(env).toContain(`# the Client Secret that ends in ${application.clientSecret.slice(-4)}\n`);
    const open = await service.createApplication({ ownerId: owner.userId, type: 'public' });
    expect(await everyPageOf(open), 'which has no secret').not.toContain('id="env"');
  });
});
