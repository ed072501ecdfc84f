// What is left of the former owner once an application has changed hands: nothing by which they could be it (D61).

import { randomUUID } from 'node:crypto';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { moderateAccount } from '../../src/accounts/moderation.ts';
import { findOwnApplication } from '../../src/store/applications.ts';
import { ownSecrets } from '../../src/store/own-secrets.ts';
import { findProtocolSettings } from '../../src/store/protocol-settings.ts';
import { apiOffers, applicationOffers } from '../../src/store/transfer-offers.ts';
import { type BrowserSession, openBrowserSession } from '../support/browser-session.ts';
import { accept, at, CALLBACK, fill, SETTINGS, sendFields } from '../support/console.ts';
import { expectError } from '../support/expect-error.ts';
import {
  authorizeAddress,
  obtainTokens,
  postForm,
  renew,
  signedInBrowser,
  userinfo,
} from '../support/flow.ts';
import { lockApplication } from '../support/locks.ts';
import { lastMailTo, linkIn, mailsTo } from '../support/mail.ts';
import { formErrors, markupFaults } from '../support/markup.ts';
import { PASSWORD, startTestService, type TestService } from '../support/service.ts';
import { grantServiceAccess } from '../support/service-access.ts';

const THEIRS = 'https://former.example/collect';
let service: TestService;
let second: TestService;
beforeAll(async () => {
  service = await startTestService();
  second = await startTestService({}, { databaseUrl: service.databaseUrl });
});
afterAll(async () => {
  await second.close();
  await service.close();
});

async function offered(fields = {}) {
  const [giver, taker] = [await service.createUser(), await service.createUser()];
  const application = await service.createApplication({
    ownerId: giver.userId,
    redirectUris: [CALLBACK, THEIRS],
    ...fields,
  });
  const { clientId } = application;
  const theirs = await signedInBrowser(service, giver);
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  const protocol = {
    post_logout_redirect_uris: 'https://former.example/out',
    backchannel_logout_uri: 'https://former.example/sessions',
    jwks: JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: 'former' }] }),
  };
  await fill(theirs, at(clientId, '/protocol'), protocol);
  await fill(theirs, at(clientId, '/transfer'), { email: taker.email });
  const own = await signedInBrowser(service, taker);
  const api = await service.createApi();
  await grantServiceAccess(service.parts.database, api, application);
  return { giver, taker, application, clientId, theirs, own, privateKey, api };
}
type Offered = Awaited<ReturnType<typeof offered>>;

const now = () => service.clock.now();
const serviceToken = ({ application, api }: Offered) =>
  postForm(service, '/oauth/token', {
    grant_type: 'client_credentials',
    resource: api.identifier,
    client_id: application.clientId,
    client_secret: application.clientSecret,
  });
const activeIn = async (token: unknown, { clientId }: Offered, client_secret: string) =>
  (await postForm(service, '/oauth/introspect', { token: String(token), client_id: clientId, client_secret }))
    .body;
async function byKey({ clientId, privateKey, api }: Offered) {
  const client_assertion = await new SignJWT({ iss: clientId, sub: clientId, jti: randomUUID() })
    .setProtectedHeader({ alg: 'ES256', kid: 'former' })
    .setAudience(service.baseUrl)
    .setIssuedAt(now())
    .setExpirationTime(new Date(now().getTime() + 60_000))
    .sign(privateKey);
  const client_assertion_type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
  const resource = api.identifier;
  const fields = { grant_type: 'client_credentials', resource, client_assertion, client_assertion_type };
  return postForm(service, '/oauth/token', fields);
}
const newSecret = async (browser: BrowserSession, clientId: string, overlap = '604800') =>
  /id="client-secret"[^>]*>([^<]*)</.exec(
    (await fill(browser, at(clientId, '/secrets'), { overlap })).body,
  )?.[1] ?? '';

test('the page lists all that comes with it, and what ends', async () => {
  const one = await offered();
  const page = await one.own.get(at(one.clientId, '/transfer/accept'));
  for (const shown of [
    CALLBACK,
    THEIRS,
    'https://former.example/out',
    'https://former.example/sessions',
    'EC former',
    'Secret no. 1',
    'Archives (read)',
  ])
    expect(page.body).toContain(shown);
  expect(markupFaults(page.body)).toEqual([]);
});

test('keys, addresses and the callbacks that were not kept fall with the acceptance, secrets and tokens with them', async () => {
  const one = await offered();
  const person = await signedInBrowser(service, await service.createUser());
  const tokens = await obtainTokens(service, one.application, person);
  const own = await serviceToken(one);
  expect((await byKey(one)).status).toBe(200);
  expect((await accept(one.own, one.clientId)).location?.search).toBe('?done=accepted');

  expect((await byKey(one)).status).toBe(401);
  expect((await serviceToken(one)).status).toBe(401);
  const settings = await findProtocolSettings(service.parts.database, one.taker.userId, one.clientId);
  expect(settings).toMatchObject({ jwks: null, backchannelLogoutUri: null, postLogoutRedirectUris: [] });
  const found = await findOwnApplication(service.parts.database, one.taker.userId, one.clientId);
  expect(found?.redirectUris).toEqual([CALLBACK]);
  const address = authorizeAddress(service, { ...one.application, redirectUri: THEIRS });
  expect((await person.get(address)).status).toBe(400);
  expect((await userinfo(service, tokens.accessToken)).status).toBe(401);
  const secret = await newSecret(one.own, one.clientId);
  const renewed = await renew(service, { ...one.application, clientSecret: secret }, tokens.refreshToken);
  expect(renewed.body.error).toBe('invalid_grant');
  expect(await activeIn(own.body.access_token, one, secret)).toEqual({ active: false });
});

test('a mail about an offer that the version before has left in the outbox is written', async () => {
  const { database, mailer } = service.parts;
  const owner = await service.createUser();
  const { email } = await service.createUser({ emailVerified: true });
  const { clientId } = await service.createApplication({ ownerId: owner.userId });
  const { apiId } = await service.createApi({ ownerId: owner.userId });
  const offer = { ownerId: owner.userId, email, now: now(), expiresAt: new Date(now().getTime() + 60_000) };
  await applicationOffers.offer(database, clientId, offer);
  await apiOffers.offer(database, apiId, offer);
  const wish = { kind: 'wish', email, locale: 'fr' } as const;
  await mailer.send({ ...wish, what: 'application_offered', clientId });
  await mailer.send({ ...wish, what: 'api_offered', apiId });
  expect((await mailsTo(service, email)).map(linkIn).sort()).toEqual([
    `/console/apis/${apiId}/transfer/accept`,
    `/console/applications/${clientId}/transfer/accept`,
  ]);
});

test('what its diagnostics say of other applications of its former owner does not come along', async () => {
  const one = await offered();
  const other = await service.createApplication({ ownerId: one.giver.userId, name: 'Payroll of Acme' });
  expect(await activeIn('x', one, other.clientSecret)).toMatchObject({ error: 'invalid_client' });
  await service.parts.diagnostics.flush();
  const page = at(one.clientId, '/diagnostics');
  expect((await one.theirs.get(page)).body).toContain('Payroll of Acme');
  await accept(one.own, one.clientId);
  const { status, body } = await one.own.get(page);
  expect([status, body.includes('Payroll of Acme')]).toEqual([200, false]);
});

test('secrets go on for as long as the new owner says, and no longer', async () => {
  const one = await offered();
  const { refreshToken } = await obtainTokens(service, one.application, one.theirs);
  await accept(one.own, one.clientId, { overlap: '3600' });
  expect((await renew(service, one.application, refreshToken)).status).toBe(200);
  // What the owner of an API granted to the former one is over: with the secret itself, all that it says is so.
  expectError(await serviceToken(one), 400, 'unsupported_grant_type');
  service.clock.advance(3600);
  expectError(await serviceToken(one), 401, 'invalid_client');
  service.clock.advance(-3600);
});

test('a secret that ends before that time anyway does not live longer for it', async () => {
  const one = await offered();
  await newSecret(one.theirs, one.clientId, '3600');
  await accept(one.own, one.clientId, { overlap: '604800' });
  const secrets = await ownSecrets.list(service.parts.database, one.taker.userId, one.clientId, now());
  const hours = secrets.map(({ expiresAt }) =>
    Math.round(((expiresAt?.getTime() ?? 0) - +now()) / 3_600_000),
  );
  expect(hours).toEqual([168, 1]);
});

test('of a public application everything ends that its former owner may hold', async () => {
  const one = await offered({ type: 'public' });
  const person = await signedInBrowser(service, await service.createUser());
  const { refreshToken } = await obtainTokens(service, one.application, person);
  await accept(one.own, one.clientId, { overlap: '604800' });
  expect((await renew(service, one.application, refreshToken)).body.error).toBe('invalid_grant');
});

test.each([
  ['keeps no callback URL', { callbacks: [] }, 'Keep at least one callback URL.'],
  [
    'keeps one that is not listed',
    { callbacks: ['7'] },
    'The application has changed since this page was shown. Check again what comes with it.',
  ],
  ['asks for longer than seven days', { overlap: '604801' }, 'Choose one of the options.'],
])('whoever %s is told so, and nothing changes', async (_, fields, words) => {
  const one = await offered();
  const answer = await accept(one.own, one.clientId, fields);
  expect([answer.status, formErrors(answer.body)]).toEqual([400, [words]]);
  expect(await findOwnApplication(service.parts.database, one.giver.userId, one.clientId)).toBeDefined();
});

test.each<[string, (one: Offered) => Promise<unknown>]>([
  ['a secret', ({ theirs, clientId }) => newSecret(theirs, clientId)],
  [
    'a callback',
    ({ theirs, clientId }) =>
      fill(theirs, at(clientId, '/edit'), { ...SETTINGS, redirect_uris: `${THEIRS}\n${CALLBACK}` }),
  ],
  [
    'a sign-out URL',
    ({ theirs, clientId }) =>
      fill(theirs, at(clientId, '/protocol'), { post_logout_redirect_uris: 'https://other.example/' }),
  ],
])('%s that comes between the look and the press is shown first', async (_, change) => {
  const one = await offered();
  const { hidden } = await one.own.get(at(one.clientId, '/transfer/accept'));
  const fields = { ...hidden, callbacks: ['0'], overlap: '604800' };
  await change(one);
  const answer = await sendFields(one.own, at(one.clientId, '/transfer/accept'), fields);
  expect([answer.status, formErrors(answer.body)]).toEqual([
    400,
    ['The application has changed since this page was shown. Check again what comes with it.'],
  ]);
  expect(await findOwnApplication(service.parts.database, one.giver.userId, one.clientId)).toBeDefined();
  const again = await sendFields(one.own, at(one.clientId, '/transfer/accept'), {
    ...fields,
    ...answer.hidden,
  });
  expect(again.location?.search).toBe('?done=accepted');
});

test.each([
  ['first', 0],
  ['last', 1],
])(
  'raced from two processes, the acceptance %s: secrets, keys, callbacks and offers of the former owner',
  async (_, place) => {
    for (const below of ['/secrets', '/protocol', '/transfer', '/edit']) {
      const jwks = JSON.stringify(await exportJWK((await generateKeyPair('ES256')).publicKey));
      const one = await offered();
      const accomplice = await service.createUser();
      const elsewhere = await signedInBrowser(second, one.giver);
      const form = await elsewhere.get(at(one.clientId, below));
      const page = await one.own.get(at(one.clientId, '/transfer/accept'));
      const lock = await lockApplication(service.databaseUrl, one.clientId);
      const begin = [
        () =>
          sendFields(one.own, at(one.clientId, '/transfer/accept'), {
            ...page.hidden,
            callbacks: ['0'],
            overlap: '0',
          }),
        () =>
          sendFields(elsewhere, at(one.clientId, below), {
            ...form.hidden,
            ...SETTINGS,
            redirect_uris: `${CALLBACK}\n${THEIRS}\nhttps://former.example/late`,
            overlap: '604800',
            email: accomplice.email,
            backchannel_logout_uri: 'https://former.example/late',
            jwks,
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

      const { database } = service.parts;
      const taken = await findOwnApplication(database, one.taker.userId, one.clientId);
      expect(await applicationOffers.listReceived(database, accomplice.userId, now()), below).toEqual(
        taken === undefined && below === '/transfer' ? [expect.anything()] : [],
      );
      if (taken === undefined) continue;
      expect(taken.redirectUris, below).toEqual([CALLBACK]);
      expect(await ownSecrets.list(database, one.taker.userId, one.clientId, now()), below).toEqual([]);
      expect(await findProtocolSettings(database, one.taker.userId, one.clientId), below).toMatchObject({
        jwks: null,
        backchannelLogoutUri: null,
      });
    }
  },
);

test('taken back while it is accepted, by another process, it is whoever’s it is said to be', async () => {
  for (let i = 0; i < 5; i++) {
    const one = await offered();
    const elsewhere = await signedInBrowser(second, one.giver);
    const { hidden } = await one.own.get(at(one.clientId, '/transfer/accept'));
    const cancelling = await elsewhere.get(at(one.clientId, '/transfer'));
    const [taken] = await Promise.all([
      sendFields(one.own, at(one.clientId, '/transfer/accept'), {
        ...hidden,
        callbacks: ['0'],
        overlap: '0',
      }),
      sendFields(elsewhere, at(one.clientId, '/transfer/cancel'), { csrf: cancelling.hidden.csrf ?? '' }),
    ]);
    const { database } = service.parts;
    const owner = taken.location?.search === '?done=accepted' ? one.taker : one.giver;
    expect(await findOwnApplication(database, owner.userId, one.clientId)).toBeDefined();
    expect(await applicationOffers.listReceived(database, one.taker.userId, now())).toEqual([]);
  }
});

test.each([
  [
    'a new password',
    async ({ theirs }: Offered) => {
      const { hidden } = await theirs.get('/account/password');
      const fields = { ...hidden, current_password: PASSWORD, new_password: 'quite another password 7' };
      await theirs.post('/account/password', fields);
    },
  ],
  [
    'a password reset',
    async ({ giver }: Offered) => {
      const browser = openBrowserSession(service.baseUrl);
      const { hidden } = await browser.get('/password/forgot');
      await browser.post('/password/forgot', { ...hidden, email: giver.email });
      const form = await browser.get(linkIn(await lastMailTo(service, giver.email)));
      await browser.post('/password/reset', { ...form.hidden, new_password: 'quite another password 7' });
    },
  ],
  [
    'a suspension, lifted since',
    async ({ giver }: Offered) => {
      for (const action of ['suspend', 'unsuspend'] as const)
        await moderateAccount(service.parts.database, action, giver.userId, {}, now());
    },
  ],
  [
    'a suspension',
    async ({ giver }: Offered) =>
      void (await moderateAccount(service.parts.database, 'suspend', giver.userId, {}, now())),
  ],
])('after %s of whoever made it an offer stands no longer', async (_, end) => {
  const one = await offered();
  const { hidden } = await one.own.get(at(one.clientId, '/transfer/accept'));
  await end(one);
  expect(await applicationOffers.listReceived(service.parts.database, one.taker.userId, now())).toEqual([]);
  const fields = { ...hidden, callbacks: ['0'], overlap: '0' };
  expect((await sendFields(one.own, at(one.clientId, '/transfer/accept'), fields)).status).toBe(404);
  expect(
    await applicationOffers.findOwn(service.parts.database, one.giver.userId, one.clientId, now()),
  ).toBeUndefined();
  const kept = await findOwnApplication(service.parts.database, one.giver.userId, one.clientId);
  expect(kept?.clientId).toBe(one.clientId);
});
