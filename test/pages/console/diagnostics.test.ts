// The diagnostics page: who sees it, what it says in both languages, how an incident code leads to its refusal.
import { beforeAll, describe, expect, test } from 'vitest';
import { messagesFor } from '../../../src/i18n/index.ts';
import { statement } from '../../../src/store/statement.ts';
import { type BrowserSession, openBrowserSession } from '../../support/browser-session.ts';
import { troubledApplication } from '../../support/diagnostics.ts';
import { authorizeAddress, obtainTokens, redeem, signedInBrowser } from '../../support/flow.ts';
import { sql } from '../../support/populate.ts';
import { type TestApplication, type TestUser, useTestService } from '../../support/service.ts';

const service = useTestService();
let owner: TestUser;
let application: TestApplication;
let browser: BrowserSession;
beforeAll(async () => {
  owner = await service.createUser();
  application = await service.createApplication({ ownerId: owner.userId });
  browser = await signedInBrowser(service, owner);
});

const addressOf = ({ clientId }: TestApplication, query = '') =>
  `/console/applications/${clientId}/diagnostics${query}`;
const ask = (parameters: Record<string, string | undefined>, app = application) =>
  openBrowserSession(service.baseUrl).get(authorizeAddress(service, app, parameters));
/** The text of a page as a person reads it. */
const read = async (path: string, who = browser) =>
  textOf((await who.get(path)).body.replace(/[\s\S]*<main/, '<main'));
const textOf = (markup: string) =>
  markup
    .replace(/<[^>]*>/g, '')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');

describe('who sees it', () => {
  test('an administrator does, with a notice that it is someone else’s', async () => {
    const operator = await service.createUser();
    await sql(service.parts.database, 'update users set operator = true where id = $1', [operator.userId]);
    await ask({ redirect_uri: `${application.redirectUri}/` });
    const visit = await (await signedInBrowser(service, operator)).get(addressOf(application));
    expect(visit.status).toBe(200);
    expect(visit.body).toContain('someone else');
    const way = await (await signedInBrowser(service, operator)).get(
      `/console/operations/applications/${application.clientId}`,
    );
    expect(way.body).toContain(`href="${addressOf(application)}"`);
  });

  test('the refusals of one application are not on the page of another of the same owner', async () => {
    const quiet = await service.createApplication({ ownerId: owner.userId });
    const { body } = await ask({ redirect_uri: 'https://evil.example/' });
    const incident = /<code>([2-9A-Z]{10})<\/code>/.exec(body)?.[1];
    expect(await read(addressOf(quiet))).toContain('Nothing was refused.');
    expect(await read(addressOf(quiet, `?incident=${incident}`))).toContain('No request kept');
    expect(await read(addressOf(application, `?incident=${incident}`))).not.toContain('No request kept');
  });
});

describe('the words', () => {
  test('the callback that ends with a slash, in both languages', async () => {
    await ask({ redirect_uri: `${application.redirectUri}/` });
    expect(await read(addressOf(application))).toContain(
      'The path sent is /callback/, the registered one is /callback: mind the final slash.',
    );
    expect(await read(addressOf(application, '?lang=fr'))).toContain(
      'Le chemin envoyé est /callback/, celui qui est enregistré est /callback : attention à la barre oblique finale.',
    );
    await browser.get(addressOf(application, '?lang=en'));
  });

  test('an expired secret is named by number and dates', async () => {
    const old = await service.createApplication({ ownerId: owner.userId });
    await sql(
      service.parts.database,
      `update secrets set number = 2, created_at = '2026-03-03', expires_at = '2026-03-10' where client_id = $1`,
      [old.clientId],
    );
    await redeem(service, old, 'x');
    const text = await read(addressOf(old));
    expect(text).toMatch(/Secret no\. 2, created on 3\s+March\s+2026, expired on 10\s+March\s+2026\./);
  });

  test('every reason has a sentence in both languages whose facts are all filled in', async () => {
    const full = await service.createApplication({ ownerId: owner.userId });
    const kinds = Object.keys(messagesFor('fr').diagnostics.causes);
    const facts = {
      ...{ sent: 'SENT', nearest: 'NEAREST', parameter: 'scope', scope: 'phone', length: 12, number: 2 },
      ...{ created: '2026-03-03T00:00:00Z', expired: '2026-03-10T00:00:00Z', application: 'Agenda' },
      ...{ endpoint: 'token', words: 'roles' },
    };
    await service.parts.database.query(
      statement(
        'test_every_kind',
        `insert into refusals (client_id, authenticated, held, at, endpoint, error, kind, facts, address, incident)
        select $1, number % 2 = 0, false, $4, 'token', 'invalid_request', kind, $3::jsonb, '192.0.2.1', 'ABCDEFGHJK'
        from unnest($2::text[]) with ordinality as k (kind, number)`,
      ),
      [full.clientId, [...kinds, 'of_a_later_version'], JSON.stringify(facts), service.clock.now()],
    );
    for (const language of ['fr', 'en'] as const) {
      const { body } = await browser.get(addressOf(full, `?lang=${language}`));
      const shown = [...body.matchAll(/<li class="refusal">\s*<h3[^>]*>([\s\S]*?)<\/h3>/g)].map(
        (match) => match[1],
      );
      expect(shown).toHaveLength(kinds.length + 1);
      for (const sentence of shown) expect(sentence).not.toMatch(/[{}]|undefined|^$/);
      expect(new Set(shown).size).toBeGreaterThanOrEqual(kinds.length - 3);
    }
    await browser.get(addressOf(application, '?lang=en'));
  });
});

describe('the code that the failing person saw', () => {
  test('leads to the one refusal, however it is typed', async () => {
    const { body } = await ask({ redirect_uri: 'https://client.example/elsewhere' });
    const incident = /<code>([2-9A-Z]{10})<\/code>/.exec(body)?.[1] ?? '';
    for (const typed of [
      incident,
      incident.toLowerCase(),
      ` ${incident.slice(0, 5)}-${incident.slice(5)} `,
    ]) {
      const visit = await browser.get(addressOf(application, `?incident=${encodeURIComponent(typed)}`));
      expect(visit.body.match(/<li class="refusal">/g)).toHaveLength(1);
      expect(textOf(visit.body)).toContain('The path sent is /elsewhere, the registered one is /callback.');
    }
  });

  test('of a refused sign-out too, where the request names the application or its id_token does', async () => {
    const person = await signedInBrowser(service, await service.createUser());
    const { idToken = '' } = await obtainTokens(service, application, person);
    const back = { post_logout_redirect_uri: 'https://client.example/bye' };
    for (const naming of [{ client_id: application.clientId }, { id_token_hint: idToken }])
      for (const who of [openBrowserSession(service.baseUrl), person]) {
        const query = new URLSearchParams({ ...back, ...naming });
        const visit = await who.follow(await who.get(`/oauth/logout?${query}`));
        const incident = /<code>([2-9A-Z]{10})<\/code>/.exec(visit.body)?.[1] ?? '';
        expect(await read(addressOf(application, `?incident=${incident}`))).toContain(
          'Sign-out: the URL https://client.example/bye is not registered.',
        );
      }
  });

  test.each(['ABCDEFGHJK', '"><b>', '%00', 'x'.repeat(3000), '-'])(
    'what is no code finds nothing: %s',
    async (typed) => {
      const visit = await browser.get(addressOf(application, `?incident=${typed}`));
      expect(visit.status).toBe(200);
      expect(visit.body).not.toContain('<b>');
    },
  );
});

test('no address on the page leads to what was sent', async () => {
  await ask({ redirect_uri: 'https://evil.example/callback' });
  const { body } = await browser.get(addressOf(application));
  expect(body).not.toMatch(/href="[^"]*evil\.example/);
});

test('an application in trouble shows its failures apart from everybody else’s', async () => {
  const troubled = await troubledApplication(service, owner);
  const text = await read(addressOf(troubled));
  expect(text).toContain('from the application');
  expect(text).toContain('7 times');
  expect(text).toContain('and 2 more');
});
