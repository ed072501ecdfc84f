// The consent page of requests that name APIs (D46 to D48): what it says of them, and that what was seen is what holds.
import { beforeAll, describe, expect, test } from 'vitest';
import type { NewApi } from '../../../src/store/apis.ts';
import type { BrowserSession, Visit } from '../../support/browser-session.ts';
import { authorizeAddress, decide, redeem, renew, signedInBrowser } from '../../support/flow.ts';
import { headingOf, mainOf, textIn } from '../../support/markup.ts';
import { sql } from '../../support/populate.ts';
import { type TestApplication, useTestService } from '../../support/service.ts';

const service = useTestService();
let application: TestApplication;
let browser: BrowserSession;
beforeAll(async () => {
  application = await service.createApplication({ name: 'Carnet' });
  browser = await signedInBrowser(service, await service.createUser());
});

const ask = async (api: NewApi, scope = 'read write', language = 'en'): Promise<Visit> => {
  const url = authorizeAddress(service, application, { scope, resource: api.identifier });
  const visit = await browser.follow(await browser.get(url));
  return browser.get(`/consent?pending=${visit.hidden.pending}&lang=${language}`);
};
const codeOf = (visit: Visit) => visit.location?.searchParams.get('code');
const change = (query: string, values: unknown[]) => sql(service.parts.database, query, values);

describe('what the page says of an API', () => {
  test('its name, host and owner, what it is, each scope; sensitive ones apart; in the reader’s language', async () => {
    const owner = await service.createUser({ name: 'Zoé <b>Owner' });
    const api = await service.createApi({
      ownerId: owner.userId,
      identifier: 'https://papers.example:8443/v1',
      name: 'Papers <script>',
      wordsFr: 'Vos papiers <i>.',
      wordsEn: 'Your papers <i>.',
    });
    const page = await ask(api);
    expect(headingOf(page.body)).toBe('Give Carnet access?');
    for (const text of [
      'papers.example:8443',
      'Papers &lt;script&gt;',
      'Zoé &lt;b&gt;Owner',
      'Your papers &lt;i&gt;.',
      'read in English',
    ])
      expect(page.body).toContain(text);
    // Before all else, so that nobody has to scroll for it.
    const [, after = ''] = page.body.split('Sensitive access');
    const [sensitive = '', ...others] = after.split('</div>');
    const plain = others.join('');
    expect([sensitive.includes('write in English'), plain.includes('write in English')]).toEqual([
      true,
      false,
    ]);
    expect([sensitive.includes('read in English'), plain.includes('read in English')]).toEqual([false, true]);
    expect(page.body.match(/type="checkbox"/g), 'for the sensitive one').toHaveLength(1);
    const french = await ask(api, 'read', 'fr');
    expect(french.body).toContain('read en français');
    expect(french.body).toContain('Vos papiers &lt;i&gt;.');
    expect(french.body).not.toContain('write en français');
    expect(french.body).not.toContain('Accès sensibles');
  });
});

describe('sensitive scopes', () => {
  test('unticked they are not granted; the rest is, whatever the form says of it', async () => {
    const api = await service.createApi();
    const page = await ask(api);
    const visit = await browser.post('/consent', { ...page.hidden, decision: 'allow', scope: 'x' });
    expect((await redeem(service, application, codeOf(visit) ?? '')).body.scope).toBe('read');
  });

  test('left unticked they are asked for again each time, never granted silently, also once they are not sensitive', async () => {
    const api = await service.createApi();
    const silent = () =>
      browser.get(
        authorizeAddress(service, application, {
          scope: 'read write',
          resource: api.identifier,
          prompt: 'none',
        }),
      );
    await decide(browser, await ask(api), 'allow');
    expect((await silent()).location?.searchParams.get('error')).toBe('consent_required');
    expect((await ask(api)).body).toContain('type="checkbox"');
    // Without the sensitive scope nothing is to be asked.
    const narrow = authorizeAddress(service, application, {
      scope: 'read',
      resource: api.identifier,
      prompt: 'none',
    });
    const code = codeOf(await browser.get(narrow)) ?? '';
    expect((await redeem(service, application, code)).body.scope).toBe('read');
    await change("update apis set scopes = jsonb_set(scopes, '{1,sensitive}', 'false') where api_id = $1", [
      api.apiId,
    ]);
    expect((await silent()).location?.searchParams.get('error')).toBe('consent_required');
  });

  test('ticked, they are still never granted silently (prompt=none)', async () => {
    const api = await service.createApi();
    const page = await ask(api);
    const visit = await browser.post('/consent', {
      ...page.hidden,
      decision: 'allow',
      scope: `${api.apiId} write`,
    });
    expect((await redeem(service, application, codeOf(visit) ?? '')).body.scope).toBe('read write');
    const url = authorizeAddress(service, application, {
      scope: 'read write',
      resource: api.identifier,
      prompt: 'none',
    });
    expect((await browser.get(url)).location?.searchParams.get('error')).toBe('consent_required');
  });

  test('of several APIs come before everything else, each with the name of its API', async () => {
    const [one, other] = [
      await service.createApi({ name: 'Papers' }),
      await service.createApi({ name: 'Money' }),
    ];
    const url = authorizeAddress(service, application, {
      scope: 'openid read write',
      resource: one.identifier,
    });
    url.searchParams.append('resource', other.identifier);
    const visit = await browser.follow(await browser.get(url));
    const { body } = await browser.get(`/consent?pending=${visit.hidden.pending}&lang=en`);
    const words = textIn(mainOf(body));
    expect(words).toMatch(
      /Sensitive access.*write in English Papers.*write in English Money.*read in English.*read in English.*What will be shared/,
    );
    const allowed = await browser.post('/consent', {
      ...visit.hidden,
      decision: 'allow',
      scope: `${other.apiId} write`,
    });
    const code = codeOf(allowed) ?? '';
    const tokens = (await redeem(service, application, code, { resource: one.identifier })).body;
    expect(tokens.scope).toBe('read');
    const renewed = await renew(service, application, String(tokens.refresh_token), {
      resource: other.identifier,
    });
    expect(renewed.body.scope).toBe('read write');
  });
});

describe('what the person agrees to is what they saw', () => {
  test.each([
    ['name', "update apis set name = 'Other' where api_id = $1"],
    ['words', "update apis set words_fr = 'Autre chose.' where api_id = $1"],
    ['owner', 'update apis set owner_id = $2 where api_id = $1'],
    [
      'name of its owner',
      "update users set name = 'Somebody Else' where id = (select owner_id from apis where api_id = $1)",
    ],
    [
      'words of a scope',
      `update apis set scopes = jsonb_set(scopes, '{0,en}', '"Delete everything"') where api_id = $1`,
    ],
    [
      'sensitive scope',
      "update apis set scopes = jsonb_set(scopes, '{0,sensitive}', 'true') where api_id = $1",
    ],
  ])('another %s while the page was open: it is shown again, and no code given', async (what, query) => {
    const api = await service.createApi();
    const page = await ask(api);
    const owner = await service.createUser({ name: 'Somebody Else' });
    await change(query, what === 'owner' ? [api.apiId, owner.userId] : [api.apiId]);
    const again = await decide(browser, page, 'allow');
    expect([again.status, codeOf(again)]).toEqual([409, undefined]);
    expect(again.body).toContain('has changed in the meantime');
    const visit = await decide(browser, again, 'allow');
    // What has just become sensitive was not ticked: then nothing is left to grant.
    if (what === 'sensitive scope') return expect(visit.status).toBe(400);
    expect((await redeem(service, application, codeOf(visit) ?? '')).body.scope).toBe('read');
  });
});
