import { afterAll, describe, expect, test } from 'vitest';
import { openBrowserSession, type Visit } from '../support/browser-session.ts';
import { expectError } from '../support/expect-error.ts';
import {
  authorizeMetadataClient,
  buildMetadataClientRequest,
  createMetadataClient,
  createMetadataDocument,
  openMetadataHost,
} from '../support/metadata-clients.ts';
import {
  completeAuthorization,
  fetchUserinfo,
  openSignedInBrowser,
  redeemCode,
  redeemRefreshToken,
  signIn,
  submitDecision,
} from '../support/oauth-flow.ts';
import { startTestService } from '../support/service.ts';

const host = await openMetadataHost();
const service = await startTestService({ AGENTS: host.origin });
afterAll(async () => {
  host.close();
  await service.close();
});

const CONSENT_FORM = 'action="/consent"';
const isConsentPage = ({ body }: Visit) => body.includes(CONSENT_FORM);
const newBrowser = async () => openSignedInBrowser(service, await service.createUser());

describe('for a metadata client, the service', () => {
  test('returns tokens after the user has consented', async () => {
    const clientId = host.publish({ client_name: 'Scribe of tests' });
    const browser = await newBrowser();
    const { url, verifier } = buildMetadataClientRequest(service, clientId);
    const consent = await browser.follow(await browser.get(url));
    expect(consent.body).toContain('Scribe of tests');
    const { location: redirect } = await submitDecision(browser, consent, 'allow');
    expect(redirect?.origin).toBe('http://localhost:7777');
    const code = redirect?.searchParams.get('code') ?? '';
    const tokens = await redeemCode(service, createMetadataClient(clientId), code, {
      code_verifier: verifier,
    });
    expect(tokens.status).toBe(200);
    expect((await fetchUserinfo(service, String(tokens.body.access_token))).body).toMatchObject({
      email: expect.anything(),
    });
  });

  test('fetches the document only once for two browsers', async () => {
    const clientId = host.publish();
    const [firstBrowser, secondBrowser] = [await newBrowser(), await newBrowser()];
    host.requests.length = 0;
    await authorizeMetadataClient(service, clientId, firstBrowser);
    await authorizeMetadataClient(service, clientId, secondBrowser);
    expect(host.requests).toEqual([
      {
        path: new URL(clientId).pathname,
        headers: {
          accept: 'application/cimd+json, application/json',
          'accept-encoding': 'identity',
          host: new URL(host.origin).host,
          connection: 'close',
        },
      },
    ]);
  });

  test('requires PKCE', async () => {
    const clientId = host.publish();
    const browser = await newBrowser();
    const fetchRedirectParameters = async (parameters: Record<string, string | undefined>) =>
      (await browser.get(buildMetadataClientRequest(service, clientId, parameters).url)).location
        ?.searchParams;
    const withoutPkce = { code_challenge: undefined, code_challenge_method: undefined };
    expect((await fetchRedirectParameters(withoutPkce))?.get('error')).toBe('invalid_request');
    expect((await fetchRedirectParameters({ scope: 'openid phone' }))?.get('error')).toBe('invalid_scope');
    const { callback: redirect } = await authorizeMetadataClient(service, clientId, browser, {
      state: undefined,
    });
    expect([...redirect.searchParams.keys()].sort()).toEqual(['code', 'iss']);
  });

  test('redirects errors only after consent if AGENTS is *', async () => {
    const clientId = host.publish();
    const openService = await startTestService({ AGENTS: '*' }, { databaseUrl: service.databaseUrl });
    const browser = await openSignedInBrowser(openService, await service.createUser());
    const site = { redirect_uri: 'https://agent.example/callback' };
    const sendInvalidRequest = async (parameters: Record<string, string | undefined>) => {
      const { status, location } = await browser.get(
        buildMetadataClientRequest(openService, clientId, parameters).url,
      );
      return [status, location?.origin];
    };
    const invalid = [{ scope: 'openid phone' }, { response_type: 'token' }, { prompt: 'none' }];
    for (const parameters of invalid) {
      expect(await sendInvalidRequest({ ...site, ...parameters })).toEqual([400, undefined]);
      expect(await sendInvalidRequest(parameters)).toEqual([303, 'http://localhost:7777']);
    }
    await authorizeMetadataClient(openService, clientId, browser, site);
    for (const parameters of invalid)
      expect(await sendInvalidRequest({ ...site, ...parameters })).toEqual([303, 'https://agent.example']);
    await openService.close();
  });

  test('redirects errors before consent if AGENTS lists its origin', async () => {
    const clientId = host.publish();
    const redirect_uri = 'https://agent.example/callback';
    const { url } = buildMetadataClientRequest(service, clientId, { redirect_uri, scope: 'openid phone' });
    const { status, location } = await (await newBrowser()).get(url);
    expect([status, location?.origin]).toEqual([303, 'https://agent.example']);
    expect(location?.searchParams.get('error')).toBe('invalid_scope');
  });

  test('shows an error page for an unlisted redirect URI', async () => {
    const clientId = host.publish();
    const { url } = buildMetadataClientRequest(service, clientId, {
      redirect_uri: 'https://evil.example/callback',
    });
    const response = await (await newBrowser()).get(url);
    expect([response.status, response.location]).toEqual([400, undefined]);
  });
});

describe('a metadata document', () => {
  test('is fetched only after the user has signed in', async () => {
    const clientId = host.publish();
    host.requests.length = 0;
    const browser = openBrowserSession(service.baseUrl);
    const signInPage = await browser.follow(
      await browser.get(buildMetadataClientRequest(service, clientId).url),
    );
    expect(signInPage.hidden.next).toMatch(/^\/oauth\/authorize\?/);
    expect(host.requests).toEqual([]);
    const consent = await signIn(browser, await service.createUser(), signInPage);
    expect(consent.body).toContain(CONSENT_FORM);
    expect(host.requests).toHaveLength(1);
    const { location } = await submitDecision(browser, consent, 'allow');
    expect(location?.searchParams.get('code')).toBeTruthy();
    expect(location?.searchParams.get('state')).toBe('state-1');
  });

  test('is not fetched if the sign-in URL is too long', async () => {
    const { url } = buildMetadataClientRequest(service, host.publish(), { unknown: 'x'.repeat(8000) });
    const refused = await openBrowserSession(service.baseUrl).get(url);
    expect([refused.status, refused.location]).toEqual([400, undefined]);
  });

  test('is not fetched for a POST request', async () => {
    const clientId = host.publish();
    host.requests.length = 0;
    const browser = await newBrowser();
    const { url } = buildMetadataClientRequest(service, clientId);
    const response = await browser.post('/oauth/authorize', Object.fromEntries(url.searchParams));
    expect([response.status, host.requests]).toEqual([303, []]);
    const consent = await browser.follow(response);
    expect([isConsentPage(consent), host.requests.length]).toEqual([true, 1]);
  });

  test('is not fetched for a prefetch request', async () => {
    const clientId = host.publish();
    const browser = await newBrowser();
    host.requests.length = 0;
    const { url } = buildMetadataClientRequest(service, clientId);
    expect((await browser.get(url, { 'sec-purpose': 'prefetch;prerender' })).status).toBe(503);
    expect(host.requests).toEqual([]);
    expect((await browser.get(url)).status).toBe(303);
    expect(host.requests).toHaveLength(1);
  });
});

describe('a change in a metadata document', () => {
  test('revokes existing grants after the next fetch', async () => {
    const path = '/changing/client.json';
    const clientId = host.publish({}, { path });
    const browser = await newBrowser();
    const agent = createMetadataClient(clientId);
    const { code, verifier } = await authorizeMetadataClient(service, clientId, browser);
    const unredeemed = await authorizeMetadataClient(service, clientId, browser);
    host.publish({ redirect_uris: ['https://evil.example/callback'], client_name: 'Evil' }, { path });
    // The token endpoint doesn't fetch documents.
    const tokens = await redeemCode(service, agent, code, { code_verifier: verifier });
    expect(tokens.status).toBe(200);

    service.clock.advance(301);
    const evil = { redirect_uri: 'https://evil.example/callback' };
    const consent = await browser.follow(
      await browser.get(buildMetadataClientRequest(service, clientId, evil).url),
    );
    expect(consent.body).toContain('Evil');
    for (const response of [
      await redeemRefreshToken(service, agent, String(tokens.body.refresh_token)),
      await redeemCode(service, agent, unredeemed.code, { code_verifier: unredeemed.verifier }),
    ])
      expect(response.body.error).toBe('invalid_grant');
    expect((await fetchUserinfo(service, String(tokens.body.access_token))).status).toBe(401);
  });

  test('invalidates open consent pages', async () => {
    const path = '/changing-meanwhile/client.json';
    const clientId = host.publish({ client_name: 'Before' }, { path });
    const [browser, other] = [await newBrowser(), await newBrowser()];
    const consent = await browser.follow(
      await browser.get(buildMetadataClientRequest(service, clientId).url),
    );
    host.publish({ client_name: 'After' }, { path });
    service.clock.advance(301);
    await other.follow(await other.get(buildMetadataClientRequest(service, clientId).url));
    const conflict = await submitDecision(browser, consent, 'allow');
    expect([conflict.status, conflict.location]).toEqual([409, undefined]);
    expect(conflict.body).toContain('After');
    expect(
      (await submitDecision(browser, conflict, 'allow')).location?.searchParams.get('code'),
    ).toBeTruthy();
  });
});

describe('a metadata client', () => {
  test.each<[string, () => string, RegExp]>([
    [
      'if its document has a different client_id',
      () => host.publish({ client_id: 'https://other.example/x' }),
      /must be the URL/,
    ],
    [
      'if its document contains a secret',
      () => host.publish({ client_secret: 'x' }),
      /client_secret is not allowed/,
    ],
    ['if its document does not exist', () => `${host.origin}/nothing`, /responded with 404/],
    ['if its origin is not listed', () => 'https://other.example/client.json', /clients of this origin/],
    ['if its client_id has a query', () => `${host.publish()}?x`, /without query/],
  ])('gets an error page instead of a redirect %s', async (_, publish, message) => {
    const { url } = buildMetadataClientRequest(service, publish());
    const browser = await newBrowser();
    const page = await browser.get(url);
    expect([page.status, page.location]).toEqual([401, undefined]);
    expect(page.body).toMatch(message);
    expect(page.body).toContain('What the developer needs to know');
    const { body } = await browser.get(url, { accept: 'application/json' });
    expect(JSON.parse(body)).toMatchObject({
      error: 'invalid_client',
      error_description: expect.stringMatching(message),
    });
  });

  test('gets an error page instead of a redirect if agents are disabled', async () => {
    const restrictedService = await startTestService({ AGENTS: '' });
    try {
      const response = await openBrowserSession(restrictedService.baseUrl).get(
        buildMetadataClientRequest(restrictedService, host.publish()).url,
      );
      expect(response.status).toBe(401);
      const fetchSupport = async (baseUrl: string) =>
        (
          (await (await fetch(`${baseUrl}/.well-known/openid-configuration`)).json()) as Record<
            string,
            unknown
          >
        ).client_id_metadata_document_supported;
      expect(await fetchSupport(restrictedService.baseUrl)).toBeUndefined();
      expect(await fetchSupport(service.baseUrl)).toBe(true);
    } finally {
      await restrictedService.close();
    }
  });

  test('cannot impersonate a registered client', async () => {
    const client = await service.createClient();
    const clientId = host.publish({ client_id: client.clientId, client_name: 'Carnet' });
    expect((await (await newBrowser()).get(buildMetadataClientRequest(service, clientId).url)).status).toBe(
      401,
    );
    const impostorId = host.publish({ client_name: 'Carnet', redirect_uris: [client.redirectUri] });
    const parameters = { redirect_uri: client.redirectUri };
    const { code, verifier } = await authorizeMetadataClient(
      service,
      impostorId,
      await newBrowser(),
      parameters,
    );
    const stolen = await redeemCode(service, client, code, { code_verifier: verifier });
    expect(stolen.body.error).toBe('invalid_grant');
    expect(createMetadataDocument(impostorId).client_id).toBe(impostorId);
    expect(
      await completeAuthorization(
        await newBrowser(),
        buildMetadataClientRequest(service, impostorId, parameters).url,
      ),
    ).toBeDefined();
  });
});

test('a metadata client cannot obtain tokens once AGENTS no longer lists its origin', async () => {
  const clientId = host.publish();
  const browser = await newBrowser();
  const firstGrant = await authorizeMetadataClient(service, clientId, browser, {
    scope: 'openid offline_access',
  });
  const { body } = await redeemCode(service, createMetadataClient(clientId), firstGrant.code, {
    code_verifier: firstGrant.verifier,
  });
  const secondGrant = await authorizeMetadataClient(service, clientId, browser);
  for (const environment of [{ AGENTS: 'https://agents.example' }, { AGENTS: '' }]) {
    const restrictedService = await startTestService(environment, { databaseUrl: service.databaseUrl });
    const refreshed = await redeemRefreshToken(
      restrictedService,
      createMetadataClient(clientId),
      String(body.refresh_token),
    );
    expectError(refreshed, 401, 'invalid_client');
    const redeemed = await redeemCode(restrictedService, createMetadataClient(clientId), secondGrant.code, {
      code_verifier: secondGrant.verifier,
    });
    expectError(redeemed, 401, 'invalid_client');
    await restrictedService.close();
  }
  expect(
    (await redeemRefreshToken(service, createMetadataClient(clientId), String(body.refresh_token))).status,
  ).toBe(200);
});
