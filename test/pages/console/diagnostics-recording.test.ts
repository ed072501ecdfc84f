import { describe, expect, test } from 'vitest';
import { computeCodeChallenge } from '../../../src/oauth/pkce.ts';
import { listRefusals, MAX_REFUSALS } from '../../../src/store/refusals.ts';
import { openBrowserSession } from '../../support/browser-session.ts';
import { databaseContent } from '../../support/database-content.ts';
import { readRefusals, readSignals } from '../../support/diagnostics.ts';
import {
  authorize,
  buildAuthorizeUrl,
  createVerifier,
  fetchUserinfo,
  obtainTokens,
  openSignedInBrowser,
  postForm,
  redeemCode,
  redeemRefreshToken,
  revokeToken,
} from '../../support/oauth-flow.ts';
import { LARGE_POOL, startTestService, type TestClient, useTestService } from '../../support/service.ts';
import { sql } from '../../support/store-fixtures.ts';
import { waitUntil } from '../../support/wait-until.ts';

const service = useTestService(LARGE_POOL);

const requestAuthorization = (
  application: TestClient,
  parameters: Record<string, string | undefined>,
  process = service,
) => openBrowserSession(process.baseUrl).get(buildAuthorizeUrl(process, application, parameters));
const readIncident = (body: string): string => /<code>([2-9A-Z]{10})<\/code>/.exec(body)?.[1] ?? '';
test('identical refused requests are grouped and keep all incident codes', async () => {
  const application = await service.createClient();
  const codes: string[] = [];
  for (let i = 0; i < 3; i += 1) {
    codes.unshift(
      readIncident((await requestAuthorization(application, { redirect_uri: 'https://evil.example/' })).body),
    );
    service.clock.advance(1);
  }
  await service.services.diagnostics.flush();
  service.clock.advance(60);
  codes.unshift(
    readIncident((await requestAuthorization(application, { redirect_uri: 'https://evil.example/' })).body),
  );
  const [refusal, ...otherGroups] = await readRefusals(service, application);
  expect(otherGroups).toEqual([]);
  expect(refusal).toMatchObject({ count: 4, incidents: codes, ip: expect.stringMatching(/127|::/) });
  expect((refusal?.lastAt.getTime() ?? 0) - (refusal?.firstAt.getTime() ?? 0)).toBeGreaterThanOrEqual(60_000);
});

test('only the latest refused requests of each application are stored', async () => {
  const [quietClient, noisyClient] = [await service.createClient(), await service.createClient()];
  await requestAuthorization(quietClient, { response_type: 'token' });
  for (let from = 0; from < MAX_REFUSALS + 100; from += 100) {
    await Promise.all(
      Array.from({ length: 100 }, (_, i) =>
        requestAuthorization(noisyClient, {
          redirect_uri: `https://evil.example/${Math.floor((from + i) / 50)}`,
        }),
      ),
    );
    service.clock.advance(1);
    if (from % 300 === 0) await service.services.diagnostics.flush();
  }
  const refusals = await readRefusals(service, noisyClient);
  expect(refusals.reduce((sum, { count }) => sum + count, 0)).toBe(MAX_REFUSALS);
  expect(refusals[0]?.facts.sent).toMatch(new RegExp(`/${(MAX_REFUSALS + 50) / 50}$|/${MAX_REFUSALS / 50}$`));
  expect(await readRefusals(service, quietClient)).toMatchObject([{ kind: 'response_type' }]);
});

test('refused requests are written to the database periodically and at shutdown', async () => {
  const second = await startTestService({}, { databaseUrl: service.databaseUrl });
  const application = await service.createClient();
  const listRecordedRefusals = () => listRefusals(service.services.database, application.clientId);
  await requestAuthorization(application, { response_type: 'token' }, second);
  await waitUntil('the refusal to be written', async () => (await listRecordedRefusals()).length === 1);
  await requestAuthorization(application, { response_mode: 'fragment' }, second);
  await second.close();
  expect(await listRecordedRefusals()).toHaveLength(2);
});

test('the refused requests of a deleted application are deleted', async () => {
  const [deletedClient, otherClient] = [await service.createClient(), await service.createClient()];
  await requestAuthorization(deletedClient, { response_type: 'token' });
  await service.services.diagnostics.flush();
  await requestAuthorization(deletedClient, { response_mode: 'fragment' });
  await requestAuthorization(otherClient, { response_mode: 'fragment' });
  await sql(service.services.database, 'delete from clients where client_id = $1', [deletedClient.clientId]);
  expect(await readRefusals(service, deletedClient)).toEqual([]);
  expect(await readRefusals(service, otherClient)).toHaveLength(1);
});

test('refused requests are recorded without secrets, codes or tokens', async () => {
  const owner = await service.createUser();
  const application = await service.createClient({ ownerId: owner.userId });
  const browser = await openSignedInBrowser(service, await service.createUser());
  const verifier = createVerifier();
  const state = 'state-that-nobody-may-read';
  const pkce = { code_challenge: computeCodeChallenge(verifier), code_challenge_method: 'S256', state };
  const obtainCode = async () =>
    (await authorize(service, application, browser, pkce)).searchParams.get('code') ?? '';
  const tokens = await obtainTokens(service, application, browser);
  const codes = [await obtainCode(), await obtainCode()] as const;
  const wrongVerifier = createVerifier();
  await redeemCode(service, application, codes[0], { code_verifier: wrongVerifier });
  await redeemCode(service, application, codes[1], { client_secret: 'the-wrong-secret-of-somebody' });
  await redeemCode(service, application, codes[0], { client_id: codes[1] });
  await redeemCode(service, application, codes[0], {
    redirect_uri: `https://client.example/callback?code=${codes[1]}&state=${state}`,
    code_verifier: verifier,
  });
  await requestAuthorization(application, {
    ...pkce,
    redirect_uri: `https://client.example/callback?code=${codes[1]}#${codes[0]}`,
  });
  await requestAuthorization(application, { ...pkce, scope: tokens.refreshToken });
  await requestAuthorization(application, { ...pkce, response_type: application.clientSecret });
  await requestAuthorization(application, {
    ...pkce,
    redirect_uri: `https://client.example/${tokens.accessToken}`,
  });
  await postForm(service, '/oauth/token', {
    grant_type: application.clientSecret,
    client_id: application.clientId,
    client_secret: application.clientSecret,
    [tokens.refreshToken]: '1',
  });
  await fetch(`${service.baseUrl}/oauth/token?client_id=${application.clientId}&code=${codes[0]}`);
  await redeemRefreshToken(service, application, tokens.refreshToken);
  await redeemRefreshToken(service, application, tokens.refreshToken);
  await fetchUserinfo(service, tokens.refreshToken);
  await fetchUserinfo(service, tokens.accessToken);
  expect((await readRefusals(service, application)).length).toBeGreaterThanOrEqual(10);
  const ownerBrowser = await openSignedInBrowser(service, owner);
  const page = (await ownerBrowser.get(`/console/applications/${application.clientId}/diagnostics`)).body;
  expect(page).toContain('class="refusal"');
  const { refusals = '' } = await databaseContent(service.databaseUrl);
  const secrets = {
    ...tokens,
    code: codes[0],
    otherCode: codes[1],
    secret: application.clientSecret,
    wrongSecret: 'the-wrong-secret-of-somebody',
    verifier,
    wrongVerifier,
    challenge: pkce.code_challenge,
    state,
  };
  for (const [name, secret] of Object.entries(secrets)) {
    if (secret === undefined) continue;
    expect(refusals.includes(secret), name).toBe(false);
    expect(page.includes(secret), `${name} on the page`).toBe(false);
    expect(refusals.includes(secret.slice(0, 30)) && secret.length > 30, `the beginning of ${name}`).toBe(
      false,
    );
  }
});

describe('the protocol features that a client uses', () => {
  test('are not recorded from anonymous requests', async () => {
    const application = await service.createClient();
    await requestAuthorization(application, { nonce: 'n' });
    expect(await readSignals(service, application)).toEqual([]);
    const browser = await openSignedInBrowser(service, await service.createUser());
    const { accessToken, refreshToken } = await obtainTokens(service, application, browser, { nonce: 'n' });
    expect(await readSignals(service, application)).toEqual(['exchange', 'nonce', 'pkce', 'state']);
    await fetchUserinfo(service, accessToken);
    await redeemRefreshToken(service, application, refreshToken);
    await revokeToken(service, application, refreshToken);
    await authorize(service, application, browser);
    expect(await readSignals(service, application)).toEqual([
      'exchange',
      'nonce',
      'pkce',
      'renewal',
      'revocation',
      'state',
      'userinfo',
      'without_nonce',
      'without_pkce',
    ]);
  });
});
