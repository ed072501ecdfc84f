// response_mode=form_post: the answer is posted to the callback by the browser (OAuth 2.0 Form Post Response Mode).
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, test } from 'vitest';
import { openBrowser, openTab } from '../support/browser.ts';
import type { Visit } from '../support/browser-session.ts';
import { authorizeAddress, decide, redeem, signedInBrowser } from '../support/flow.ts';
import { elementsOf, markupFaults } from '../support/markup.ts';
import { startTestService } from '../support/service.ts';

const chromium = await openBrowser();
/** What the callback was sent. */
const received: { method: string; query: string; form: URLSearchParams; origin: string | undefined }[] = [];

const service = await startTestService();
const client = createServer(async (request, response) => {
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
await new Promise<void>((resolve) => client.listen(0, '127.0.0.1', resolve));
const { port } = client.address() as AddressInfo;
const application = await service.createApplication({ redirectUris: [`http://127.0.0.1:${port}/cb?own=1`] });
const user = await service.createUser();
const browser = await signedInBrowser(service, user);
afterAll(async () => {
  await chromium?.close();
  client.close();
  await service.close();
});

const ask = (parameters: Record<string, string | undefined> = {}, person = browser) =>
  person.get(authorizeAddress(service, application, { response_mode: 'form_post', ...parameters }));
const actionOf = ({ body }: Visit) => elementsOf(body).find(({ name }) => name === 'form')?.attributes.action;

describe('the page that carries the answer', () => {
  test('consent, then code, state and iss in a form to the callback as it is registered; the code can be redeemed', async () => {
    const consent = await browser.follow(await ask({ state: '"><b>' }));
    const page = await decide(browser, consent, 'allow');
    expect([page.status, page.location]).toEqual([200, undefined]);
    expect(markupFaults(page.body)).toEqual([]);
    expect(actionOf(page)).toBe(application.redirectUri);
    expect(Object.keys(page.hidden).sort()).toEqual(['code', 'iss', 'state']);
    expect(page.body).toContain('value="&quot;&gt;&lt;b&gt;"');
    expect(page.hidden.iss).toBe(service.baseUrl);
    expect(page.headers.get('cache-control')).toBe('no-store');
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("script-src 'self'");
    expect(policy).not.toContain('form-action');
    expect((await redeem(service, application, page.hidden.code ?? '')).status).toBe(200);
  });

  test('a refusal by the person, and one by the service, travel the same way', async () => {
    const denied = await decide(browser, await browser.follow(await ask({ prompt: 'consent' })), 'deny');
    expect(denied.hidden).toMatchObject({ error: 'access_denied', state: 'state-1', iss: service.baseUrl });
    expect(denied.hidden.code).toBeUndefined();
    const refused = await ask({ scope: 'unknown' });
    expect(refused.hidden).toMatchObject({ error: 'invalid_scope', state: 'state-1' });
    expect(actionOf(refused)).toBe(application.redirectUri);
  });

  test('never to a callback that is not registered (D1)', async () => {
    const page = await ask({ redirect_uri: 'https://evil.example/cb' });
    expect(page.status).toBe(400);
    expect(actionOf(page)).toBeUndefined();
    expect(page.body).not.toMatch(/(href|action)="https:\/\/evil/);
  });
});

describe.skipIf(chromium === undefined)('in a browser', () => {
  test.each([
    ['with JavaScript the form goes by itself', true],
    ['without JavaScript the button sends it', false],
  ])('%s', async (_, javaScript) => {
    const { page, faults } = await openTab(chromium, { javaScript });
    received.length = 0;
    await page.goto(authorizeAddress(service, application, { response_mode: 'form_post' }).href);
    await page.getByLabel('Adresse e-mail').fill(user.email);
    await page.getByLabel('Mot de passe').fill(user.password);
    await page.getByRole('button', { name: 'Se connecter', exact: true }).click();
    if (!javaScript) await page.getByRole('button', { name: 'Continuer' }).click();
    await page.waitForURL(application.redirectUri);
    expect(received.map(({ method, query }) => [method, query])).toEqual([['POST', 'own=1']]);
    const { form, origin } = received[0] ?? { form: new URLSearchParams(), origin: '' };
    expect([...form.keys()].sort()).toEqual(['code', 'iss', 'state']);
    expect(origin).toBe(service.baseUrl);
    expect(faults).toEqual([]);
    await page.context().close();
  });
});
