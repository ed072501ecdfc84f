// An application's diagnostics page: access, messages in both languages, incident codes.
import { beforeAll, describe, expect, test } from 'vitest';
import { messagesFor } from '../../../src/i18n/index.ts';
import { statement } from '../../../src/store/statement.ts';
import { type BrowserSession, openBrowserSession } from '../../support/browser-session.ts';
import { createClientWithRefusals } from '../../support/diagnostics.ts';
import {
  buildAuthorizeUrl,
  obtainTokens,
  openSignedInBrowser,
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
  test('is shown to an administrator with a notice', async () => {
    const admin = await service.createUser();
    await sql(service.services.database, 'update users set is_admin = true where id = $1', [admin.userId]);
    await requestAuthorization({ redirect_uri: `${application.redirectUri}/` });
    const visit = await (await openSignedInBrowser(service, admin)).get(buildPath(application));
    expect(visit.status).toBe(200);
    expect(visit.body).toContain('someone else');
    const adminPage = await (await openSignedInBrowser(service, admin)).get(
      `/console/operations/applications/${application.clientId}`,
    );
    expect(adminPage.body).toContain(`href="${buildPath(application)}"`);
  });

  test("shows only the application's own refused requests", async () => {
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

describe('the messages on the diagnostics page', () => {
  test('point out a trailing slash in a redirect URI, in both languages', async () => {
    await requestAuthorization({ redirect_uri: `${application.redirectUri}/` });
    expect(await readPage(buildPath(application))).toContain(
      'The path sent is /callback/, the registered one is /callback. Check the trailing slash.',
    );
    expect(await readPage(buildPath(application, '?lang=fr'))).toContain(
      'Le chemin envoyé est /callback/, celui qui est enregistré est /callback : attention à la barre oblique finale.',
    );
    await browser.get(buildPath(application, '?lang=en'));
  });

  test('contain the number and dates of an expired secret', async () => {
    const expiredClient = await service.createClient({ ownerId: owner.userId });
    await sql(
      service.services.database,
      `update secrets set number = 2, created_at = '2026-03-03', expires_at = '2026-03-10' where client_id = $1`,
      [expiredClient.clientId],
    );
    await redeemCode(service, expiredClient, 'x');
    const text = await readPage(buildPath(expiredClient));
    expect(text).toMatch(/Secret no\. 2, created on 3\s+March\s+2026, expired on 10\s+March\s+2026\./);
  });

  test('have text for every reason in both languages, without unfilled placeholders', async () => {
    const clientWithAllKinds = await service.createClient({ ownerId: owner.userId });
    const kinds = Object.keys(messagesFor('fr').diagnostics.causes);
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
      const headings = [...body.matchAll(/<li class="refusal">\s*<h3[^>]*>([\s\S]*?)<\/h3>/g)].map(
        (match) => match[1],
      );
      expect(headings).toHaveLength(kinds.length + 1);
      for (const heading of headings) expect(heading).not.toMatch(/[{}]|undefined|^$/);
      expect(new Set(headings).size).toBeGreaterThanOrEqual(kinds.length - 3);
    }
    await browser.get(buildPath(application, '?lang=en'));
  });
});

describe('an incident code', () => {
  test("identifies the rejected request, regardless of the code's spelling", async () => {
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

  test('identifies a rejected sign-out request if the request names the client', async () => {
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
    'identifies no request if the code is invalid: %s',
    async (typed) => {
      const visit = await browser.get(buildPath(application, `?incident=${typed}`));
      expect(visit.status).toBe(200);
      expect(visit.body).not.toContain('<b>');
    },
  );
});

test('a URL that a client sent is shown as text, not as a link', async () => {
  await requestAuthorization({ redirect_uri: 'https://evil.example/callback' });
  const { body } = await browser.get(buildPath(application));
  expect(body).not.toMatch(/href="[^"]*evil\.example/);
});

test('the diagnostics page distinguishes requests by the application from anonymous requests', async () => {
  const failingClient = await createClientWithRefusals(service, owner);
  const text = await readPage(buildPath(failingClient));
  expect(text).toContain('from the application');
  expect(text).toContain('7 times');
  expect(text).toContain('and 2 more');
});
