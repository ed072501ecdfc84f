// Handing an API over in the console: offered, declined, taken back, accepted with all that comes along (D61).
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findApiHandover } from '../../../../src/store/api-handover.ts';
import { listEvents } from '../../../../src/store/events.ts';
import { findOwnApi } from '../../../../src/store/own-apis.ts';
import { insertServiceAccess } from '../../../../src/store/service-access.ts';
import { APIS, apiIdOn, atApi, registerApi } from '../../../support/api-console.ts';
import {
  apiWithSecret,
  asserted,
  exclude,
  introspect,
  keyOf,
  obtainServiceToken,
} from '../../../support/apis.ts';
import { type Fields, fill } from '../../../support/console.ts';
import { signedInBrowser } from '../../../support/flow.ts';
import { lockApiOffer } from '../../../support/locks.ts';
import { mailsTo } from '../../../support/mail.ts';
import { formErrors } from '../../../support/markup.ts';
import { PASSWORD, startTestService, type TestService, type TestUser } from '../../../support/service.ts';
import { grantServiceAccess } from '../../../support/service-access.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ APIS_PER_ACCOUNT: '2', MAIL_PER_MAILBOX_PER_HOUR: '100' });
});
afterAll(() => service.close());

async function person() {
  const user = await service.createUser({ emailVerified: true });
  return { user, browser: await signedInBrowser(service, user) };
}

const owns = async ({ userId }: TestUser, apiId: string): Promise<boolean> =>
  (await findOwnApi(service.parts.database, userId, apiId)) !== undefined;

const events = async (apiId: string) =>
  (await listEvents(service.parts.database, { apiId }, { limit: 10 })).map(({ kind }) => kind).reverse();

/** An API on offer to somebody. */
async function offered() {
  const [giver, taker] = [await person(), await person()];
  const api = await apiWithSecret(service, { ownerId: giver.user.userId });
  const offer = () => fill(giver.browser, atApi(api.apiId, '/transfer'), { email: taker.user.email });
  const accept = (fields: Fields = {}) =>
    fill(taker.browser, atApi(api.apiId, '/transfer/accept'), { overlap: '0', ...fields });
  expect((await offer()).location?.search).toBe('?done=offered');
  return {
    giver,
    taker,
    api,
    offer,
    accept,
    works: async () => (await introspect(service, api, 'x')).status,
  };
}

describe('an offer', () => {
  test('is told by mail and in the list; whoever it is for can open it, and nobody else', async () => {
    const { giver, taker, api } = await offered();
    const { body } = await taker.browser.get(APIS);
    expect(body).toContain(atApi(api.apiId, '/transfer/accept'));
    expect(body, 'in the navigation').toContain('API on offer');
    expect((await taker.browser.get('/account')).body).toContain('is offering you the API Archives.');
    expect((await giver.browser.get(atApi(api.apiId))).body).toContain(`Offered to ${taker.user.email}`);
    const mails = await mailsTo(service, taker.user.email);
    expect(mails.some(({ text }) => text.includes(`${atApi(api.apiId)}/transfer/accept`))).toBe(true);
    for (const { browser } of [giver, await person()])
      expect((await browser.get(atApi(api.apiId, '/transfer/accept'))).status).toBe(404);
  });

  test('can be declined, or taken back: then there is nothing to accept', async () => {
    const { giver, taker, api, offer } = await offered();
    const page = atApi(api.apiId, '/transfer/accept');
    const { hidden } = await taker.browser.get(APIS);
    const declined = await taker.browser.post(atApi(api.apiId, '/transfer/decline'), hidden);
    expect(declined.location?.search).toBe('?done=declined');
    expect((await taker.browser.get(page)).status).toBe(404);
    await offer();
    const form = (await giver.browser.get(atApi(api.apiId, '/transfer'))).hidden;
    await giver.browser.post(atApi(api.apiId, '/transfer/cancel'), form);
    expect((await taker.browser.get(page)).status).toBe(404);
    expect(await events(api.apiId)).toEqual([
      'api_transfer_offered',
      'api_transfer_declined',
      'api_transfer_offered',
      'api_transfer_cancelled',
    ]);
    expect(await owns(giver.user, api.apiId)).toBe(true);
  });

  test('to oneself, or to what is no address, is refused; it needs a proof', async () => {
    const { user, browser } = await person();
    const { apiId } = await service.createApi({ ownerId: user.userId });
    const page = atApi(apiId, '/transfer');
    const refused = async (email: string) =>
      (await browser.follow(await fill(browser, page, { email }))).status;
    expect([await refused(user.email), await refused('x')]).toEqual([400, 400]);
    service.clock.advance(16 * 60);
    expect(await refused('other@example.com')).toBe(400);
  });
});

describe('accepting', () => {
  test('shows all that comes along, and gives it: keys end, secrets at the chosen time, the rest stays', async () => {
    const { giver, taker, api, accept, works } = await offered();
    const sign = await keyOf(service, api);
    const [robot, outcast] = [
      await service.createApplication({ name: 'Robot' }),
      await service.createApplication({ name: 'Outcast' }),
    ];
    await obtainServiceToken(service, robot, api);
    await exclude(service, api, outcast);
    const { body } = await taker.browser.get(atApi(api.apiId, '/transfer/accept'));
    for (const text of [
      giver.user.email,
      api.identifier,
      'EC',
      'Secret no. 1',
      'read',
      'write',
      'Robot (read)',
      'Outcast',
    ])
      expect(body).toContain(text);
    expect(body).toContain('all applications');
    const answer = await accept({ overlap: '3600' });
    expect([answer.location?.pathname, answer.location?.search]).toEqual([
      atApi(api.apiId),
      '?done=accepted',
    ]);
    expect([await owns(giver.user, api.apiId), await owns(taker.user, api.apiId)]).toEqual([false, true]);
    expect(await findOwnApi(service.parts.database, taker.user.userId, api.apiId)).toMatchObject({
      admits: 'applications',
      scopes: api.scopes,
      jwks: null,
    });
    expect((await introspect(service, api, 'x', asserted(await sign()))).status).toBe(401);
    expect(await works()).toBe(200);
    service.clock.advance(3600);
    expect(await works()).toBe(401);
    expect((await giver.browser.get(atApi(api.apiId))).status).toBe(404);
    expect(await events(api.apiId)).toContain('api_transferred');
    const told = (await mailsTo(service, giver.user.email)).map(({ text }) => text).join();
    expect(told).toMatch(/now belongs to another account|appartient désormais à un autre compte/);
  });

  test('what its diagnostics say of other APIs of its former owner does not come along', async () => {
    const { giver, taker, api, accept } = await offered();
    const other = await apiWithSecret(service, { ownerId: giver.user.userId, name: 'Payroll of Acme' });
    expect((await introspect(service, { ...api, secret: other.secret }, 'x')).status).toBe(401);
    await service.parts.diagnostics.flush();
    const page = atApi(api.apiId, '/diagnostics');
    expect((await giver.browser.get(page)).body).toContain('Payroll of Acme');
    await accept();
    const { status, body } = await taker.browser.get(page);
    expect([status, body.includes('Payroll of Acme')]).toEqual([200, false]);
  });

  test('ends the secrets at once unless told otherwise', async () => {
    const { accept, works } = await offered();
    await accept();
    expect(await works()).toBe(401);
  });

  test('what is no longer what was shown is shown again, and nothing has happened', async () => {
    const { giver, taker, api, accept } = await offered();
    const { hidden } = await taker.browser.get(atApi(api.apiId, '/transfer/accept'));
    await fill(giver.browser, atApi(api.apiId, '/secrets'), { overlap: '86400' });
    const answer = await taker.browser.post(atApi(api.apiId, '/transfer/accept'), {
      ...hidden,
      overlap: '0',
    });
    const { body } = await taker.browser.follow(answer);
    expect(formErrors(body).join()).toContain('has changed since this page was shown');
    expect(await owns(giver.user, api.apiId)).toBe(true);
    await accept();
    expect(await owns(taker.user, api.apiId)).toBe(true);
  });

  test.each(['scopes', 'cut off', 'granted'])(
    '%s that changed since it was shown are shown first',
    async (what) => {
      const { giver, taker, api } = await offered();
      const page = atApi(api.apiId, '/transfer/accept');
      const [robot, another] = [
        await service.createApplication({ name: 'Robot' }),
        await service.createApplication({ name: 'Robot' }),
      ];
      await grantServiceAccess(service.parts.database, api, robot);
      const { hidden } = await taker.browser.get(page);
      if (what === 'granted') {
        // The same name, and another application with more.
        await fill(giver.browser, `${atApi(api.apiId, '/requests/answer')}?client_id=${robot.clientId}`, {
          decision: 'end',
        });
        await grantServiceAccess(service.parts.database, api, another, ['read', 'write']);
      } else if (what === 'scopes')
        await fill(giver.browser, atApi(api.apiId, '/scopes/new'), {
          ...{ scope: 'more', words_fr: 'Plus.', words_en: 'More.' },
        });
      else await exclude(service, api, await service.createApplication());
      const answer = await taker.browser.post(page, { ...hidden, overlap: '0' });
      const { body } = await taker.browser.follow(answer);
      expect(formErrors(body).join()).toContain('has changed since this page was shown');
      expect(await owns(giver.user, api.apiId)).toBe(true);
    },
  );

  test.each(['granted', 'let in'])(
    'what its former owner would have %s while it is taken is not',
    async (what) => {
      const { giver, taker, api, accept } = await offered();
      const { clientId } = await service.createApplication();
      const query = new URLSearchParams({ client_id: clientId });
      const { database } = service.parts;
      if (what === 'granted')
        await insertServiceAccess(
          database,
          { apiId: api.apiId, clientId, scopes: ['read'], granted: false },
          service.clock.now(),
        );
      else await exclude(service, api, { clientId });
      const lock = await lockApiOffer(service.databaseUrl, api.apiId);
      try {
        const taking = accept();
        await lock.heldUp(1);
        const page = what === 'granted' ? '/requests/answer' : '/access/readmit';
        const answer = what === 'granted' ? { decision: 'grant', scopes: ['read'] } : {};
        const deciding = fill(giver.browser, `${atApi(api.apiId, page)}?${query}`, answer);
        await Promise.race([deciding, lock.heldUp(2)]);
        await lock.release();
        await Promise.all([taking, deciding]);
      } finally {
        await lock.release();
      }
      expect(await owns(taker.user, api.apiId)).toBe(true);
      const handover = await findApiHandover(database, api.apiId, service.clock.now());
      expect([handover?.granted.length, handover?.cutOff.length]).toEqual([0, what === 'granted' ? 0 : 1]);
    },
  );

  test('needs room: with as many as an account may have it stays on offer', async () => {
    const { taker, api, accept } = await offered();
    for (const path of ['a', 'b']) {
      const identifier = `https://${api.apiId.slice(4).toLowerCase().replaceAll(/[_-]/g, 'x')}.example/${path}`;
      expect(apiIdOn(await registerApi(taker.browser, { identifier }))).not.toBe('');
    }
    const { body } = await taker.browser.follow(await accept());
    expect(formErrors(body).join()).toContain('the limit of 2 APIs per account');
    expect((await taker.browser.get(atApi(api.apiId, '/transfer/accept'))).status).toBe(200);
  });

  test('needs a recent sign-in, or the password', async () => {
    const { taker, api, accept } = await offered();
    service.clock.advance(16 * 60);
    await accept();
    expect(await owns(taker.user, api.apiId)).toBe(false);
    await accept({ current_password: PASSWORD });
    expect(await owns(taker.user, api.apiId)).toBe(true);
  });

  test('twice at once gives it once', async () => {
    const { taker, api, accept } = await offered();
    await Promise.all([accept(), accept()]);
    expect(await owns(taker.user, api.apiId)).toBe(true);
    expect((await events(api.apiId)).filter((kind) => kind === 'api_transferred')).toHaveLength(1);
  });
});
