// Transfers of clients and APIs: offered, declined, cancelled, accepted. The former owner keeps nothing.
import { randomUUID } from 'node:crypto';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { moderateAccount } from '../../src/accounts/moderation.ts';
import { findOwnApplication } from '../../src/store/applications.ts';
import { listEvents } from '../../src/store/events.ts';
import { findOwnApi } from '../../src/store/own-apis.ts';
import { listSecrets } from '../../src/store/secrets.ts';
import { listReceivedOffers } from '../../src/store/transfer-offers.ts';
import { apiWithSecret, asserted, introspect, obtainServiceToken } from '../support/apis.ts';
import type { BrowserSession } from '../support/browser-session.ts';
import { CALLBACK, credentialsOn, type Fields, fill, SETTINGS, sendFields } from '../support/console.ts';
import {
  authorizeAddress,
  obtainTokens,
  postForm,
  renew,
  signedInBrowser,
  userinfo,
} from '../support/flow.ts';
import { lockApi, lockApplication } from '../support/locks.ts';
import { lastMailTo, linkIn, mailsTo } from '../support/mail.ts';
import { formErrors, textIn } from '../support/markup.ts';
import { sql } from '../support/populate.ts';
import { wordsIn } from '../support/protected-account.ts';
import { CROWD, PASSWORD, startTestService, type TestService, type TestUser } from '../support/service.ts';

type Kind = 'application' | 'api';
const KINDS: Kind[] = ['application', 'api'];

let service: TestService;
let second: TestService;
beforeAll(async () => {
  service = await startTestService({ ...CROWD, REGISTRATIONS_PER_ACCOUNT: '3' });
  second = await startTestService({}, { databaseUrl: service.databaseUrl });
});
afterAll(async () => {
  await second.close();
  await service.close();
});

const now = () => service.clock.now();
const query = (text: string, values: unknown[]) => sql(service.parts.database, text, values);

async function person(emailVerified = true) {
  const user = await service.createUser({ emailVerified });
  return { user, browser: await signedInBrowser(service, user) };
}
type Person = Awaited<ReturnType<typeof person>>;

async function create(kind: Kind, { userId: ownerId }: TestUser, fields = {}) {
  if (kind === 'api') {
    const api = await apiWithSecret(service, { ownerId, ...fields });
    return { id: api.apiId, secret: api.secret, api };
  }
  const application = await service.createApplication({ ownerId, ...fields });
  return { id: application.clientId, secret: application.clientSecret, application };
}

/** Something on offer, with its keys, to somebody. */
async function offered(kind: Kind, fields = {}, verified = true) {
  const [giver, taker] = [await person(), await person(verified)];
  const thing = await create(kind, giver.user, fields);
  const { id, secret } = thing;
  const at = (below = '') => `/console/${kind}s/${id}${below}`;
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'former' }] };
  const table =
    kind === 'api'
      ? 'update apis set jwks = $2 where api_id = $1'
      : 'update clients set jwks = $2 where client_id = $1';
  await query(table, [id, jwks]);
  const introspect = (credentials: Record<string, string | undefined>) =>
    postForm(service, '/oauth/introspect', { token: 'x', client_id: id, ...credentials });
  const assertion = () =>
    new SignJWT({ iss: id, sub: id, jti: randomUUID() })
      .setProtectedHeader({ alg: 'ES256', kid: 'former' })
      .setAudience(service.baseUrl)
      .setIssuedAt(now())
      .setExpirationTime(new Date(now().getTime() + 60_000))
      .sign(privateKey);
  const offer = (to: TestUser = taker.user) => fill(giver.browser, at('/transfer'), { email: to.email });
  return {
    ...thing,
    kind,
    at,
    giver,
    taker,
    offer,
    answer: await offer(),
    accept: (fields: Fields = {}, { browser } = taker) => fill(browser, at('/transfer/accept'), fields),
    decide: async ({ browser }: Person, action: 'decline' | 'cancel') => {
      const { csrf = '' } = (await browser.get(`/console/${kind}s`)).hidden;
      return sendFields(browser, at(`/transfer/${action}`), { csrf });
    },
    owns: async ({ user }: Person) => (await findOwned(kind, user, id)) !== undefined,
    bySecret: async () => (await introspect({ client_secret: secret })).status,
    byKey: async () => (await introspect(asserted(await assertion()))).status,
    events: async () =>
      (
        await listEvents(service.parts.database, kind === 'api' ? { apiId: id } : { clientId: id }, {
          limit: 20,
        })
      )
        .map((event) => event.kind)
        .filter((event) => event.includes('_transfer'))
        .reverse(),
  };
}
type Offered = Awaited<ReturnType<typeof offered>>;

const findOwned = (kind: Kind, { userId }: TestUser, id: string) =>
  kind === 'api'
    ? findOwnApi(service.parts.database, userId, id)
    : findOwnApplication(service.parts.database, userId, id);
const receivedBy = ({ user }: Person) => listReceivedOffers(service.parts.database, user.userId, now());
const offersMailed = async ({ user }: Person) =>
  (await mailsTo(service, user.email)).filter(({ subject }) => /^You have been offered/.test(subject));

describe.each(KINDS)('an offer (%s)', (kind) => {
  test('changes nothing, is shown and mailed to its recipient, and to nobody else', async () => {
    const one = await offered(kind);
    const { giver, taker, at } = one;
    expect([one.answer.status, one.answer.location?.search]).toEqual([303, '?done=offered']);
    expect((await giver.browser.get(at())).body).toContain(`Offered to ${taker.user.email}`);
    expect(await one.owns(giver)).toBe(true);
    expect((await taker.browser.get(at())).status).toBe(404);
    const list = (await taker.browser.get(`/console/${kind}s`)).body;
    for (const text of ['Transfers offered to you', giver.user.email, at('/transfer/accept')])
      expect(list).toContain(text);
    const [mail] = await offersMailed(taker);
    expect(mail && linkIn(mail)).toBe(at('/transfer/accept'));
    expect(mail?.text).toContain('Nothing changes until you accept.');
    expect(mail?.text).toContain(giver.user.name);
    for (const { browser } of [giver, await person()])
      expect((await browser.get(at('/transfer/accept'))).status).toBe(404);
  });

  test.each(['decline', 'cancel'] as const)(
    'can be ended (%s), and a second click does no harm',
    async (action) => {
      const one = await offered(kind);
      const who = action === 'decline' ? one.taker : one.giver;
      const [first, again] = [await one.decide(who, action), await one.decide(who, action)];
      expect([first.status, again.status, again.location]).toEqual([303, 303, first.location]);
      expect((await one.taker.browser.get(one.at('/transfer/accept'))).status).toBe(404);
      expect(await one.owns(one.giver)).toBe(true);
      expect(await one.events()).toEqual([
        `${kind}_transfer_offered`,
        `${kind}_transfer_${action === 'decline' ? 'declined' : 'cancelled'}`,
      ]);
    },
  );
});

describe.each(KINDS)('accepting (%s)', (kind) => {
  test('ends secrets and keys of the former owner, who is told and has no access any more', async () => {
    const one = await offered(kind);
    expect([await one.bySecret(), await one.byKey()]).toEqual([200, 200]);
    const before = await findOwned(kind, one.giver.user, one.id);
    const answer = await one.accept();
    expect([answer.location?.pathname, answer.location?.search]).toEqual([one.at(), '?done=accepted']);
    expect((await one.taker.browser.follow(answer)).body).toContain('is now yours.');
    expect([await one.owns(one.giver), await one.owns(one.taker)]).toEqual([false, true]);
    expect((await one.giver.browser.get(one.at())).status).toBe(404);
    expect([await one.bySecret(), await one.byKey()]).toEqual([401, 401]);
    const after = await findOwned(kind, one.taker.user, one.id);
    expect(after).toEqual({
      ...before,
      jwks: null,
      ...(kind === 'application' && { verified: false }),
    });
    expect(await one.events()).toEqual([`${kind}_transfer_offered`, `${kind}_transferred`]);
    const told = async ({ user }: Person) =>
      (await mailsTo(service, user.email)).map(({ text }) => text).join();
    expect(await told(one.giver)).toMatch(/has a new owner|a changé de propriétaire/);
    expect(await told(one.taker)).toMatch(/now belongs to your|appartient désormais à votre/);
  });

  test('does not reveal what its diagnostics say of other things of the former owner', async () => {
    const one = await offered(kind);
    const other = await create(kind, one.giver.user, { name: 'Payroll of Acme' });
    const wrong = { token: 'x', client_id: one.id, client_secret: other.secret };
    expect((await postForm(service, '/oauth/introspect', wrong)).status).toBe(401);
    await service.parts.diagnostics.flush();
    const page = one.at('/diagnostics');
    expect((await one.giver.browser.get(page)).body).toContain('Payroll of Acme');
    await one.accept();
    const { status, body } = await one.taker.browser.get(page);
    expect([status, body.includes('Payroll of Acme')]).toEqual([200, false]);
  });

  test('needs room within the quota; until then the offer stands', async () => {
    const one = await offered(kind);
    for (let n = 0; n < 3; n += 1) await create(kind, one.taker.user);
    const answer = await one.taker.browser.follow(await one.accept());
    expect(formErrors(answer.body)[0]).toContain(
      kind === 'api' ? 'limit of 3 APIs' : 'limit of 3 applications',
    );
    expect(await one.owns(one.taker)).toBe(false);
    expect((await one.taker.browser.get(one.at('/transfer/accept'))).status).toBe(200);
  });

  test.each([
    ['before', 0],
    ['after', 1],
  ])(
    '%s the former owner adds secrets, keys or offers in another process: they get nothing',
    async (_, place) => {
      const pages = kind === 'api' ? ['/keys'] : ['/secrets', '/protocol', '/transfer'];
      for (const below of pages) {
        const jwks = JSON.stringify(await exportJWK((await generateKeyPair('ES256')).publicKey));
        const one = await offered(kind);
        const accomplice = await person();
        const elsewhere = await signedInBrowser(second, one.giver.user);
        const form = await elsewhere.get(one.at(below));
        const page = await one.taker.browser.get(one.at('/transfer/accept'));
        const lock = await (kind === 'api' ? lockApi : lockApplication)(service.databaseUrl, one.id);
        const late = { overlap: '604800', email: accomplice.user.email, jwks };
        const begin = [
          () => sendFields(one.taker.browser, one.at('/transfer/accept'), page.hidden),
          () =>
            sendFields(elsewhere, one.at(below), {
              ...form.hidden,
              ...late,
              backchannel_logout_uri: 'https://former.example/late',
            }),
        ];
        if (place === 1) begin.reverse();
        const answers: Promise<unknown>[] = [];
        for (const [index, send] of begin.entries()) {
          answers.push(send());
          await lock.heldUp(index + 1);
        }
        await lock.release();
        await Promise.all(answers);

        const taken = await one.owns(one.taker);
        expect(await receivedBy(accomplice), below).toHaveLength(taken || below !== '/transfer' ? 0 : 1);
        if (!taken) continue;
        const { userId } = one.taker.user;
        expect(await listSecrets(service.parts.database, userId, one.id, now()), below).toEqual([]);
        const settings =
          kind === 'api'
            ? await findOwnApi(service.parts.database, userId, one.id)
            : await findOwnApplication(service.parts.database, userId, one.id);
        expect(settings, below).toMatchObject({ jwks: null });
        if (kind === 'application') expect(settings, below).toMatchObject({ backchannelLogoutUri: null });
      }
    },
  );
});

describe('an offer of either kind', () => {
  const kind = 'application';

  test('to no address or to oneself is refused in words', async () => {
    const { user, browser } = await person();
    const { id } = await create(kind, user);
    const refused: unknown[] = [];
    for (const email of ['', 'x', ` ${user.email.toUpperCase()} `]) {
      const answer = await browser.follow(await fill(browser, `/console/${kind}s/${id}/transfer`, { email }));
      refused.push([answer.status, ...formErrors(answer.body)]);
    }
    expect(refused).toEqual([
      [400, 'Enter a full email address.'],
      [400, 'Enter a full email address.'],
      [400, 'This is your own address.'],
    ]);
  });

  test('to an address without an account looks the same, and is nothing to an account created later', async () => {
    const one = await offered(kind);
    const { giver, at } = one;
    const page = async () =>
      (await giver.browser.get(at('/transfer'))).body
        .replace(/datetime="[^"]*"/, 'datetime=""')
        .replace(/name="csrf" value="[\w-]{65}"/g, 'csrf');
    const known = (await page()).replaceAll(one.taker.user.email, 'EMAIL');
    const email = `later-${kind}@nowhere.example`;
    const unknown = await fill(giver.browser, at('/transfer'), { email });
    expect([unknown.status, unknown.location?.href]).toEqual([one.answer.status, one.answer.location?.href]);
    expect((await page()).replaceAll(email, 'EMAIL')).toBe(known);
    const later = await signedInBrowser(service, await service.createUser({ email }));
    expect((await later.get(`/console/${kind}s`)).body).not.toContain('Transfers offered to you');
    expect((await later.get(at('/transfer/accept'))).status).toBe(404);
  });

  test('ends when its recipient changes to another address, even a verified one', async () => {
    const one = await offered(kind, {}, false);
    const { browser, user } = one.taker;
    const { hidden } = await browser.get('/account/email');
    const email = `moved-${user.email}`;
    await browser.post('/account/email', { csrf: hidden.csrf ?? '', new_email: email });
    const form = await browser.get(linkIn(await lastMailTo(service, email)));
    await browser.post('/security/confirm', form.hidden);
    expect((await browser.get('/account')).body).toContain(email);
    expect((await browser.get(one.at('/transfer/accept'))).status).toBe(404);
  });

  test('is replaced by an offer to somebody else', async () => {
    const one = await offered(kind);
    const other = await person();
    await one.offer(other.user);
    expect((await one.taker.browser.get(one.at('/transfer/accept'))).status).toBe(404);
    expect((await other.browser.get(one.at('/transfer/accept'))).status).toBe(200);
  });

  test('is not mailed to an unverified address, whose owner sees it on pages alone', async () => {
    const { taker, at } = await offered(kind, {}, false);
    expect(await offersMailed(taker)).toEqual([]);
    expect((await taker.browser.get(`/console/${kind}s`)).body).toContain(at('/transfer/accept'));
  });

  test('is mailed as often as a mailbox may be, with names cut down to names', async () => {
    service.parts.config.hourlyLimits = true;
    onTestFinished(() => {
      service.parts.config.hourlyLimits = false;
    });
    const one = await offered(kind, { name: 'Visit evil.example/now' });
    for (let n = 0; n < 12; n += 1) {
      service.clock.advance(16);
      expect((await one.offer()).location?.href).toBe(one.answer.location?.href);
    }
    const mails = await offersMailed(one.taker);
    expect(mails).toHaveLength(5);
    expect(mails[0]?.text).toContain('Visit');
    expect(mails[0]?.text).not.toContain('evil.example');
  });

  test('ends after seven days', async () => {
    const one = await offered(kind);
    const { hidden } = await one.taker.browser.get(one.at('/transfer/accept'));
    service.clock.advance(7 * 24 * 3600);
    expect((await sendFields(one.taker.browser, one.at('/transfer/accept'), hidden)).status).toBe(404);
    service.clock.advance(-7 * 24 * 3600);
    expect(await one.owns(one.taker)).toBe(false);
  });

  test.each([
    [
      'a new password',
      async ({ giver: { browser } }: Offered) => {
        const { hidden } = await browser.get('/account/password');
        const fields = { ...hidden, current_password: PASSWORD, new_password: 'quite another password 7' };
        await browser.post('/account/password', fields);
      },
    ],
    [
      'a suspension',
      async ({ giver }: Offered) =>
        void (await moderateAccount(service.parts, 'suspend', giver.user.userId, {}, now())),
    ],
  ])('ends with %s of the account that made it', async (_, end) => {
    const one = await offered(kind);
    const { hidden } = await one.taker.browser.get(one.at('/transfer/accept'));
    await end(one);
    expect(await receivedBy(one.taker)).toEqual([]);
    expect((await sendFields(one.taker.browser, one.at('/transfer/accept'), hidden)).status).toBe(404);
    expect(await one.owns(one.giver)).toBe(true);
  });

  test('and offering need a recent sign-in, or the password', async () => {
    const one = await offered(kind);
    service.clock.advance(15 * 60 + 1);
    for (const [browser, answer] of [
      [one.giver.browser, await one.offer()],
      [one.taker.browser, await one.accept()],
    ] as const)
      expect(formErrors((await browser.follow(answer)).body)).toEqual(['Enter your current password.']);
    expect(await one.owns(one.taker)).toBe(false);
    await one.accept({ current_password: PASSWORD });
    expect(await one.owns(one.taker)).toBe(true);
  });
});

describe('a client that was accepted', () => {
  const newSecret = async ({ taker, at }: Offered) =>
    credentialsOn(await fill(taker.browser, at('/secrets'), { overlap: '0' })).clientSecret ?? '';

  test('keeps its redirect URIs, settings and live grants, which its new secret renews', async () => {
    const redirectUris = [CALLBACK, 'https://client.example/other'];
    const one = await offered('application', { redirectUris });
    if (one.application === undefined) throw new Error('no application');
    const { browser } = await person();
    const { refreshToken, accessToken } = await obtainTokens(service, one.application, browser);
    await one.accept();
    const found = await findOwnApplication(service.parts.database, one.taker.user.userId, one.id);
    expect(found?.redirectUris).toEqual(redirectUris);
    expect((await userinfo(service, accessToken)).status).toBe(200);
    expect((await renew(service, one.application, refreshToken)).status, 'with the former secret').toBe(401);
    const clientSecret = await newSecret(one);
    expect((await renew(service, { ...one.application, clientSecret }, refreshToken)).status).toBe(200);
  });

  test('loses its tokens if it is public, because no secret keeps the former owner from using them', async () => {
    const one = await offered('application', { type: 'public' });
    if (one.application === undefined) throw new Error('no application');
    const { refreshToken, accessToken } = await obtainTokens(
      service,
      one.application,
      (await person()).browser,
    );
    await one.accept();
    expect((await renew(service, one.application, refreshToken)).body.error).toBe('invalid_grant');
    expect((await userinfo(service, accessToken)).status).toBe(401);
  });

  test('loses its back-channel logout URL and what APIs granted it on its own account', async () => {
    const one = await offered('application');
    if (one.application === undefined) throw new Error('no application');
    await fill(one.giver.browser, one.at('/protocol'), {
      backchannel_logout_uri: 'https://former.example/sessions',
      post_logout_redirect_uris: 'https://client.example/out',
    });
    const token = await obtainServiceToken(service, one.application, await service.createApi());
    await one.accept();
    const { database } = service.parts;
    expect(await findOwnApplication(database, one.taker.user.userId, one.id)).toMatchObject({
      backchannelLogoutUri: null,
      postLogoutRedirectUris: [],
      jwks: null,
    });
    const credentials = { client_id: one.id, client_secret: await newSecret(one) };
    expect((await postForm(service, '/oauth/introspect', { token, ...credentials })).body).toEqual({
      active: false,
    });
  });

  test('is accepted with the callback URLs that its new owner has seen', async () => {
    const one = await offered('application', { type: 'public' });
    const path = one.at('/transfer/accept');
    const page = await one.taker.browser.get(path);
    expect(textIn(page.body)).toContain('anyone who controls one of its callback URLs can obtain tokens');
    await fill(one.giver.browser, one.at('/edit'), { ...SETTINGS, redirect_uris: 'https://evil.example/cb' });
    const answer = await one.taker.browser.follow(await sendFields(one.taker.browser, path, page.hidden));
    expect([answer.status, await one.owns(one.taker)]).toEqual([409, false]);
    expect(textIn(answer.body)).toContain('callback URLs have changed in the meantime');
    expect(answer.body).toContain('https://evil.example/cb');
    await sendFields(one.taker.browser, path, answer.hidden);
    expect(await one.owns(one.taker)).toBe(true);
  });

  test('stays suspended, and is not verified any more', async () => {
    const one = await offered('application');
    if (one.application === undefined) throw new Error('no application');
    await query('update clients set suspended_at = $2, verified_at = $2 where client_id = $1', [
      one.id,
      now(),
    ]);
    await one.accept();
    const found = await findOwnApplication(service.parts.database, one.taker.user.userId, one.id);
    expect(found).toMatchObject({ suspended: true, verified: false });
    const answer = await fetch(authorizeAddress(service, one.application), { redirect: 'manual' });
    expect(answer.status).toBe(401);
  });
});

test('an API that was accepted ends what clients of its former owner may do on their own account, and no more', async () => {
  const one = await offered('api');
  if (one.api === undefined) throw new Error('no API');
  const own = await service.createApplication({ ownerId: one.giver.user.userId });
  const foreign = await service.createApplication();
  const tokens = [];
  for (const client of [own, foreign]) tokens.push(await obtainServiceToken(service, client, one.api));
  await one.accept();
  const shown = await fill(one.taker.browser, one.at('/secrets'), { overlap: '0' });
  const api = { ...one.api, secret: wordsIn(shown, 'api-secret') };
  const active = [];
  for (const token of tokens) active.push((await introspect(service, api, token)).body.active);
  expect(active).toEqual([false, true]);
  const left = await query('select client_id from api_service_access where api_id = $1', [one.id]);
  expect(left).toEqual([{ client_id: foreign.clientId }]);
});

describe('where mail proves addresses', () => {
  let withMail: TestService;
  beforeAll(async () => {
    const environment = { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'no-reply@signin.example' };
    withMail = await startTestService(environment);
  });
  afterAll(() => withMail.close());

  test.each([
    [false, 403],
    [true, 303],
  ])('an account accepts if its address is verified (%s)', async (emailVerified, status) => {
    const owner = await withMail.createUser({ emailVerified: true });
    const taker = await withMail.createUser({ emailVerified });
    const { userId: ownerId } = owner;
    const { clientId } = await withMail.createApplication({ ownerId });
    const at = (below: string) => `/console/applications/${clientId}${below}`;
    const giving: BrowserSession = await signedInBrowser(withMail, owner);
    expect((await fill(giving, at('/transfer'), { email: taker.email })).status).toBe(303);
    const browser = await signedInBrowser(withMail, taker);
    const { csrf = '' } = (await browser.get('/account')).hidden;
    const page = await browser.get(at('/transfer/accept'));
    expect([page.status, page.body.includes('/account/verify')]).toEqual([200, !emailVerified]);
    const fields = { ...page.hidden, csrf };
    expect((await sendFields(browser, at('/transfer/accept'), fields)).status).toBe(status);
    const owned = await sql(withMail.parts.database, 'select from clients where owner_id = $1', [
      taker.userId,
    ]);
    expect(owned).toHaveLength(emailVerified ? 1 : 0);
  });
});
