// Events that increment the service-wide and per-client activity counts.
import { afterAll, expect, test } from 'vitest';
import { truncateToDay } from '../../src/background/activity.ts';
import { listClientActivity, listServiceActivity } from '../../src/store/activity.ts';
import { openBrowserSession } from '../support/browser-session.ts';
import {
  buildAuthorizeUrl,
  fetchUserinfo,
  obtainTokens,
  openSignedInBrowser,
  redeemCode,
  redeemRefreshToken,
  revokeToken,
} from '../support/oauth-flow.ts';
import { startTestService, type TestClient } from '../support/service.ts';

const service = await startTestService();
afterAll(() => service.close());

const flush = async () => {
  await service.services.diagnostics.flush();
  await service.services.activity.flush();
};
/** Runs `work` and returns how much it added to each service-wide count. */
async function measureAddedCounts(work: () => Promise<unknown>): Promise<Record<string, number>> {
  const readTotals = async () => {
    await flush();
    const today = truncateToDay(service.clock.now());
    const rows = await listServiceActivity(service.services.database, today, today);
    return Object.fromEntries(rows.map(({ kind, total }) => [kind, total]));
  };
  const before = await readTotals();
  await work();
  const after = await readTotals();
  return Object.fromEntries(
    Object.entries(after).flatMap(([kind, total]) => {
      const increment = total - (before[kind] ?? 0);
      return increment === 0 ? [] : [[kind, increment]];
    }),
  );
}
async function readClientCounts({ clientId }: TestClient): Promise<Record<string, number>> {
  await flush();
  const today = truncateToDay(service.clock.now());
  const rows = await listClientActivity(service.services.database, clientId, today, today);
  return Object.fromEntries(rows.map(({ kind, total }) => [kind, total]));
}

test('sign-ins, sign-ups and wrong passwords are included in the service-wide counts', async () => {
  const user = await service.createUser();
  expect(await measureAddedCounts(() => openSignedInBrowser(service, user))).toEqual({ signed_in: 1 });
  const anonymousBrowser = openBrowserSession(service.baseUrl);
  const { hidden } = await anonymousBrowser.get('/signin');
  const attempt = { ...hidden, email: user.email, password: 'wrong password' };
  expect(await measureAddedCounts(() => anonymousBrowser.post('/signin', attempt))).toEqual({
    sign_in_failed: 1,
  });
  const page = await anonymousBrowser.get('/signup');
  const fields = { name: 'Grace Hopper', email: 'grace@example.com', password: 'quarante voleurs 40' };
  expect(
    await measureAddedCounts(() => anonymousBrowser.post('/signup', { ...page.hidden, ...fields })),
  ).toEqual({
    signed_up: 1,
  });
});

test('a client’s counts include sign-ins and token refreshes', async () => {
  const application = await service.createClient();
  const browser = await openSignedInBrowser(service, await service.createUser());
  const { refreshToken, accessToken } = await obtainTokens(service, application, browser);
  const { body } = await redeemRefreshToken(service, application, refreshToken);
  await fetchUserinfo(service, accessToken);
  await revokeToken(service, application, String(body.refresh_token));
  expect(await readClientCounts(application)).toEqual({ signed_in: 1, refreshed: 1 });
});

test('refused requests without valid client authentication are counted separately', async () => {
  const application = await service.createClient();
  const anonymousBrowser = openBrowserSession(service.baseUrl);
  const added = await measureAddedCounts(async () => {
    await redeemCode(service, application, 'sesame_no_such_code');
    await redeemCode(service, { ...application, clientSecret: 'wrong' }, 'sesame_no_such_code');
    await redeemCode(service, { ...application, clientSecret: 'wrong' }, 'sesame_no_such_code');
    await anonymousBrowser.get(
      buildAuthorizeUrl(service, application, { redirect_uri: 'https://elsewhere.example/' }),
    );
    await redeemCode(
      service,
      { ...application, clientId: 'app_nobody_has_this_one_at_all' },
      'sesame_no_such_code',
    );
    await fetchUserinfo(service, 'nothing');
  });
  expect(added).toEqual({ refused: 6 });
  expect(await readClientCounts(application)).toEqual({ refused: 1, refused_others: 3 });
});
