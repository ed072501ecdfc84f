// How refused requests are kept: groups, quota, several processes, no secret anywhere, nothing lost in an outage.
import { describe, expect, test } from 'vitest';
import { challengeOf } from '../../../src/oauth/pkce.ts';
import { listRefusals, QUOTA } from '../../../src/store/refusals.ts';
import { openBrowserSession } from '../../support/browser-session.ts';
import { databaseContent } from '../../support/database-content.ts';
import { refusalsOf, signalsOf } from '../../support/diagnostics.ts';
import {
  authorize,
  authorizeAddress,
  newVerifier,
  obtainTokens,
  postForm,
  redeem,
  renew,
  revoke,
  signedInBrowser,
  userinfo,
} from '../../support/flow.ts';
import { sql } from '../../support/populate.ts';
import { CROWD, startTestService, type TestApplication, useTestService } from '../../support/service.ts';
import { until } from '../../support/until.ts';

const service = useTestService(CROWD);

const ask = (application: TestApplication, parameters: Record<string, string | undefined>, at = service) =>
  openBrowserSession(at.baseUrl).get(authorizeAddress(at, application, parameters));
/** Incident codes as people see them. */
const incidentOf = (body: string): string => /<code>([2-9A-Z]{10})<\/code>/.exec(body)?.[1] ?? '';
test('equal refusals are one group, counted, with the codes of all', async () => {
  const application = await service.createApplication();
  const codes: string[] = [];
  for (let i = 0; i < 3; i += 1) {
    codes.unshift(incidentOf((await ask(application, { redirect_uri: 'https://evil.example/' })).body));
    service.clock.advance(1);
  }
  await service.parts.diagnostics.flush();
  service.clock.advance(60);
  codes.unshift(incidentOf((await ask(application, { redirect_uri: 'https://evil.example/' })).body));
  const [refusal, ...more] = await refusalsOf(service, application);
  expect(more).toEqual([]);
  expect(refusal).toMatchObject({ count: 4, incidents: codes, address: expect.stringMatching(/127|::/) });
  expect((refusal?.lastAt.getTime() ?? 0) - (refusal?.firstAt.getTime() ?? 0)).toBeGreaterThanOrEqual(60_000);
});

test('a flood stays within the quota, the latest are kept, and no other application’s are touched', async () => {
  const [mine, noisy] = [await service.createApplication(), await service.createApplication()];
  await ask(mine, { response_type: 'token' });
  for (let from = 0; from < QUOTA + 100; from += 100) {
    await Promise.all(
      Array.from({ length: 100 }, (_, i) =>
        ask(noisy, { redirect_uri: `https://evil.example/${Math.floor((from + i) / 50)}` }),
      ),
    );
    service.clock.advance(1);
    if (from % 300 === 0) await service.parts.diagnostics.flush();
  }
  const refusals = await refusalsOf(service, noisy);
  expect(refusals.reduce((sum, { count }) => sum + count, 0)).toBe(QUOTA);
  expect(refusals[0]?.facts.sent).toMatch(new RegExp(`/${(QUOTA + 50) / 50}$|/${QUOTA / 50}$`));
  expect(await refusalsOf(service, mine)).toMatchObject([{ kind: 'response_type' }]);
});

test('what is gathered is written without anybody asking, and when the process ends', async () => {
  const second = await startTestService({}, { databaseUrl: service.databaseUrl });
  const application = await service.createApplication();
  const kept = () => listRefusals(service.parts.database, application.clientId);
  await ask(application, { response_type: 'token' }, second);
  await until('the refusal to be written', async () => (await kept()).length === 1);
  await ask(application, { response_mode: 'fragment' }, second);
  await second.close();
  expect(await kept()).toHaveLength(2);
});

test('refusals of an application that is deleted go with it, also those on their way', async () => {
  const [doomed, other] = [await service.createApplication(), await service.createApplication()];
  await ask(doomed, { response_type: 'token' });
  await service.parts.diagnostics.flush();
  await ask(doomed, { response_mode: 'fragment' });
  await ask(other, { response_mode: 'fragment' });
  await sql(service.parts.database, 'delete from clients where client_id = $1', [doomed.clientId]);
  expect(await refusalsOf(service, doomed)).toEqual([]);
  expect(await refusalsOf(service, other)).toHaveLength(1);
});

test('no secret, code, token, verifier or state is kept (D32)', async () => {
  const owner = await service.createUser();
  const application = await service.createApplication({ ownerId: owner.userId });
  const browser = await signedInBrowser(service, await service.createUser());
  const verifier = newVerifier();
  const state = 'state-that-nobody-may-read';
  const pkce = { code_challenge: challengeOf(verifier), code_challenge_method: 'S256', state };
  const code = async () =>
    (await authorize(service, application, browser, pkce)).searchParams.get('code') ?? '';
  const tokens = await obtainTokens(service, application, browser);
  const codes = [await code(), await code()] as const;
  const wrongVerifier = newVerifier();
  await redeem(service, application, codes[0], { code_verifier: wrongVerifier });
  await redeem(service, application, codes[1], { client_secret: 'the-wrong-secret-of-somebody' });
  await redeem(service, application, codes[0], { client_id: codes[1] });
  await redeem(service, application, codes[0], {
    redirect_uri: `https://client.example/callback?code=${codes[1]}&state=${state}`,
    code_verifier: verifier,
  });
  await ask(application, {
    ...pkce,
    redirect_uri: `https://client.example/callback?code=${codes[1]}#${codes[0]}`,
  });
  await ask(application, { ...pkce, scope: tokens.refreshToken });
  await ask(application, { ...pkce, response_type: application.clientSecret });
  await ask(application, { ...pkce, redirect_uri: `https://client.example/${tokens.accessToken}` });
  await postForm(service, '/oauth/token', {
    grant_type: application.clientSecret,
    client_id: application.clientId,
    client_secret: application.clientSecret,
    [tokens.refreshToken]: '1',
  });
  await fetch(`${service.baseUrl}/oauth/token?client_id=${application.clientId}&code=${codes[0]}`);
  await renew(service, application, tokens.refreshToken);
  await renew(service, application, tokens.refreshToken);
  await userinfo(service, tokens.refreshToken);
  await userinfo(service, tokens.accessToken);
  expect((await refusalsOf(service, application)).length).toBeGreaterThanOrEqual(10);
  const owners = await signedInBrowser(service, owner);
  const page = (await owners.get(`/console/applications/${application.clientId}/diagnostics`)).body;
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

describe('what an application was seen doing', () => {
  test('only what it did, and nothing for a stranger who opens its address', async () => {
    const application = await service.createApplication();
    await ask(application, { nonce: 'n' });
    expect(await signalsOf(service, application)).toEqual([]);
    const browser = await signedInBrowser(service, await service.createUser());
    const { accessToken, refreshToken } = await obtainTokens(service, application, browser, { nonce: 'n' });
    expect(await signalsOf(service, application)).toEqual(['nonce', 'pkce', 'state']);
    await userinfo(service, accessToken);
    await renew(service, application, refreshToken);
    await revoke(service, application, refreshToken);
    await authorize(service, application, browser);
    expect(await signalsOf(service, application)).toEqual([
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
