import { afterAll, describe, expect, test } from 'vitest';
import { openBrowser, openTab } from '../support/browser.ts';
import { useTestService } from '../support/service.ts';
import { type Respond, useStubIssuer } from '../support/stub-issuer.ts';

const browser = await openBrowser();
const service = useTestService();
const PHONE = { width: 360, height: 740 };
afterAll(() => browser?.close());

describe.skipIf(browser === undefined)('signing out', () => {
  const proconnect = useStubIssuer(service, {
    providerId: 'proconnect',
    preset: 'proconnect',
    name: 'ProConnect',
  });

  test.each([true, false])('also ends the ProConnect session (JavaScript: %s)', async (javaScript) => {
    const { stub } = proconnect;
    const user = await service.createUser({ emailVerified: true, locale: 'fr' });
    await proconnect.link(user.userId, user.email);
    const claims = { sub: user.email, email: user.email };
    const redirectToParameter =
      (parameter: string): Respond =>
      ({ url = '' }, response) => {
        const { searchParams } = new URL(url, stub.issuer);
        stub.nonce = searchParams.get('nonce') ?? '';
        const query = new URLSearchParams({ code: 'code', state: searchParams.get('state') ?? '' });
        response.writeHead(303, { location: `${searchParams.get(parameter)}?${query}` }).end();
      };
    stub.behavior = {
      claims,
      metadata: { end_session_endpoint: `${stub.issuer}/session/end` },
      respond: {
        '/authorize': redirectToParameter('redirect_uri'),
        '/session/end': redirectToParameter('post_logout_redirect_uri'),
      },
    };
    const { page, errors, context } = await openTab(browser, {
      language: 'fr',
      javaScript,
      viewport: PHONE,
    });
    await page.goto(`${service.baseUrl}/signin/provider/proconnect`);
    await page.waitForURL(`${service.baseUrl}/account`);
    // `form-action` applies to redirects, too (ADR 6). It must allow the redirect to ProConnect.
    await page.click('.signed-in-button');
    await page.getByRole('button', { name: 'Se déconnecter' }).click();
    await page.getByText('Votre session est fermée.').waitFor();
    expect(stub.requests.at(-1)).toBe('GET /session/end');
    expect(new URL(page.url()).pathname).toBe('/');
    expect(errors).toEqual([]);
    await context.close();
  });
});
