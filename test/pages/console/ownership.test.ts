import { beforeAll, describe, expect, test } from 'vitest';
import type { BrowserSession } from '../../support/browser-session.ts';
import {
  APIS_PATH,
  apiPath,
  CLIENT_SETTINGS,
  clientPath,
  type FormFields,
  postFields,
} from '../../support/console-forms.ts';
import { databaseContent } from '../../support/database-content.ts';
import { createSignedInUser } from '../../support/oauth-flow.ts';
import { PASSWORD, useTestService } from '../../support/service.ts';
import { upload } from '../../support/upload.ts';

const COMMON_FORMS: Record<string, FormFields> = {
  '/secrets': { form: 'A'.repeat(43), overlap: '0' },
  '/secrets/1/end': {},
  '/delete': { name: 'Carnet' },
  '/transfer': { email: 'evil@example.com' },
  '/transfer/cancel': {},
  '/transfer/accept': {},
};
const SCOPE_FIELDS: FormFields = { scope: 'b', description_fr: 'b', description_en: 'b' };

/** Administrators can also open `visibleToAdmins`. */
const RESOURCE_KINDS = {
  application: {
    list: '/console/applications',
    page: clientPath,
    absent: 'app_AAAAAAAAAAAAAAAAAAAA',
    pages: [
      '',
      '/edit',
      '/logo',
      '/protocol',
      '/sign-out',
      '/secrets',
      '/secrets/1/end',
      '/delete',
      '/transfer',
      '/integrate',
    ],
    visibleToAdmins: ['/activity', '/diagnostics', '/diagnostics?incident=ABCDEFGHJK'],
    withoutForm: ['', '/integrate', '/diagnostics', '/activity', '/nothing', '/secrets/1'],
    forms: {
      ...COMMON_FORMS,
      '/edit': { ...CLIENT_SETTINGS, name: 'Taken over', redirect_uris: 'https://evil.example/' },
      '/logo': { remove: 'yes' },
      '/protocol': { id_token_algorithm: 'RS256' },
      '/sign-out': { post_logout_redirect_uris: 'https://evil.example/' },
    } as Record<string, FormFields>,
  },
  api: {
    list: APIS_PATH,
    page: apiPath,
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
    visibleToAdmins: ['/diagnostics', '/diagnostics?incident=ABCDEFGHJK', '/test'],
    withoutForm: ['', '/scopes', '/integrate', '/diagnostics', '/nothing'],
    forms: {
      ...COMMON_FORMS,
      '/edit': {
        name: 'Taken over',
        description_fr: 'x',
        description_en: 'x',
        allowed_clients: 'agents',
        token_lifetime: '3600',
      },
      '/scopes/new': SCOPE_FIELDS,
      '/scopes/edit-read': SCOPE_FIELDS,
      '/scopes/remove-read': SCOPE_FIELDS,
      '/keys': { jwks: '' },
    } as Record<string, FormFields>,
  },
};

const service = useTestService();

describe.each(Object.entries(RESOURCE_KINDS))(
  "another user's %s",
  (kind, { list, page, absent, pages, visibleToAdmins, withoutForm, forms }) => {
    const createOwnedResource = async (ownerId: string) =>
      kind === 'api'
        ? (await service.createApi({ ownerId })).apiId
        : (await service.createClient({ ownerId })).clientId;
    let id: string;
    let ownerBrowser: BrowserSession;
    beforeAll(async () => {
      const { user, browser } = await createSignedInUser(service);
      ownerBrowser = browser;
      id = await createOwnedResource(user.userId);
    });

    describe.each([
      ['a user', false],
      ['an administrator', true],
    ])('opened by %s', (_, admin) => {
      let browser: BrowserSession;
      let csrf = '';
      beforeAll(async () => {
        const otherUser = await createSignedInUser(service, { isAdmin: admin });
        browser = otherUser.browser;
        // With a valid CSRF token, only the ownership check fails.
        csrf =
          (await browser.get(page(await createOwnedResource(otherUser.user.userId), '/delete'))).hidden
            .csrf ?? '';
      });

      test('looks like a nonexistent one', async () => {
        for (const subpath of admin ? pages : [...pages, ...visibleToAdmins]) {
          const [otherPage, absentPage] = [
            await browser.get(page(id, subpath)),
            await browser.get(page(absent, subpath)),
          ];
          expect([subpath, otherPage.status, absentPage.status]).toEqual([subpath, 404, 404]);
          expect(otherPage.body.replaceAll(id, 'X')).toBe(absentPage.body.replaceAll(absent, 'X'));
        }
        expect((await browser.get(list)).body).not.toContain(id);
      });

      test('returns 404 for every form', async () => {
        const readTables = async () => {
          const { clients, apis, secrets, transfer_offers, events } = await databaseContent(
            service.databaseUrl,
          );
          return { clients, apis, secrets, transfer_offers, events };
        };
        const before = await readTables();
        for (const [subpath, fields] of Object.entries(forms)) {
          const response = await postFields(browser, page(id, subpath), {
            csrf,
            current_password: PASSWORD,
            ...fields,
          });
          expect([subpath, response.status]).toEqual([subpath, 404]);
        }
        if (kind === 'application') {
          const file = { name: 'logo', content: Buffer.from('x'), fileName: 'x.png' };
          expect((await upload(browser, page(id, '/logo'), { csrf }, file)).status).toBe(404);
        }
        for (const subpath of withoutForm)
          for (const resourceId of [id, absent])
            expect([
              subpath,
              (await postFields(browser, page(resourceId, subpath), { csrf })).status,
            ]).toEqual([subpath, 404]);
        expect(await readTables()).toEqual(before);
      });

      test.each(['PUT', 'PATCH', 'DELETE'])('returns 404 for %s requests', async (method) => {
        const headers = { 'sec-fetch-site': 'same-origin' };
        for (const subpath of pages)
          for (const session of [browser, ownerBrowser])
            expect([subpath, (await session.send(page(id, subpath), { method, headers })).status]).toEqual([
              subpath,
              404,
            ]);
      });
    });

    test('returns 404 if the ID is malformed', async () => {
      for (const malformed of [
        '%2e%2e',
        'app_%00',
        "'%20or%201=1--",
        '%22%3E',
        'a'.repeat(65),
        'x'.repeat(5000),
      ])
        for (const subpath of ['', '/edit', '/secrets', '/transfer/accept', '/integrate', '/diagnostics'])
          expect([
            malformed,
            subpath,
            (await ownerBrowser.get(`${list}/${malformed}${subpath}`)).status,
          ]).toEqual([malformed, subpath, 404]);
    });
  },
);
