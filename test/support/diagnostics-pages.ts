// Every state of the diagnostics page: nothing refused, much refused by hostile requests, found and not found by code.
import { openBrowserSession } from './browser-session.ts';
import { refusalsOf } from './diagnostics.ts';
import {
  authorize,
  authorizeAddress,
  obtainTokens,
  postForm,
  redeem,
  renew,
  revoke,
  signedInBrowser,
  userinfo,
} from './flow.ts';
import type { OpenedPage } from './opened-page.ts';
import type { TestApplication, TestService, TestUser } from './service.ts';

/** An application with a refusal of nearly every sort, and with everything on its checklist in some state. */
export async function troubledApplication(service: TestService, owner: TestUser): Promise<TestApplication> {
  const application = await service.createApplication({
    ownerId: owner.userId,
    name: 'Notes & "Cie" <b>',
    redirectUris: ['https://notes.example/callback?a=1&b=2', 'https://notes.example/other'],
    scopes: ['openid', 'profile', 'email'],
  });
  const person = await signedInBrowser(service, await service.createUser());
  const ask = (parameters: Record<string, string | undefined>) =>
    openBrowserSession(service.baseUrl).get(authorizeAddress(service, application, parameters));
  const { accessToken, refreshToken } = await obtainTokens(service, application, person);
  const code = (await authorize(service, application, person)).searchParams.get('code') ?? '';
  await ask({ redirect_uri: 'https://notes.example/callback/?a=1&b=2' });
  await ask({ redirect_uri: 'http://notes.example:8080/Other/"><b>' });
  for (let i = 0; i < 7; i += 1)
    await ask({ redirect_uri: `https://evil.example/"><script>alert(1)</script>` });
  await ask({ scope: 'openid phone' });
  await ask({ scope: 'openid roles "><b>' });
  await ask({ response_type: '"><b>' });
  await redeem(service, application, code, { client_secret: application.clientSecret.slice(0, 30) });
  await redeem(service, application, code, { code_verifier: 'x'.repeat(43) });
  await userinfo(service, accessToken);
  await renew(service, application, refreshToken);
  await renew(service, application, refreshToken);
  await revoke(service, application, refreshToken);
  await postForm(service, '/oauth/token', { client_id: application.clientId });
  return application;
}

/** Opens the pages in a language, with names and addresses that have to be escaped. */
export async function openDiagnosticsPages(
  service: TestService,
  language: 'fr' | 'en',
): Promise<OpenedPage[]> {
  const owner = await service.createUser({ name: 'Zoé "O\'Hara" <i>& Fils' });
  const calm = await service.createApplication({ ownerId: owner.userId, name: 'Calme & <i>' });
  const troubled = await troubledApplication(service, owner);
  const browser = await signedInBrowser(service, owner);
  await browser.get(`/account?lang=${language}`);
  const page = (application: TestApplication, query = '') =>
    browser.get(`/console/applications/${application.clientId}/diagnostics${query}`);
  const [newest] = await refusalsOf(service, troubled);
  const pages: [string, Awaited<ReturnType<typeof page>>][] = [
    ['diagnostics, nothing refused', await page(calm)],
    ['diagnostics, much refused', await page(troubled)],
    ['diagnostics, an incident', await page(troubled, `?incident=${newest?.incidents[0]}`)],
    ['diagnostics, no such incident', await page(troubled, '?incident=%22%3E%3Cb%3E')],
  ];
  return pages.map(([name, visit]) => ({ name, status: 200, visit, pending: false }));
}
