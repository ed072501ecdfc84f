// Reads and creates diagnostics of clients and APIs.
import type { NewApi } from '../../src/store/apis.ts';
import { listObservations } from '../../src/store/client-observations.ts';
import {
  type ApiRefusalRow,
  listApiRefusals,
  listRefusals,
  type RefusalRow,
} from '../../src/store/refusals.ts';
import { openBrowserSession } from './browser-session.ts';
import {
  authorize,
  buildAuthorizeUrl,
  fetchUserinfo,
  obtainTokens,
  openSignedInBrowser,
  postForm,
  redeemCode,
  redeemRefreshToken,
  revokeToken,
} from './oauth-flow.ts';
import type { TestClient, TestService, TestUser } from './service.ts';

export async function readRefusals(
  service: TestService,
  { clientId }: Pick<TestClient, 'clientId'>,
): Promise<RefusalRow[]> {
  await service.services.diagnostics.flush();
  return listRefusals(service.services.database, clientId);
}

export async function readApiRefusals(
  service: TestService,
  { apiId }: Pick<NewApi, 'apiId'>,
): Promise<ApiRefusalRow[]> {
  await service.services.diagnostics.flush();
  return listApiRefusals(service.services.database, apiId);
}

export async function readLastRefusal(service: TestService, application: TestClient) {
  const [last] = await readRefusals(service, application);
  if (last === undefined) throw new Error('no refusal was recorded');
  const { kind, facts, authenticated, hasCredential, error, endpoint } = last;
  return { kind, facts, authenticated, hasCredential: hasCredential, error, endpoint };
}

export async function readSignals(service: TestService, { clientId }: TestClient): Promise<string[]> {
  await service.services.diagnostics.flush();
  return (await listObservations(service.services.database, clientId)).map(({ signal }) => signal);
}

export async function createClientWithRefusals(service: TestService, owner: TestUser): Promise<TestClient> {
  const application = await service.createClient({
    ownerId: owner.userId,
    name: 'Notes & "Cie" <b>',
    redirectUris: ['https://notes.example/callback?a=1&b=2', 'https://notes.example/other'],
    scopes: ['openid', 'profile', 'email'],
  });
  const browser = await openSignedInBrowser(service, await service.createUser());
  const openAuthorizeUrl = (parameters: Record<string, string | undefined>) =>
    openBrowserSession(service.baseUrl).get(buildAuthorizeUrl(service, application, parameters));
  const { accessToken, refreshToken } = await obtainTokens(service, application, browser);
  const code = (await authorize(service, application, browser)).searchParams.get('code') ?? '';
  await openAuthorizeUrl({ redirect_uri: 'https://notes.example/callback/?a=1&b=2' });
  await openAuthorizeUrl({ redirect_uri: 'http://notes.example:8080/Other/"><b>' });
  for (let i = 0; i < 7; i += 1)
    await openAuthorizeUrl({ redirect_uri: `https://evil.example/"><script>alert(1)</script>` });
  await openAuthorizeUrl({ scope: 'openid phone' });
  await openAuthorizeUrl({ scope: 'openid roles "><b>' });
  await openAuthorizeUrl({ response_type: '"><b>' });
  await redeemCode(service, application, code, { client_secret: application.clientSecret.slice(0, 30) });
  await redeemCode(service, application, code, { code_verifier: 'x'.repeat(43) });
  await fetchUserinfo(service, accessToken);
  await redeemRefreshToken(service, application, refreshToken);
  await redeemRefreshToken(service, application, refreshToken);
  await revokeToken(service, application, refreshToken);
  await postForm(service, '/oauth/token', { client_id: application.clientId });
  return application;
}
