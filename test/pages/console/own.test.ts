// Another person's application or API: 404 on every page and every form. Operators have pages of their own.
import { beforeAll, describe, expect, test } from 'vitest';
import type { BrowserSession } from '../../support/browser-session.ts';
import { APIS, at, atApi, type Fields, SETTINGS, sendFields } from '../../support/console.ts';
import { databaseContent } from '../../support/database-content.ts';
import { newPerson } from '../../support/flow.ts';
import { PASSWORD, useTestService } from '../../support/service.ts';
import { upload } from '../../support/upload.ts';

const SHARED: Record<string, Fields> = {
  '/secrets': { form: 'A'.repeat(43), overlap: '0' },
  '/secrets/1/end': {},
  '/delete': { name: 'Carnet' },
  '/transfer': { email: 'evil@example.com' },
  '/transfer/cancel': {},
  '/transfer/accept': {},
};
const SCOPE: Fields = { scope: 'b', words_fr: 'b', words_en: 'b' };

/** What lies below the page of a thing. `seen` is open to operators, too. */
const KINDS = {
  application: {
    list: '/console/applications',
    page: at,
    absent: 'app_AAAAAAAAAAAAAAAAAAAA',
    pages: [
      '',
      '/edit',
      '/logo',
      '/protocol',
      '/secrets',
      '/secrets/1/end',
      '/delete',
      '/transfer',
      '/integrate',
    ],
    seen: ['/activity', '/diagnostics', '/diagnostics?incident=ABCDEFGHJK'],
    noForm: ['', '/integrate', '/diagnostics', '/activity', '/nothing', '/secrets/1'],
    forms: {
      ...SHARED,
      '/edit': { ...SETTINGS, name: 'Taken over', redirect_uris: 'https://evil.example/' },
      '/logo': { remove: 'yes' },
      '/protocol': { id_token_algorithm: 'RS256' },
    } as Record<string, Fields>,
  },
  api: {
    list: APIS,
    page: atApi,
    absent: 'api_AAAAAAAAAAAAAAAAAAAA',
    pages: [
      '',
      '/edit',
      '/scopes',
      '/scopes/new',
      '/scopes/edit-read',
      '/scopes/remove-read',
      '/keys',
      '/secrets',
    ].concat(['/secrets/1/end', '/delete', '/transfer', '/integrate', '/access', '/requests']),
    seen: ['/diagnostics', '/diagnostics?incident=ABCDEFGHJK', '/test'],
    noForm: ['', '/scopes', '/integrate', '/diagnostics', '/nothing'],
    forms: {
      ...SHARED,
      '/edit': { name: 'Taken over', words_fr: 'x', words_en: 'x', admits: 'agents', token_lifetime: '3600' },
      '/scopes/new': SCOPE,
      '/scopes/edit-read': SCOPE,
      '/scopes/remove-read': SCOPE,
      '/keys': { jwks: '' },
    } as Record<string, Fields>,
  },
};

const service = useTestService();

describe.each(Object.entries(KINDS))(
  'of an %s',
  (kind, { list, page, absent, pages, seen, noForm, forms }) => {
    const make = async (ownerId: string) =>
      kind === 'api'
        ? (await service.createApi({ ownerId })).apiId
        : (await service.createApplication({ ownerId })).clientId;
    let id: string;
    let theirs: BrowserSession;
    beforeAll(async () => {
      const { user, browser } = await newPerson(service);
      theirs = browser;
      id = await make(user.userId);
    });

    describe.each([
      ['another person', false],
      ['an operator', true],
    ])('to %s', (_, operator) => {
      let browser: BrowserSession;
      let csrf = '';
      beforeAll(async () => {
        const stranger = await newPerson(service, { operator });
        browser = stranger.browser;
        // A form of a thing of their own, so that nothing but the ownership is wrong.
        csrf = (await browser.get(page(await make(stranger.user.userId), '/delete'))).hidden.csrf ?? '';
      });

      test('each page is 404, as that of a thing that does not exist', async () => {
        for (const below of operator ? pages : [...pages, ...seen]) {
          const [foreign, none] = [
            await browser.get(page(id, below)),
            await browser.get(page(absent, below)),
          ];
          expect([below, foreign.status, none.status]).toEqual([below, 404, 404]);
          expect(foreign.body.replaceAll(id, 'X')).toBe(none.body.replaceAll(absent, 'X'));
        }
        expect((await browser.get(list)).body).not.toContain(id);
      });

      test('each form is 404 and changes nothing', async () => {
        const tables = async () => {
          const { clients, apis, secrets, transfer_offers, events } = await databaseContent(
            service.databaseUrl,
          );
          return { clients, apis, secrets, transfer_offers, events };
        };
        const before = await tables();
        for (const [below, fields] of Object.entries(forms)) {
          const answer = await sendFields(browser, page(id, below), {
            csrf,
            current_password: PASSWORD,
            ...fields,
          });
          expect([below, answer.status]).toEqual([below, 404]);
        }
        if (kind === 'application') {
          const file = { name: 'logo', content: Buffer.from('x'), fileName: 'x.png' };
          expect((await upload(browser, page(id, '/logo'), { csrf }, file)).status).toBe(404);
        }
        for (const below of noForm)
          for (const one of [id, absent])
            expect([below, (await sendFields(browser, page(one, below), { csrf })).status]).toEqual([
              below,
              404,
            ]);
        expect(await tables()).toEqual(before);
      });

      test.each(['PUT', 'PATCH', 'DELETE'])('%s is no way in, not even for the owner', async (method) => {
        const headers = { 'sec-fetch-site': 'same-origin' };
        for (const below of pages)
          for (const one of [browser, theirs])
            expect([below, (await one.send(page(id, below), { method, headers })).status]).toEqual([
              below,
              404,
            ]);
      });
    });

    test('an id that cannot be one is 404, never 500', async () => {
      for (const odd of ['%2e%2e', 'app_%00', "'%20or%201=1--", '%22%3E', 'a'.repeat(65), 'x'.repeat(5000)])
        for (const below of ['', '/edit', '/secrets', '/transfer/accept', '/integrate', '/diagnostics'])
          expect([odd, below, (await theirs.get(`${list}/${odd}${below}`)).status]).toEqual([
            odd,
            below,
            404,
          ]);
    });
  },
);
