import { afterAll, expect, test } from 'vitest';
import {
  buildBearerChallenge,
  buildMetadataUrl,
  buildResourceMetadata,
} from '../../src/oauth/resource-metadata.ts';
import { insertRefusalBatch } from '../../src/store/refusals.ts';
import { createApiWithSecret, introspect } from '../support/apis.ts';
import { openBrowser, openTab } from '../support/browser.ts';
import { type BrowserSession, openBrowserSession } from '../support/browser-session.ts';
import { apiPath, submitForm } from '../support/console-forms.ts';
import { createMetadataClient, openMetadataHost, respondJson } from '../support/metadata-clients.ts';
import { createMfaAccount } from '../support/mfa-account.ts';
import {
  buildAuthorizeUrl,
  obtainTokens,
  openSignedInBrowser,
  postForm,
  redeemCode,
  redeemRefreshToken,
  submitDecision,
} from '../support/oauth-flow.ts';
import { createPageRenderer } from '../support/page-renderer.ts';
import { registerPasskey } from '../support/passkey.ts';
import { type TestUser, useTestService } from '../support/service.ts';
import { sql } from '../support/store-fixtures.ts';

const browser = await openBrowser();
const metadataHost = await openMetadataHost();
const service = useTestService({ AGENTS: metadataHost.origin });
afterAll(async () => {
  await browser?.close();
  metadataHost.close();
});

interface OpenedPage {
  session: BrowserSession;
  path: string | URL;
}

const signIn = async (user?: TestUser): Promise<{ user: TestUser; session: BrowserSession }> => {
  const owner = user ?? (await service.createUser({ name: 'Zoé Lefèvre' }));
  return { user: owner, session: await openSignedInBrowser(service, owner) };
};

async function openAgentConsent(createAgent = async () => createMetadataClient(metadataHost.publish())) {
  const { session } = await signIn();
  const { identifier: resource } = await service.createApi({ allowedClients: 'agents' });
  const agent = await createAgent();
  const pkce = { scope: undefined, code_challenge: 'c'.repeat(43), code_challenge_method: 'S256' };
  return { session, path: buildAuthorizeUrl(service, agent, { ...pkce, resource }) };
}

/** Creates an agent that has no metadata document, and a redirect URI on the user's device. */
async function createLoopbackAgent() {
  const redirectUri = 'http://127.0.0.1:8080/callback';
  const { clientId } = await service.createClient({ type: 'public', redirectUris: [redirectUri] });
  const agentId = clientId.replace('app_', 'agent_');
  const makeAgent = 'update clients set owner_id = null, client_id = $2 where client_id = $1';
  await sql(service.services.database, makeAgent, [clientId, agentId]);
  return createMetadataClient(agentId, redirectUri);
}

async function openApplicationPage(below: string, type: 'confidential' | 'public'): Promise<OpenedPage> {
  const { user, session } = await signIn();
  const { clientId } = await service.createClient({ ownerId: user.userId, type });
  return { session, path: `/console/applications/${clientId}/${below}` };
}

async function openDiagnostics(): Promise<OpenedPage> {
  const { user, session } = await signIn();
  const client = await service.createClient({ ownerId: user.userId });
  const { refreshToken } = await obtainTokens(service, client, session);
  const requestCode = (parameters: Record<string, string | undefined>) =>
    openBrowserSession(service.baseUrl).get(buildAuthorizeUrl(service, client, parameters));
  await requestCode({ redirect_uri: `${client.redirectUri}/` });
  await requestCode({ redirect_uri: 'https://evil.example/' });
  await requestCode({ response_type: 'token' });
  await requestCode({ code_challenge_method: 'plain', code_challenge: 'c'.repeat(43) });
  await redeemCode(service, client, 'sesame_no_such_code');
  await redeemCode(service, { ...client, clientSecret: 'secret' }, 'sesame_no_such_code');
  await redeemRefreshToken(service, client, refreshToken);
  await redeemRefreshToken(service, client, refreshToken);
  service.clock.advance(120);
  await redeemRefreshToken(service, client, refreshToken);
  await postForm(service, '/oauth/token', { client_id: client.clientId });
  await service.services.diagnostics.flush();
  return { session, path: `/console/applications/${client.clientId}/diagnostics` };
}

/** Opens the diagnostics of an API after one refused request from it and seven from a client. */
async function openApiDiagnostics(): Promise<OpenedPage> {
  const { user, session } = await signIn();
  const api = await createApiWithSecret(service, { ownerId: user.userId });
  await introspect(service, api, 'x', { client_secret: 'changeme' });
  const { clientId } = await service.createClient();
  const kinds = [
    'resource_not_open_to_client',
    'scope_not_of_api',
    'resource_beyond_grant',
    'scope_beyond_grant',
  ];
  const reasons = [
    ...kinds,
    'client_credentials_disabled',
    'scope_beyond_api_grant',
    'resource_blocks_client',
  ];
  await insertRefusalBatch(
    service.services.database,
    reasons.map((kind) => ({
      ...{ clientId, apiId: api.apiId, authenticated: true, hasCredential: false, kind, endpoint: 'token' },
      ...{ error: 'invalid_target', facts: { sent: 'read', scope: 'read' }, ip: '', incident: 'ABCDEFGHJK' },
      at: service.clock.now(),
    })),
  );
  await service.services.diagnostics.flush();
  return { session, path: `/console/apis/${api.apiId}/diagnostics` };
}

/** The API answers the connection test's authorized request with long text that isn't JSON. */
async function openFailedConnectionTest(): Promise<OpenedPage> {
  const { user, session } = await signIn();
  const identifier = metadataHost.setHandler(({ headers }, response) => {
    const challenge = `Bearer ${buildBearerChallenge(identifier, ['read'])}`;
    if (headers.authorization === undefined) response.writeHead(401, { 'www-authenticate': challenge }).end();
    else response.writeHead(200).end('x'.repeat(1000));
  }, '/mcp');
  const metadata = respondJson(buildResourceMetadata(identifier, service.baseUrl, ['read']));
  metadataHost.setHandler(metadata, new URL(buildMetadataUrl(identifier)).pathname);
  const { apiId } = await service.createApi({ ownerId: user.userId, allowedClients: 'agents', identifier });
  const path = apiPath(apiId, '/test');
  const { hidden } = await session.follow(await submitForm(session, path, { address: identifier }));
  const { csrf = '', report = '' } = hidden;
  const consent = await session.follow(await session.post(path, { csrf, report }));
  const result = await session.follow(await submitDecision(session, consent, 'allow'));
  const link = /href="([^"]*\/test\?[^"]*)lang=en"/.exec(result.body)?.[1] ?? '';
  return { session, path: `${link.replaceAll('&amp;', '&')}lang=en` };
}

async function openApiIntegration(query: string): Promise<OpenedPage> {
  const { user, session } = await signIn();
  const { apiId } = await service.createApi({ ownerId: user.userId });
  return { session, path: `/console/apis/${apiId}/integrate${query}` };
}

async function openApplicationList(): Promise<OpenedPage> {
  const { user, session } = await signIn();
  for (const name of ['Carnet', 'Potager', 'Agenda']) {
    const client = await service.createClient({ ownerId: user.userId, name });
    await obtainTokens(service, client, session);
  }
  return { session, path: '/console/applications' };
}

async function openAdminPage(path: string): Promise<OpenedPage> {
  const { session } = await signIn(await service.createUser({ name: 'Grace Hopper', isAdmin: true }));
  return { session, path };
}

async function openSecurityPage(): Promise<OpenedPage> {
  const { browser: session } = await createMfaAccount(service, { name: 'Zoé Lefèvre' });
  await registerPasskey(session, service);
  return { session, path: '/account/security' };
}

/** Maximum word count, and maximum height in CSS pixels at 1280×800. */
const LIMITS: [name: string, words: number, height: number, open: () => Promise<OpenedPage>][] = [
  ['agent consent with an API', 90, 740, openAgentConsent],
  ['consent for an agent on the device', 90, 740, () => openAgentConsent(createLoopbackAgent)],
  ['Integrate, confidential client', 250, 1800, () => openApplicationPage('integrate', 'confidential')],
  ['Integrate, public client', 250, 1800, () => openApplicationPage('integrate', 'public')],
  ['Integrate, button', 250, 1800, () => openApplicationPage('integrate?tab=button', 'confidential')],
  ['Integrate, reference', 250, 1800, () => openApplicationPage('integrate?tab=reference', 'confidential')],
  ['Integrate, Django', 250, 1800, () => openApplicationPage('integrate?library=django', 'confidential')],
  ['Integrate, Android', 250, 1800, () => openApplicationPage('integrate?library=appauth-android', 'public')],
  ['API integration, code', 250, 1800, () => openApiIntegration('')],
  ['API integration, reference', 250, 1800, () => openApiIntegration('?tab=reference')],
  ['connection test, last step failed', 200, 1300, openFailedConnectionTest],
  ['diagnostics with eight refusals', 200, 1100, openDiagnostics],
  ['API diagnostics with eight refusals', 200, 1100, openApiDiagnostics],
  ['registration', 80, 1800, async () => ({ ...(await signIn()), path: '/console/applications/new' })],
  ['applications', 120, 800, openApplicationList],
  ['admin overview', 140, 800, () => openAdminPage('/console/operations')],
  ['admin settings', 250, 1300, () => openAdminPage('/console/operations/settings')],
  ['security', 157, 800, openSecurityPage],
];

test.skipIf(browser === undefined).each(LIMITS)(
  'the page "%s" has at most %i words and is at most %i px high',
  async (name, maxWords, maxHeight, open) => {
    const tab = await openTab(browser, { language: 'en' });
    const { session, path } = await open();
    session.cookies.set('sesame-language', 'en');
    const visit = await session.follow(await session.get(path));
    expect(visit.status).toBe(200);
    const show = await createPageRenderer(tab, service);
    await show({ name, language: 'en', status: 200, visit, isInAuthorization: true });
    // Otherwise, the illustration and the minimum height would make every page fill the window.
    const { text, height } = await tab.page.evaluate(() => {
      document.body.style.minHeight = '0';
      document.querySelector('.illustration')?.remove();
      return { text: document.body.innerText, height: document.body.scrollHeight };
    });
    const words = text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
    await tab.context.close();
    expect(words).toBeLessThanOrEqual(maxWords);
    expect(height).toBeLessThanOrEqual(maxHeight);
  },
);
