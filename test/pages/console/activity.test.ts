// What its owner and operators see of an application's activity: its own counts, nobody else's, and as long as it is theirs.
import { expect, test } from 'vitest';
import { dayOf } from '../../../src/background/activity.ts';
import { noteLiveGrants } from '../../../src/store/activity.ts';
import { accept, at, fill } from '../../support/console.ts';
import { obtainTokens, redeem, renew, signedInBrowser } from '../../support/flow.ts';
import { textIn } from '../../support/markup.ts';
import { signedInOperator } from '../../support/operator.ts';
import { PASSWORD, useTestService } from '../../support/service.ts';

const service = useTestService();

async function developer() {
  const user = await service.createUser();
  const application = await service.createApplication({ ownerId: user.userId });
  return { user, application, browser: await signedInBrowser(service, user), clientId: application.clientId };
}

const headlinesOf = (body: string) =>
  Object.fromEntries(
    [
      ...body.matchAll(/<h3 class="chart-title"[^>]*>(.*?)<\/h3>\s*<p class="chart-head"><strong>(.*?)</g),
    ].map(([, title = '', headline]) => [textIn(title), headline]),
  );

test('sign-ins, renewals, refusals and live grants, each apart', async () => {
  const { browser, application, clientId } = await developer();
  const foreign = await developer();
  expect(headlinesOf((await browser.get(at(clientId, '/activity'))).body)).toEqual({
    'Sign-ins': '0',
    'Token renewals': '0',
    'Refused requests from the application': '0',
    'Refused requests made in its name': '0',
    'Active sign-ins': '–',
  });
  const { refreshToken } = await obtainTokens(service, application, browser);
  const { body } = await renew(service, application, refreshToken);
  await renew(service, application, String(body.refresh_token));
  await redeem(service, application, 'sesame_no_such_code');
  for (let i = 0; i < 3; i++)
    await redeem(service, { ...application, clientSecret: 'wrong' }, 'sesame_no_such_code');
  await obtainTokens(service, foreign.application, foreign.browser);
  await noteLiveGrants(service.parts.database, dayOf(service.clock.now()), new Map([[clientId, 1]]));
  expect(headlinesOf((await browser.get(at(clientId, '/activity'))).body)).toEqual({
    'Sign-ins': '1',
    'Token renewals': '2',
    'Refused requests from the application': '1',
    'Refused requests made in its name': '3',
    'Active sign-ins': '1',
  });
});

test('an operator sees it too, and is told whose it is not', async () => {
  const { clientId } = await developer();
  const { browser } = await signedInOperator(service);
  const there = await browser.get(`/console/operations/applications/${clientId}`);
  expect(there.body).toContain(`href="${at(clientId, '/activity')}"`);
  const { status, body } = await browser.get(at(clientId, '/activity'));
  expect([status, Object.keys(headlinesOf(body)).length]).toEqual([200, 5]);
  expect(body).toContain('belongs to someone else');
  expect(body).toContain(`href="/console/operations/applications/${clientId}"`);
  expect(body).not.toContain(`href="${at(clientId, '/edit')}"`);
});

test('counts stay with an application that changes hands, and the former owner sees them no more', async () => {
  const { browser, application, clientId } = await developer();
  await obtainTokens(service, application, browser);
  const next = await developer();
  await fill(browser, at(clientId, '/transfer'), { email: next.user.email, current_password: PASSWORD });
  const accepted = await accept(next.browser, clientId, { current_password: PASSWORD });
  expect(accepted.status).toBe(303);
  expect(headlinesOf((await next.browser.get(at(clientId, '/activity'))).body)).toMatchObject({
    'Sign-ins': '1',
  });
  expect((await browser.get(at(clientId, '/activity'))).status).toBe(404);
});
