// What the service keeps of the refused requests of an application or an API, once it has written it.
import type { NewApi } from '../../src/store/apis.ts';
import { listObservations } from '../../src/store/observations.ts';
import {
  type ApiRefusalRow,
  listRefusals,
  listRefusalsOfApi,
  type RefusalRow,
} from '../../src/store/refusals.ts';
import { openBrowserSession } from './browser-session.ts';
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
import type { TestApplication, TestService, TestUser } from './service.ts';

/** All refusals that are kept of an application, latest first. */
export async function refusalsOf(
  service: TestService,
  { clientId }: Pick<TestApplication, 'clientId'>,
): Promise<RefusalRow[]> {
  await service.parts.diagnostics.flush();
  return listRefusals(service.parts.database, clientId);
}

/** All that the owner of an API finds of refusals of it and about it, latest first. */
export async function refusalsOfApi(
  service: TestService,
  { apiId }: Pick<NewApi, 'apiId'>,
): Promise<ApiRefusalRow[]> {
  await service.parts.diagnostics.flush();
  return listRefusalsOfApi(service.parts.database, apiId);
}

/** The latest one, by what it says. */
export async function lastRefusal(service: TestService, application: TestApplication) {
  const [last] = await refusalsOf(service, application);
  if (last === undefined) throw new Error('nothing has been kept');
  const { kind, facts, authenticated, held, error, endpoint } = last;
  return { kind, facts, authenticated, held, error, endpoint };
}

/** The signals that an application was seen giving, sorted. */
export async function signalsOf(service: TestService, { clientId }: TestApplication): Promise<string[]> {
  await service.parts.diagnostics.flush();
  return (await listObservations(service.parts.database, clientId)).map(({ signal }) => signal);
}

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
