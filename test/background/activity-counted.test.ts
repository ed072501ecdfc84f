// What is counted of a service that is used: each thing once, where it belongs, and nothing that could be a person.
import { afterAll, expect, test } from 'vitest';
import { dayOf } from '../../src/background/activity.ts';
import { listClientActivity, listServiceActivity } from '../../src/store/activity.ts';
import { openBrowserSession } from '../support/browser-session.ts';
import {
  authorizeAddress,
  obtainTokens,
  redeem,
  renew,
  revoke,
  signedInBrowser,
  userinfo,
} from '../support/flow.ts';
import { startTestService, type TestApplication } from '../support/service.ts';

const service = await startTestService();
afterAll(() => service.close());

const written = async () => {
  await service.parts.diagnostics.flush();
  await service.parts.activity.flush();
};
/** What was counted of the service during `work`. */
async function countedOf(work: () => Promise<unknown>): Promise<Record<string, number>> {
  const read = async () => {
    await written();
    const today = dayOf(service.clock.now());
    const rows = await listServiceActivity(service.parts.database, today, today);
    return Object.fromEntries(rows.map(({ kind, total }) => [kind, total]));
  };
  const before = await read();
  await work();
  const after = await read();
  return Object.fromEntries(
    Object.entries(after).flatMap(([kind, total]) => {
      const more = total - (before[kind] ?? 0);
      return more === 0 ? [] : [[kind, more]];
    }),
  );
}
async function ofApplication({ clientId }: TestApplication): Promise<Record<string, number>> {
  await written();
  const today = dayOf(service.clock.now());
  const rows = await listClientActivity(service.parts.database, clientId, today, today);
  return Object.fromEntries(rows.map(({ kind, total }) => [kind, total]));
}

test('the service: sign-ins, sign-ups and wrong passwords', async () => {
  const user = await service.createUser();
  expect(await countedOf(() => signedInBrowser(service, user))).toEqual({ signed_in: 1 });
  const visitor = openBrowserSession(service.baseUrl);
  const { hidden } = await visitor.get('/signin');
  const attempt = { ...hidden, email: user.email, password: 'wrong password' };
  expect(await countedOf(() => visitor.post('/signin', attempt))).toEqual({ sign_in_failed: 1 });
  const page = await visitor.get('/signup');
  const fields = { name: 'Grace Hopper', email: 'grace@example.com', password: 'quarante voleurs 40' };
  expect(await countedOf(() => visitor.post('/signup', { ...page.hidden, ...fields }))).toEqual({
    signed_up: 1,
  });
});

test('an application: its sign-ins and renewals; userinfo and revocation are neither', async () => {
  const application = await service.createApplication();
  const browser = await signedInBrowser(service, await service.createUser());
  const { refreshToken, accessToken } = await obtainTokens(service, application, browser);
  const { body } = await renew(service, application, refreshToken);
  await userinfo(service, accessToken);
  await revoke(service, application, String(body.refresh_token));
  expect(await ofApplication(application)).toEqual({ signed_in: 1, renewed: 1 });
});

test('refusals: its own apart from those of whoever only names it; of no application for the service alone', async () => {
  const application = await service.createApplication();
  const stranger = openBrowserSession(service.baseUrl);
  const counted = await countedOf(async () => {
    await redeem(service, application, 'sesame_no_such_code');
    await redeem(service, { ...application, clientSecret: 'wrong' }, 'sesame_no_such_code');
    await redeem(service, { ...application, clientSecret: 'wrong' }, 'sesame_no_such_code');
    await stranger.get(
      authorizeAddress(service, application, { redirect_uri: 'https://elsewhere.example/' }),
    );
    await redeem(
      service,
      { ...application, clientId: 'app_nobody_has_this_one_at_all' },
      'sesame_no_such_code',
    );
    await userinfo(service, 'nothing');
  });
  expect(counted).toEqual({ refused: 6 });
  expect(await ofApplication(application)).toEqual({ refused: 1, refused_others: 3 });
});
