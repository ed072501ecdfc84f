// Registering an application or an API: who may, how many, and once for each form.
import { describe, expect, test } from 'vitest';
import { listOwnApplications } from '../../../src/store/applications.ts';
import { listOwnApis } from '../../../src/store/own-apis.ts';
import { openBrowserSession } from '../../support/browser-session.ts';
import {
  API_REGISTRATION,
  type Fields,
  fill,
  NEW,
  NEW_API,
  REGISTRATION,
  sendFields,
} from '../../support/console.ts';
import { newPerson, signedInBrowser } from '../../support/flow.ts';
import { formErrors } from '../../support/markup.ts';
import { CROWD, startTestService, type TestUser, useTestService } from '../../support/service.ts';

const service = useTestService({ ...CROWD, REGISTRATIONS_PER_ACCOUNT: '2', SUPPORT: 'aide@example.fr' });

let made = 0;
const KINDS = {
  application: {
    page: NEW,
    fields: (): Fields => REGISTRATION,
    list: ({ userId }: TestUser) => listOwnApplications(service.parts.database, userId),
  },
  api: {
    page: NEW_API,
    fields: (): Fields => ({ ...API_REGISTRATION, identifier: `https://api-${++made}.example/mcp` }),
    list: ({ userId }: TestUser) => listOwnApis(service.parts.database, userId),
  },
};

describe.each(Object.entries(KINDS))('registering (%s)', (kind, { page, fields, list }) => {
  test('stops at the quota, even with many forms at once, and shows whom to ask', async () => {
    const { browser, user } = await newPerson(service);
    const forms = await Promise.all([1, 2, 3, 4].map(() => browser.get(page)));
    const answers = await Promise.all(
      forms.map(({ hidden }) => sendFields(browser, page, { ...hidden, ...fields() })),
    );
    const things = await list(user);
    expect(things).toHaveLength(2);
    const pages = await Promise.all(answers.map((answer) => browser.follow(answer)));
    expect(pages.filter(({ body }) => /limit of 2 A?[Pa]/.test(body))).not.toEqual([]);
    const { body } = await browser.get(`/console/${kind}s`);
    expect(body).toContain('mailto:aide@example.fr');
    expect(body).not.toContain(`href="${page}"`);

    // A form that met the limit is good again when there is room.
    const { hidden } = await browser.get(page);
    const form = { ...hidden, ...fields() };
    expect(formErrors((await browser.follow(await sendFields(browser, page, form))).body)[0]).toContain(
      'limit of 2',
    );
    const [first] = things;
    const id = first && ('clientId' in first ? first.clientId : first.apiId);
    await fill(browser, `/console/${kind}s/${id}/delete`, { name: first?.name ?? '' });
    await sendFields(browser, page, form);
    expect(await list(user)).toHaveLength(2);
  });

  test('needs a verified email address where there is mail', async () => {
    await using mailing = await startTestService(
      { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'sesame@example.com' },
      { databaseUrl: service.databaseUrl },
    );
    const user = await service.createUser();
    const browser = await signedInBrowser(mailing, user);
    expect((await browser.get(page)).body).toContain('Verify your email address first');
    const { hidden } = await (await signedInBrowser(service, user)).get(page);
    const { csrf = '' } = (await browser.get('/account/profile')).hidden;
    expect((await sendFields(browser, page, { ...hidden, csrf, ...fields() })).status).toBe(403);
    expect(await list(user)).toEqual([]);
    const verified = await service.createUser({ emailVerified: true });
    await fill(await signedInBrowser(mailing, verified), page, fields());
    expect(await list(verified)).toHaveLength(1);
  });

  test('is done once for each form, however late it is sent again, and after it was refused', async () => {
    const { browser, user } = await newPerson(service);
    const { hidden } = await browser.get(page);
    const typed = { ...hidden, ...fields() };
    await sendFields(browser, page, { ...typed, name: '' });
    expect(await list(user)).toEqual([]);
    await sendFields(browser, page, typed);
    service.clock.advance(60);
    await sendFields(browser, page, typed);
    expect(await list(user)).toHaveLength(1);
  });
});

test('http is refused in production', async () => {
  await using production = await startTestService(
    { NODE_ENV: 'production', BASE_URL: 'https://sesame.example', TRUSTED_PROXIES: '127.0.0.1' },
    { databaseUrl: service.databaseUrl },
  );
  const { email, password } = await service.createUser();
  const fromProxy = { 'x-forwarded-proto': 'https' };
  const browser = openBrowserSession(`http://127.0.0.1:${production.parts.config.port}`);
  const { hidden } = await browser.get('/signin', fromProxy);
  await browser.post('/signin', { ...hidden, email, password }, fromProxy);
  const errors: string[][] = [];
  for (const [page, fields] of [
    [NEW, { ...REGISTRATION, redirect_uris: 'http://client.example/cb' }],
    [NEW_API, { ...API_REGISTRATION, identifier: 'http://localhost:4000/mcp' }],
  ] as const) {
    const form = await browser.get(page, fromProxy);
    const refused = await sendFields(browser, page, { ...form.hidden, ...fields }, fromProxy);
    const shown = refused.location ? await browser.get(refused.location.pathname, fromProxy) : refused;
    errors.push(formErrors(shown.body));
  }
  expect(errors).toEqual([
    ['Line 1: it must start with https:// (http:// only in development mode).'],
    ['It must start with https:// (http://localhost only in development mode).'],
  ]);
});
