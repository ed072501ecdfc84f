import { describe, expect, test } from 'vitest';
import { listOwnedApis } from '../../../src/store/owned-apis.ts';
import { listOwnedClients } from '../../../src/store/owned-clients.ts';
import { openBrowserSession } from '../../support/browser-session.ts';
import {
  API_REGISTRATION,
  CLIENT_REGISTRATION,
  type FormFields,
  NEW_API_PATH,
  NEW_CLIENT_PATH,
  postFields,
  submitForm,
} from '../../support/console-forms.ts';
import { readFormErrors } from '../../support/markup.ts';
import { createSignedInUser, openSignedInBrowser } from '../../support/oauth-flow.ts';
import { LARGE_POOL, startTestService, type TestUser, useTestService } from '../../support/service.ts';

const service = useTestService({ ...LARGE_POOL, REGISTRATIONS_PER_ACCOUNT: '2', SUPPORT: 'aide@example.fr' });

let identifierCount = 0;
const RESOURCE_KINDS = {
  application: {
    page: NEW_CLIENT_PATH,
    fields: (): FormFields => CLIENT_REGISTRATION,
    list: ({ userId }: TestUser) => listOwnedClients(service.services.database, userId),
  },
  api: {
    page: NEW_API_PATH,
    fields: (): FormFields => ({
      ...API_REGISTRATION,
      identifier: `https://api-${++identifierCount}.example/mcp`,
    }),
    list: ({ userId }: TestUser) => listOwnedApis(service.services.database, userId),
  },
};

describe.each(Object.entries(RESOURCE_KINDS))('registering an %s', (kind, { page, fields, list }) => {
  test('is rejected above the quota, even with concurrent submissions', async () => {
    const { browser, user } = await createSignedInUser(service);
    const forms = await Promise.all([1, 2, 3, 4].map(() => browser.get(page)));
    const responses = await Promise.all(
      forms.map(({ hidden }) => postFields(browser, page, { ...hidden, ...fields() })),
    );
    const registered = await list(user);
    expect(registered).toHaveLength(2);
    const pages = await Promise.all(responses.map((response) => browser.follow(response)));
    expect(pages.filter(({ body }) => /limit of 2 A?[Pa]/.test(body))).not.toEqual([]);
    const { body } = await browser.get(`/console/${kind}s`);
    expect(body).toContain('mailto:aide@example.fr');
    expect(body).not.toContain(`href="${page}"`);

    // The same form is accepted below the quota.
    const { hidden } = await browser.get(page);
    const form = { ...hidden, ...fields() };
    expect(readFormErrors((await browser.follow(await postFields(browser, page, form))).body)[0]).toContain(
      'limit of 2',
    );
    const [first] = registered;
    const id = first && ('clientId' in first ? first.clientId : first.apiId);
    await submitForm(browser, `/console/${kind}s/${id}/delete`, { name: first?.name ?? '' });
    await postFields(browser, page, form);
    expect(await list(user)).toHaveLength(2);
  });

  test('requires a verified email address if the service can send email', async () => {
    await using mailing = await startTestService(
      { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'sesame@example.com' },
      { databaseUrl: service.databaseUrl },
    );
    const user = await service.createUser();
    const browser = await openSignedInBrowser(mailing, user);
    expect((await browser.get(page)).body).toContain('Verify your email address first');
    const { hidden } = await (await openSignedInBrowser(service, user)).get(page);
    const { csrf = '' } = (await browser.get('/account/profile')).hidden;
    expect((await postFields(browser, page, { ...hidden, csrf, ...fields() })).status).toBe(403);
    expect(await list(user)).toEqual([]);
    const verified = await service.createUser({ emailVerified: true });
    await submitForm(await openSignedInBrowser(mailing, verified), page, fields());
    expect(await list(verified)).toHaveLength(1);
  });

  test('succeeds only once per form', async () => {
    const { browser, user } = await createSignedInUser(service);
    const { hidden } = await browser.get(page);
    const fieldsOfForm = { ...hidden, ...fields() };
    await postFields(browser, page, { ...fieldsOfForm, name: '' });
    expect(await list(user)).toEqual([]);
    await postFields(browser, page, fieldsOfForm);
    service.clock.advance(60);
    await postFields(browser, page, fieldsOfForm);
    expect(await list(user)).toHaveLength(1);
  });
});

test('registering a client or API with an http URL fails in production', async () => {
  await using production = await startTestService(
    { NODE_ENV: 'production', BASE_URL: 'https://sesame.example', TRUSTED_PROXIES: '127.0.0.1' },
    { databaseUrl: service.databaseUrl },
  );
  const { email, password } = await service.createUser();
  const fromProxy = { 'x-forwarded-proto': 'https' };
  const browser = openBrowserSession(`http://127.0.0.1:${production.services.config.port}`);
  const { hidden } = await browser.get('/signin', fromProxy);
  await browser.post('/signin', { ...hidden, email, password }, fromProxy);
  const errors: string[][] = [];
  for (const [page, fields] of [
    [NEW_CLIENT_PATH, { ...CLIENT_REGISTRATION, redirect_uris: 'http://client.example/cb' }],
    [NEW_API_PATH, { ...API_REGISTRATION, identifier: 'http://localhost:4000/mcp' }],
  ] as const) {
    const form = await browser.get(page, fromProxy);
    const rejected = await postFields(browser, page, { ...form.hidden, ...fields }, fromProxy);
    const errorPage = rejected.location ? await browser.get(rejected.location.pathname, fromProxy) : rejected;
    errors.push(readFormErrors(errorPage.body));
  }
  expect(errors).toEqual([
    ['Line 1: it must start with https:// (http:// only in development mode).'],
    ['It must start with https:// (http://localhost only in development mode).'],
  ]);
});
