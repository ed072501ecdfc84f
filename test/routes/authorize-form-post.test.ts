import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, test } from 'vitest';
import { openBrowser, openTab } from '../support/browser.ts';
import type { Visit } from '../support/browser-session.ts';
import { findMarkupErrors, parseElements } from '../support/markup.ts';
import { buildAuthorizeUrl, openSignedInBrowser, redeemCode, submitDecision } from '../support/oauth-flow.ts';
import { startTestService } from '../support/service.ts';

const chromium = await openBrowser();
const received: { method: string; query: string; form: URLSearchParams; origin: string | undefined }[] = [];

const service = await startTestService();
const clientServer = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  const { method = '', url = '', headers } = request;
  if (!url.startsWith('/favicon'))
    received.push({
      method,
      query: url.split('?')[1] ?? '',
      form: new URLSearchParams(body),
      origin: headers.origin,
    });
  response.end('<title>client</title>arrived');
});
await new Promise<void>((resolve) => clientServer.listen(0, '127.0.0.1', resolve));
const { port } = clientServer.address() as AddressInfo;
const client = await service.createClient({ redirectUris: [`http://127.0.0.1:${port}/cb?own=1`] });
const user = await service.createUser();
const browser = await openSignedInBrowser(service, user);
afterAll(async () => {
  await chromium?.close();
  clientServer.close();
  await service.close();
});

const request = (parameters: Record<string, string | undefined> = {}) =>
  browser.get(buildAuthorizeUrl(service, client, { response_mode: 'form_post', ...parameters }));
const readAction = ({ body }: Visit) =>
  parseElements(body).find(({ name }) => name === 'form')?.attributes.action;

describe('the form_post response page', () => {
  test('posts the code, state and iss to the redirect URI', async () => {
    const consent = await browser.follow(await request({ state: '"><b>' }));
    const page = await submitDecision(browser, consent, 'allow');
    expect([page.status, page.location]).toEqual([200, undefined]);
    expect(findMarkupErrors(page.body)).toEqual([]);
    expect(readAction(page)).toBe(client.redirectUri);
    expect(Object.keys(page.hidden).sort()).toEqual(['code', 'iss', 'state']);
    expect(page.body).toContain('value="&quot;&gt;&lt;b&gt;"');
    expect(page.hidden.iss).toBe(service.baseUrl);
    expect(page.headers.get('cache-control')).toBe('no-store');
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("script-src 'self'");
    expect(policy).not.toContain('form-action');
    expect((await redeemCode(service, client, page.hidden.code ?? '')).status).toBe(200);
  });

  test('posts an error if the user denies consent', async () => {
    const denied = await submitDecision(
      browser,
      await browser.follow(await request({ prompt: 'consent' })),
      'deny',
    );
    expect(denied.hidden).toMatchObject({ error: 'access_denied', state: 'state-1', iss: service.baseUrl });
    expect(denied.hidden.code).toBeUndefined();
    const refused = await request({ scope: 'unknown' });
    expect(refused.hidden).toMatchObject({ error: 'invalid_scope', state: 'state-1' });
    expect(readAction(refused)).toBe(client.redirectUri);
  });

  test('contains no form if the redirect URI is not registered', async () => {
    const page = await request({ redirect_uri: 'https://evil.example/cb' });
    expect(page.status).toBe(400);
    expect(readAction(page)).toBeUndefined();
    expect(page.body).not.toMatch(/(href|action)="https:\/\/evil/);
  });
});

describe.skipIf(chromium === undefined)('the response form in Chromium', () => {
  test.each([
    ['is submitted automatically with JavaScript', true],
    ['is submitted by the user without JavaScript', false],
  ])('%s', async (_, javaScript) => {
    const { page, errors } = await openTab(chromium, { javaScript });
    received.length = 0;
    await page.goto(buildAuthorizeUrl(service, client, { response_mode: 'form_post' }).href);
    await page.getByLabel('Adresse e‑mail').fill(user.email);
    await page.getByLabel('Mot de passe').fill(user.password);
    await page.getByRole('button', { name: 'Se connecter', exact: true }).click();
    if (!javaScript) await page.getByRole('button', { name: 'Continuer' }).click();
    await page.waitForURL(client.redirectUri);
    expect(received.map(({ method, query }) => [method, query])).toEqual([['POST', 'own=1']]);
    const { form, origin } = received[0] ?? { form: new URLSearchParams(), origin: '' };
    expect([...form.keys()].sort()).toEqual(['code', 'iss', 'state']);
    expect(origin).toBe(service.baseUrl);
    expect(errors).toEqual([]);
    await page.context().close();
  });
});
