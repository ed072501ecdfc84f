// The consent page for API scopes.
import { beforeAll, describe, expect, test } from 'vitest';
import type { NewApi } from '../../../src/store/apis.ts';
import type { BrowserSession, Visit } from '../../support/browser-session.ts';
import { readHeading, readMain, readText } from '../../support/markup.ts';
import {
  buildAuthorizeUrl,
  openSignedInBrowser,
  redeemCode,
  redeemRefreshToken,
  submitDecision,
} from '../../support/oauth-flow.ts';
import { type TestClient, useTestService } from '../../support/service.ts';
import { sql } from '../../support/store-fixtures.ts';

const service = useTestService();
let application: TestClient;
let browser: BrowserSession;
beforeAll(async () => {
  application = await service.createClient({ name: 'Carnet' });
  browser = await openSignedInBrowser(service, await service.createUser());
});

const openConsentPage = async (api: NewApi, scope = 'read write', language = 'en'): Promise<Visit> => {
  const url = buildAuthorizeUrl(service, application, { scope, resource: api.identifier });
  const visit = await browser.follow(await browser.get(url));
  return browser.get(`/consent?pending=${visit.hidden.pending}&lang=${language}`);
};
const readCode = (visit: Visit) => visit.location?.searchParams.get('code');
const runSql = (query: string, values: unknown[]) => sql(service.services.database, query, values);

describe('the consent page', () => {
  test("describes an API and the requested scopes in the user's language", async () => {
    const owner = await service.createUser({ name: 'Zoé <b>Owner' });
    const api = await service.createApi({
      ownerId: owner.userId,
      identifier: 'https://papers.example:8443/v1',
      name: 'Papers <script>',
      descriptionFr: 'Vos papiers <i>.',
      descriptionEn: 'Your papers <i>.',
    });
    const page = await openConsentPage(api);
    expect(readHeading(page.body)).toBe('Give Carnet access to Papers <script>?');
    for (const text of [
      'papers.example:8443',
      'Papers &lt;script&gt;',
      'Zoé &lt;b&gt;Owner',
      'Your papers &lt;i&gt;.',
      'read in English',
    ])
      expect(page.body).toContain(text);
    // Sensitive access comes first so that it is visible without scrolling.
    const [, sensitiveSection = ''] = page.body.split('Sensitive access');
    const [sensitive = '', ...others] = sensitiveSection.split('</div>');
    const otherScopes = others.join('');
    expect([sensitive.includes('write in English'), otherScopes.includes('write in English')]).toEqual([
      true,
      false,
    ]);
    expect([sensitive.includes('read in English'), otherScopes.includes('read in English')]).toEqual([
      false,
      true,
    ]);
    expect(page.body.match(/type="checkbox"/g), 'only the sensitive scope has a checkbox').toHaveLength(1);
    const french = await openConsentPage(api, 'read', 'fr');
    expect(french.body).toContain('read en français');
    expect(french.body).toContain('Vos papiers &lt;i&gt;.');
    expect(french.body).not.toContain('write en français');
    expect(french.body).not.toContain('Accès sensibles');
  });
});

describe('API scopes', () => {
  test('marked as sensitive are granted only if the user selects them', async () => {
    const api = await service.createApi();
    const page = await openConsentPage(api);
    const visit = await browser.post('/consent', { ...page.hidden, decision: 'allow', scope: 'x' });
    expect((await redeemCode(service, application, readCode(visit) ?? '')).body.scope).toBe('read');
  });

  test('marked as sensitive require consent until the user selects them', async () => {
    const api = await service.createApi();
    const requestWithoutPrompt = () =>
      browser.get(
        buildAuthorizeUrl(service, application, {
          scope: 'read write',
          resource: api.identifier,
          prompt: 'none',
        }),
      );
    await submitDecision(browser, await openConsentPage(api), 'allow');
    expect((await requestWithoutPrompt()).location?.searchParams.get('error')).toBe('consent_required');
    expect((await openConsentPage(api)).body).toContain('type="checkbox"');
    const narrowUrl = buildAuthorizeUrl(service, application, {
      scope: 'read',
      resource: api.identifier,
      prompt: 'none',
    });
    const code = readCode(await browser.get(narrowUrl)) ?? '';
    expect((await redeemCode(service, application, code)).body.scope).toBe('read');
    await runSql("update apis set scopes = jsonb_set(scopes, '{1,sensitive}', 'false') where api_id = $1", [
      api.apiId,
    ]);
    expect((await requestWithoutPrompt()).location?.searchParams.get('error')).toBe('consent_required');
  });

  test('marked as sensitive are never granted with prompt=none', async () => {
    const api = await service.createApi();
    const page = await openConsentPage(api);
    const visit = await browser.post('/consent', {
      ...page.hidden,
      decision: 'allow',
      scope: `${api.apiId} write`,
    });
    expect((await redeemCode(service, application, readCode(visit) ?? '')).body.scope).toBe('read write');
    const url = buildAuthorizeUrl(service, application, {
      scope: 'read write',
      resource: api.identifier,
      prompt: 'none',
    });
    expect((await browser.get(url)).location?.searchParams.get('error')).toBe('consent_required');
  });

  test('fall back to the only available description', async () => {
    const scope = { name: 'read', fr: 'Lire vos notes', en: '', sensitive: false, agents: true };
    const api = await service.createApi({ descriptionFr: '', descriptionEn: 'Your notes', scopes: [scope] });
    const english = readText(readMain((await openConsentPage(api, 'read', 'en')).body));
    expect(english).toContain('Your notes');
    expect(english).toContain('Lire vos notes');
    const french = readText(readMain((await openConsentPage(api, 'read', 'fr')).body));
    expect(french).toContain('Your notes');
  });

  test('marked as sensitive are listed first if several APIs are requested', async () => {
    const [firstApi, secondApi] = [
      await service.createApi({ name: 'Papers' }),
      await service.createApi({ name: 'Money' }),
    ];
    const url = buildAuthorizeUrl(service, application, {
      scope: 'openid read write',
      resource: firstApi.identifier,
    });
    url.searchParams.append('resource', secondApi.identifier);
    const visit = await browser.follow(await browser.get(url));
    const { body } = await browser.get(`/consent?pending=${visit.hidden.pending}&lang=en`);
    const text = readText(readMain(body));
    expect(text).toMatch(
      /Sensitive access.*write in English Papers.*write in English Money.*read in English.*read in English.*What will be shared/,
    );
    const allowResponse = await browser.post('/consent', {
      ...visit.hidden,
      decision: 'allow',
      scope: `${secondApi.apiId} write`,
    });
    const code = readCode(allowResponse) ?? '';
    const tokens = (await redeemCode(service, application, code, { resource: firstApi.identifier })).body;
    expect(tokens.scope).toBe('read');
    const refreshed = await redeemRefreshToken(service, application, String(tokens.refresh_token), {
      resource: secondApi.identifier,
    });
    expect(refreshed.body.scope).toBe('read write');
  });
});

describe('the consent page for an API', () => {
  test.each([
    ['name', "update apis set name = 'Other' where api_id = $1"],
    ['description', "update apis set description_fr = 'Autre chose.' where api_id = $1"],
    ['owner', 'update apis set owner_id = $2 where api_id = $1'],
    [
      "owner's name",
      "update users set name = 'Somebody Else' where id = (select owner_id from apis where api_id = $1)",
    ],
    [
      'scope description',
      `update apis set scopes = jsonb_set(scopes, '{0,en}', '"Delete everything"') where api_id = $1`,
    ],
    [
      'scope sensitivity',
      "update apis set scopes = jsonb_set(scopes, '{0,sensitive}', 'true') where api_id = $1",
    ],
  ])("is shown again if the API's %s has changed", async (change, query) => {
    const api = await service.createApi();
    const page = await openConsentPage(api);
    const owner = await service.createUser({ name: 'Somebody Else' });
    await runSql(query, change === 'owner' ? [api.apiId, owner.userId] : [api.apiId]);
    const nextPage = await submitDecision(browser, page, 'allow');
    expect([nextPage.status, readCode(nextPage)]).toEqual([409, undefined]);
    expect(nextPage.body).toContain('has changed. Check it, then choose again.');
    const visit = await submitDecision(browser, nextPage, 'allow');
    // Both scopes are now sensitive and unchecked, so no scope is selected.
    if (change === 'scope sensitivity') return expect(visit.status).toBe(400);
    expect((await redeemCode(service, application, readCode(visit) ?? '')).body.scope).toBe('read');
  });
});
