import { expect, test } from 'vitest';
import { truncateToDay } from '../../../src/background/activity.ts';
import { storeLiveGrants } from '../../../src/store/activity.ts';
import { createSignedInAdmin } from '../../support/admin.ts';
import { acceptTransfer, clientPath, submitForm } from '../../support/console-forms.ts';
import { readText } from '../../support/markup.ts';
import {
  obtainTokens,
  openSignedInBrowser,
  redeemCode,
  redeemRefreshToken,
} from '../../support/oauth-flow.ts';
import { PASSWORD, useTestService } from '../../support/service.ts';

const service = useTestService();

async function createDeveloper() {
  const user = await service.createUser();
  const application = await service.createClient({ ownerId: user.userId });
  return {
    user,
    application,
    browser: await openSignedInBrowser(service, user),
    clientId: application.clientId,
  };
}

const readHeadlines = (body: string) =>
  Object.fromEntries(
    [
      ...body.matchAll(/<h3 class="chart-title"[^>]*>(.*?)<\/h3>\s*<p class="chart-head"><strong>(.*?)</g),
    ].map(([, title = '', headline]) => [readText(title), headline]),
  );

test("an application's activity page shows sign-ins, refreshes and refused requests", async () => {
  const { browser, application, clientId } = await createDeveloper();
  const otherDeveloper = await createDeveloper();
  expect(readHeadlines((await browser.get(clientPath(clientId, '/activity'))).body)).toEqual({
    'Sign-ins': '0',
    'Token refreshes': '0',
    'Refused requests from the application': '0',
    'Refused unauthenticated requests': '0',
    'Active sign-ins': '–',
  });
  const { refreshToken } = await obtainTokens(service, application, browser);
  const { body } = await redeemRefreshToken(service, application, refreshToken);
  await redeemRefreshToken(service, application, String(body.refresh_token));
  await redeemCode(service, application, 'sesame_no_such_code');
  for (let i = 0; i < 3; i++)
    await redeemCode(service, { ...application, clientSecret: 'wrong' }, 'sesame_no_such_code');
  await obtainTokens(service, otherDeveloper.application, otherDeveloper.browser);
  await storeLiveGrants(
    service.services.database,
    truncateToDay(service.clock.now()),
    new Map([[clientId, 1]]),
  );
  expect(readHeadlines((await browser.get(clientPath(clientId, '/activity'))).body)).toEqual({
    'Sign-ins': '1',
    'Token refreshes': '2',
    'Refused requests from the application': '1',
    'Refused unauthenticated requests': '3',
    'Active sign-ins': '1',
  });
});

test("an application's activity page shows a note for days before the registration", async () => {
  const { browser, clientId } = await createDeveloper();
  const { body } = await browser.get(clientPath(clientId, '/activity?until=2020-01-01'));
  expect(readHeadlines(body)).toEqual({});
  expect(readText(body).match(/No statistics for this period\./g)).toHaveLength(1);
});

test("an application's activity page tells administrators that someone else owns the application", async () => {
  const { clientId } = await createDeveloper();
  const { browser } = await createSignedInAdmin(service);
  const adminPage = await browser.get(`/console/operations/applications/${clientId}`);
  expect(adminPage.body).toContain(`href="${clientPath(clientId, '/activity')}"`);
  const { status, body } = await browser.get(clientPath(clientId, '/activity'));
  expect([status, Object.keys(readHeadlines(body)).length]).toEqual([200, 5]);
  expect(body).toContain('belongs to someone else');
  expect(body).toContain(`href="/console/operations/applications/${clientId}"`);
  expect(body).not.toContain(`href="${clientPath(clientId, '/edit')}"`);
});

test("an application's activity page returns 404 to the previous owner", async () => {
  const { browser, application, clientId } = await createDeveloper();
  await obtainTokens(service, application, browser);
  const newOwner = await createDeveloper();
  await submitForm(browser, clientPath(clientId, '/transfer'), {
    email: newOwner.user.email,
    current_password: PASSWORD,
  });
  const accepted = await acceptTransfer(newOwner.browser, clientId, { current_password: PASSWORD });
  expect(accepted.status).toBe(303);
  expect(readHeadlines((await newOwner.browser.get(clientPath(clientId, '/activity'))).body)).toMatchObject({
    'Sign-ins': '1',
  });
  expect((await browser.get(clientPath(clientId, '/activity'))).status).toBe(404);
});
