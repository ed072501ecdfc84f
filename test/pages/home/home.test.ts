import { describe, expect, test } from 'vitest';
import { openBrowserSession } from '../../support/browser-session.ts';
import { parseElements, readMain } from '../../support/markup.ts';
import { openSignedInBrowser } from '../../support/oauth-flow.ts';
import { startTestService, useTestService } from '../../support/service.ts';

const service = useTestService();

const listLinks = (page: string) =>
  parseElements(readMain(page)).flatMap(({ name, attributes }) =>
    name === 'a' ? [attributes.href ?? ''] : [],
  );

describe('the home page', () => {
  test('links to sign-in, sign-up and documentation', async () => {
    const browser = openBrowserSession(service.baseUrl);
    const links = listLinks((await browser.get('/')).body);
    expect(links).toEqual([
      '/signin',
      '/signup',
      '/console/applications/new',
      '/button',
      '/.well-known/openid-configuration',
    ]);
    for (const href of links) expect((await browser.follow(await browser.get(href))).status, href).toBe(200);
  });

  test('leads developers to registration after sign-in', async () => {
    const { location } = await openBrowserSession(service.baseUrl).get('/console/applications/new');
    expect(`${location?.pathname}${location?.search}`).toBe('/signin?next=%2Fconsole%2Fapplications%2Fnew');
  });

  test('does not link to the sign-up page if sign-up is closed', async () => {
    await using closed = await startTestService({ SIGN_UP: 'closed' });
    expect(listLinks((await openBrowserSession(closed.baseUrl).get('/')).body)).not.toContain('/signup');
  });

  test('redirects signed-in users to their account', async () => {
    const browser = await openSignedInBrowser(service, await service.createUser());
    expect((await browser.get('/')).location?.pathname).toBe('/account');
  });
});
