import { beforeAll, describe, expect, test } from 'vitest';
import { messagesFor } from '../../../src/i18n/index.ts';
import { statement } from '../../../src/store/statement.ts';
import { type BrowserSession, openBrowserSession } from '../../support/browser-session.ts';
import { createClientWithRefusals } from '../../support/diagnostics.ts';
import {
  authorize,
  buildAuthorizeUrl,
  obtainTokens,
  openSignedInBrowser,
  postForm,
  redeemCode,
} from '../../support/oauth-flow.ts';
import { type TestClient, type TestUser, useTestService } from '../../support/service.ts';
import { sql } from '../../support/store-fixtures.ts';

const service = useTestService();
let owner: TestUser;
let application: TestClient;
let browser: BrowserSession;
beforeAll(async () => {
  owner = await service.createUser();
  application = await service.createClient({ ownerId: owner.userId });
  browser = await openSignedInBrowser(service, owner);
});

const buildPath = ({ clientId }: TestClient, query = '') =>
  `/console/applications/${clientId}/diagnostics${query}`;
const requestAuthorization = (parameters: Record<string, string | undefined>, app = application) =>
  openBrowserSession(service.baseUrl).get(buildAuthorizeUrl(service, app, parameters));
const readPage = async (path: string, session = browser) =>
  toText((await session.get(path)).body.replace(/[\s\S]*<main/, '<main'));
const toText = (markup: string) =>
  markup
    .replace(/<[^>]*>/g, '')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');

describe("an application's diagnostics page", () => {
  test('tells administrators that someone else owns the application', async () => {
    const admin = await service.createUser();
    await sql(service.services.database, 'update users set is_admin = true where id = $1', [admin.userId]);
    await requestAuthorization({ redirect_uri: `${application.redirectUri}/` });
    const visit = await (await openSignedInBrowser(service, admin)).get(buildPath(application));
    expect(visit.status).toBe(200);
    expect(visit.body).toContain('someone else');
    expect(visit.body).not.toContain('#redirect_uris');
    const adminPage = await (await openSignedInBrowser(service, admin)).get(
      `/console/operations/applications/${application.clientId}`,
    );
    expect(adminPage.body).toContain(`href="${buildPath(application)}"`);
  });

  test('does not show refused requests of other applications', async () => {
    const quiet = await service.createClient({ ownerId: owner.userId });
    const { body } = await requestAuthorization({ redirect_uri: 'https://evil.example/' });
    const incident = /<code>([2-9A-Z]{10})<\/code>/.exec(body)?.[1];
    expect(await readPage(buildPath(quiet))).toContain('No refused requests.');
    expect(await readPage(buildPath(quiet, `?incident=${incident}`))).toContain('No stored request');
    expect(await readPage(buildPath(application, `?incident=${incident}`))).not.toContain(
      'No stored request',
    );
  });
});

describe('a diagnostic message', () => {
  test('points out a trailing slash in a redirect URI', async () => {
    await requestAuthorization({ redirect_uri: `${application.redirectUri}/` });
    expect(await readPage(buildPath(application))).toContain(
      'The path sent is /callback/, the registered one is /callback. Check the trailing slash.',
    );
    expect(await readPage(buildPath(application, '?lang=fr'))).toContain(
      'Le chemin envoyé est /callback/, celui qui est enregistré est /callback : attention à la barre oblique finale.',
    );
    await browser.get(buildPath(application, '?lang=en'));
  });

  test('includes the number and dates of an expired secret', async () => {
    const expiredClient = await service.createClient({ ownerId: owner.userId });
    await sql(
      service.services.database,
      `update secrets set number = 2, created_at = '2026-03-03', expires_at = '2026-03-10' where client_id = $1`,
      [expiredClient.clientId],
    );
    await redeemCode(service, expiredClient, 'x');
    const text = await readPage(buildPath(expiredClient));
    expect(text).toMatch(/Secret no\. 2, created on 3\s+Mar\s+2026, expired on 10\s+Mar\s+2026\./);
  });

  test('exists for every reason in both languages', async () => {
    const clientWithAllKinds = await service.createClient({ ownerId: owner.userId });
    const kinds = Object.keys(messagesFor('fr').diagnostics.titles);
    const facts = {
      ...{ sent: 'SENT', nearest: 'NEAREST', parameter: 'scope', scope: 'phone', length: 12, number: 2 },
      ...{ created: '2026-03-03T00:00:00Z', expired: '2026-03-10T00:00:00Z', application: 'Agenda' },
      ...{ endpoint: 'token', words: 'roles' },
    };
    await service.services.database.query(
      statement(
        'test_every_kind',
        `insert into refusals (client_id, authenticated, has_credential, at, endpoint, error, kind, facts, ip, incident)
        select $1, number % 2 = 0, false, $4, 'token', 'invalid_request', kind, $3::jsonb, '192.0.2.1', 'ABCDEFGHJK'
        from unnest($2::text[]) with ordinality as k (kind, number)`,
      ),
      [
        clientWithAllKinds.clientId,
        [...kinds, 'of_a_later_version'],
        JSON.stringify(facts),
        service.clock.now(),
      ],
    );
    for (const language of ['fr', 'en'] as const) {
      const { body } = await browser.get(buildPath(clientWithAllKinds, `?lang=${language}`));
      const rows = body.match(/<li class="refusal">[\s\S]*?<\/li>/g) ?? [];
      expect(rows).toHaveLength(kinds.length + 1);
      for (const row of rows) expect(row).not.toMatch(/[{}]|undefined|<p><\/p>/);
      const titles = rows.map((row) => /<strong>([^<]+)<\/strong>/.exec(row)?.[1]);
      expect(titles).not.toContain(undefined);
      expect(new Set(titles).size).toBe(kinds.length + 1);
      const explanations = rows.filter((row) => /class="refusal-details">\s*<p>/.test(row));
      expect(explanations).toHaveLength(kinds.length);
    }
    await browser.get(buildPath(application, '?lang=en'));
  });
});

describe('searching for an incident code', () => {
  test('finds the refused request, regardless of case and hyphens', async () => {
    const { body } = await requestAuthorization({ redirect_uri: 'https://client.example/elsewhere' });
    const incident = /<code>([2-9A-Z]{10})<\/code>/.exec(body)?.[1] ?? '';
    for (const spelling of [
      incident,
      incident.toLowerCase(),
      ` ${incident.slice(0, 5)}-${incident.slice(5)} `,
    ]) {
      const visit = await browser.get(buildPath(application, `?incident=${encodeURIComponent(spelling)}`));
      expect(visit.body.match(/<li class="refusal">/g)).toHaveLength(1);
      expect(toText(visit.body)).toContain('The path sent is /elsewhere, the registered one is /callback.');
    }
  });

  test('finds a refused sign-out request that identifies the client', async () => {
    const userBrowser = await openSignedInBrowser(service, await service.createUser());
    const { idToken = '' } = await obtainTokens(service, application, userBrowser);
    const logoutParameters = { post_logout_redirect_uri: 'https://client.example/bye' };
    for (const identification of [{ client_id: application.clientId }, { id_token_hint: idToken }])
      for (const session of [openBrowserSession(service.baseUrl), userBrowser]) {
        const query = new URLSearchParams({ ...logoutParameters, ...identification });
        const visit = await session.follow(await session.get(`/oauth/logout?${query}`));
        const incident = /<code>([2-9A-Z]{10})<\/code>/.exec(visit.body)?.[1] ?? '';
        expect(await readPage(buildPath(application, `?incident=${incident}`))).toContain(
          'Sign-out: the URL https://client.example/bye is not registered.',
        );
      }
  });

  test.each(['ABCDEFGHJK', '"><b>', '%00', 'x'.repeat(3000), '-'])(
    'finds nothing if the code is invalid (%s)',
    async (typed) => {
      const visit = await browser.get(buildPath(application, `?incident=${typed}`));
      expect(visit.status).toBe(200);
      expect(visit.body).not.toContain('<b>');
    },
  );
});

describe('the diagnostics filter', () => {
  let filtered: TestClient;
  const loadRows = async (query: string, session = browser) => {
    const { status, body } = await session.get(buildPath(filtered, query));
    expect(status).toBe(200);
    return {
      body,
      titles: [...body.matchAll(/<span class="refusal-reason"><strong>([^<]+)/g)].map(([, title]) => title),
      options: [...body.matchAll(/<option value="([^"]*)"( selected)?/g)].map(([, value]) => value),
      selected: [...body.matchAll(/<option value="([^"]+)" selected/g)].map(([, value]) => value),
    };
  };
  beforeAll(async () => {
    filtered = await service.createClient({ ownerId: owner.userId });
    await requestAuthorization({ response_type: 'token' }, filtered);
    await requestAuthorization({ redirect_uri: 'https://evil.example/' }, filtered);
    await redeemCode(service, filtered, 'x');
  });

  test('offers only recorded reasons and endpoints', async () => {
    const { titles, options, selected } = await loadRows('');
    expect(titles).toEqual([
      'Not issued by this service',
      'Callback URL not registered',
      'Unsupported response_type',
    ]);
    expect(options).toEqual([
      ...['', 'redirect_uri_unregistered', 'token_malformed', 'response_type'],
      ...['', 'authorize', 'token'],
    ]);
    expect(selected).toEqual([]);
  });

  test.each([
    ['?reason=response_type', ['Unsupported response_type'], ['response_type']],
    ['?endpoint=authorize', ['Callback URL not registered', 'Unsupported response_type'], ['authorize']],
    ['?reason=response_type&endpoint=token', [], ['response_type', 'token']],
    ['?reason=state_missing', [], ['state_missing']],
    [
      '?reason=&endpoint=&incident=',
      ['Not issued by this service', 'Callback URL not registered', 'Unsupported response_type'],
      [],
    ],
  ])('shows the requests that match %s', async (query, titles, selected) => {
    const page = await loadRows(query);
    expect(page.titles).toEqual(titles);
    expect(page.selected).toEqual(selected);
    expect(page.body.includes('No refused request matches this filter.')).toBe(titles.length === 0);
    expect(page.body.includes('See all refused requests')).toBe(selected.length > 0);
  });

  test('expands the newest matching request', async () => {
    for (const [query, title] of [
      ['', 'Not issued by this service'],
      ['?endpoint=authorize', 'Callback URL not registered'],
    ] as const) {
      const [, list = ''] = (await loadRows(query)).body.split('<ol class="refusals">');
      const rows = list.split('<li class="refusal">').slice(1);
      expect(rows.map((row) => row.startsWith('<details open>'))).toEqual(
        rows.map((_, index) => index === 0),
      );
      expect(rows[0]).toContain(`<strong>${title}</strong>`);
    }
  });

  test.each(['%22%3E%3Cb%3E', '%00', 'x'.repeat(3000), 'Response_Type', "'"])(
    'ignores the malformed value %s',
    async (value) => {
      for (const name of ['reason', 'endpoint']) {
        const page = await loadRows(`?${name}=${value}`);
        expect(page.body).not.toContain('<b>');
        expect(page.titles.length).toBeGreaterThan(0);
      }
    },
  );

  test('is ignored if the URL contains an incident code', async () => {
    const { body } = await requestAuthorization({ redirect_uri: 'https://evil.example/' }, filtered);
    const incident = /<code>([2-9A-Z]{10})<\/code>/.exec(body)?.[1];
    const { titles, selected } = await loadRows(`?reason=response_type&endpoint=token&incident=${incident}`);
    expect(titles).toEqual(['Callback URL not registered']);
    expect(selected).toEqual([]);
  });
});

describe('the integration checklist', () => {
  const COMPLETE = /<details class="folded checklist">\s*<summary><h2>.*Integration complete<\/h2>/;
  const OPEN = /<details class="folded checklist" open>\s*<summary><h2>Integration checklist<\/h2>/;
  const loadPage = async (client: TestClient) => (await browser.get(buildPath(client))).body;
  const readCheck = (body: string, name: string) =>
    toText(
      new RegExp(`<li class="check[^"]*">\\s*(<svg.*?</svg>)?<span><strong>${name}[\\s\\S]*?</li>`).exec(
        body,
      )?.[0] ?? '',
    );

  test('is expanded until a sign-in has succeeded', async () => {
    const client = await service.createClient({ ownerId: owner.userId });
    const body = await loadPage(client);
    expect(body).toMatch(OPEN);
    expect(body.indexOf('Integration checklist')).toBeLessThan(body.indexOf('No refused requests.'));
    expect(readCheck(body, 'PKCE')).toContain('not seen yet');
    expect(body).not.toContain('name="incident"');
    const code = await authorize(service, client, await openSignedInBrowser(service, owner));
    expect(code.searchParams.has('code')).toBe(true);
    expect(await loadPage(client)).toMatch(OPEN);
  });

  test('is collapsed after a sign-in with PKCE', async () => {
    const client = await service.createClient({ ownerId: owner.userId });
    await obtainTokens(service, client, await openSignedInBrowser(service, owner));
    const body = await loadPage(client);
    expect(body).toMatch(COMPLETE);
    expect(readCheck(body, 'Code exchange')).toContain('seen');
    expect(readCheck(body, 'nonce')).toContain('optional');
    await authorize(service, client, await openSignedInBrowser(service, owner));
    const withoutPkce = await loadPage(client);
    expect(withoutPkce).toMatch(OPEN);
    expect(readCheck(withoutPkce, 'PKCE')).toContain('sometimes missing');
    expect(withoutPkce.match(/<li class="check check--(?:never|alsoWithout)">[\s\S]*?<\/li>/g)).toEqual([
      expect.stringContaining('/integrate">Integrate</a>'),
      expect.stringContaining('/integrate">Integrate</a>'),
    ]);
    expect(readCheck(withoutPkce, 'nonce')).toContain('missing');
  });
});

test('a URL sent by a client is displayed as text, not as a link', async () => {
  await requestAuthorization({ redirect_uri: 'https://evil.example/callback' });
  const { body } = await browser.get(buildPath(application));
  expect(body).not.toMatch(/href="[^"]*evil\.example/);
});

test('the diagnostics page distinguishes authenticated requests from anonymous ones', async () => {
  const failingClient = await createClientWithRefusals(service, owner);
  const text = await readPage(buildPath(failingClient));
  expect(text).toContain('from the application');
  expect(text).toContain('7 times');
  expect(text).toContain('and 2 more');
});

test('the diagnostics page compares an unregistered URL with the registered one', async () => {
  const client = await service.createClient({ ownerId: owner.userId });
  await requestAuthorization({ redirect_uri: `${client.redirectUri}/` }, client);
  await service.services.diagnostics.flush();
  const body = (await browser.get(buildPath(client, ''))).body.replaceAll('<wbr>', '');
  expect(body).toContain(`<dt>Sent</dt><dd><code>${client.redirectUri}/</code></dd>`);
  expect(body).toContain(`<dt>Registered</dt><dd><code>${client.redirectUri}</code></dd>`);
  expect(body).toContain(`href="/console/applications/${client.clientId}/edit#redirect_uris">Settings</a>`);
});

test('the diagnostics page links only to pages that the application has', async () => {
  const type = 'public' as const;
  const client = await service.createClient({ ownerId: owner.userId, type });
  const form = { client_id: client.clientId, grant_type: 'client_credentials' };
  await postForm(service, '/oauth/token', { ...form, resource: 'https://api.example/' });
  await service.services.diagnostics.flush();
  const { body } = await browser.get(buildPath(client, ''));
  expect(body).toContain('client_credentials not allowed');
  expect(body).not.toContain(`href="/console/applications/${client.clientId}/apis"`);
});
