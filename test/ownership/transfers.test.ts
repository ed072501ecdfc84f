// Client and API transfers: offers, acceptance, and revocation of the former owner's access.
import { randomUUID } from 'node:crypto';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { moderateAccount } from '../../src/accounts/moderation.ts';
import { listEvents } from '../../src/store/audit-log.ts';
import { findOwnedApi } from '../../src/store/owned-apis.ts';
import { findOwnedClient } from '../../src/store/owned-clients.ts';
import { listSecrets } from '../../src/store/secrets.ts';
import { listReceivedOffers } from '../../src/store/transfer-offers.ts';
import { createApiWithSecret, introspect, obtainServiceToken, toAssertionFields } from '../support/apis.ts';
import type { BrowserSession } from '../support/browser-session.ts';
import {
  CLIENT_SETTINGS,
  type FormFields,
  postFields,
  REDIRECT_URI,
  readCredentials,
  submitForm,
} from '../support/console-forms.ts';
import { findLastEmailTo, listEmailsTo, readLink } from '../support/emails.ts';
import { lockApi, lockClient } from '../support/locks.ts';
import { listForms, readFormErrors, readText } from '../support/markup.ts';
import { readElementText } from '../support/mfa-account.ts';
import {
  buildAuthorizeUrl,
  fetchUserinfo,
  obtainTokens,
  openSignedInBrowser,
  postForm,
  redeemRefreshToken,
} from '../support/oauth-flow.ts';
import {
  LARGE_POOL,
  PASSWORD,
  startTestService,
  type TestService,
  type TestUser,
} from '../support/service.ts';
import { sql } from '../support/store-fixtures.ts';

type Kind = 'application' | 'api';
const KINDS: Kind[] = ['application', 'api'];

let service: TestService;
let second: TestService;
beforeAll(async () => {
  service = await startTestService({ ...LARGE_POOL, REGISTRATIONS_PER_ACCOUNT: '3' });
  second = await startTestService({}, { databaseUrl: service.databaseUrl });
});
afterAll(async () => {
  await second.close();
  await service.close();
});

const now = () => service.clock.now();
const query = (text: string, values: unknown[]) => sql(service.services.database, text, values);

async function createSignedInUser(emailVerified = true) {
  const user = await service.createUser({ emailVerified });
  return { user, browser: await openSignedInBrowser(service, user) };
}
type SignedInUser = Awaited<ReturnType<typeof createSignedInUser>>;

async function createResource(kind: Kind, { userId: ownerId }: TestUser, fields = {}) {
  if (kind === 'api') {
    const api = await createApiWithSecret(service, { ownerId, ...fields });
    return { id: api.apiId, secret: api.secret, api };
  }
  const application = await service.createClient({ ownerId, ...fields });
  return { id: application.clientId, secret: application.clientSecret, application };
}

/** Creates a client or an API with keys, and offers it to another user. */
async function createOffer(kind: Kind, fields = {}, verified = true) {
  const [owner, recipient] = [await createSignedInUser(), await createSignedInUser(verified)];
  const created = await createResource(kind, owner.user, fields);
  const { id, secret } = created;
  const buildPath = (subpath = '') => `/console/${kind}s/${id}${subpath}`;
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'former' }] };
  const table =
    kind === 'api'
      ? 'update apis set jwks = $2 where api_id = $1'
      : 'update clients set jwks = $2 where client_id = $1';
  await query(table, [id, jwks]);
  const introspect = (credentials: Record<string, string | undefined>) =>
    postForm(service, '/oauth/introspect', { token: 'x', client_id: id, ...credentials });
  const signAssertion = () =>
    new SignJWT({ iss: id, sub: id, jti: randomUUID() })
      .setProtectedHeader({ alg: 'ES256', kid: 'former' })
      .setAudience(service.baseUrl)
      .setIssuedAt(now())
      .setExpirationTime(new Date(now().getTime() + 60_000))
      .sign(privateKey);
  const offer = (to: TestUser = recipient.user) =>
    submitForm(owner.browser, buildPath('/transfer'), { email: to.email });
  return {
    ...created,
    kind,
    buildPath,
    owner,
    recipient,
    offer,
    response: await offer(),
    accept: (fields: FormFields = {}, { browser } = recipient) =>
      submitForm(browser, buildPath('/transfer/accept'), fields),
    decide: async ({ browser }: SignedInUser, action: 'decline' | 'cancel') => {
      const { csrf = '' } = (await browser.get(`/console/${kind}s`)).hidden;
      return postFields(browser, buildPath(`/transfer/${action}`), { csrf });
    },
    owns: async ({ user }: SignedInUser) => (await findOwnedResource(kind, user, id)) !== undefined,
    statusWithSecret: async () => (await introspect({ client_secret: secret })).status,
    statusWithKey: async () => (await introspect(toAssertionFields(await signAssertion()))).status,
    events: async () =>
      (
        await listEvents(service.services.database, kind === 'api' ? { apiId: id } : { clientId: id }, {
          limit: 20,
        })
      )
        .map((event) => event.kind)
        .filter((event) => event.includes('_transfer'))
        .reverse(),
  };
}
type Offer = Awaited<ReturnType<typeof createOffer>>;

const findOwnedResource = (kind: Kind, { userId }: TestUser, id: string) =>
  kind === 'api'
    ? findOwnedApi(service.services.database, userId, id)
    : findOwnedClient(service.services.database, userId, id);
const listOffersTo = ({ user }: SignedInUser) =>
  listReceivedOffers(service.services.database, user.userId, now());
const listOfferEmails = async ({ user }: SignedInUser) =>
  (await listEmailsTo(service, user.email)).filter(({ subject }) => /^You have been offered/.test(subject));

describe.each(KINDS)('a transfer offer (%s)', (kind) => {
  test('is emailed to its recipient, who alone can accept it', async () => {
    const transfer = await createOffer(kind);
    const { owner, recipient, buildPath } = transfer;
    expect([transfer.response.status, transfer.response.location?.search]).toEqual([303, '?done=offered']);
    expect((await owner.browser.get(buildPath())).body).toContain(`Offered to ${recipient.user.email}`);
    expect(await transfer.owns(owner)).toBe(true);
    expect((await recipient.browser.get(buildPath())).status).toBe(404);
    const list = (await recipient.browser.get(`/console/${kind}s`)).body;
    for (const text of ['Transfers offered to you', owner.user.email]) expect(readText(list)).toContain(text);
    expect(list).toContain(buildPath('/transfer/accept'));
    const [mail] = await listOfferEmails(recipient);
    expect(mail && readLink(mail)).toBe(buildPath('/transfer/accept'));
    expect(mail?.text).toContain('Nothing changes until you accept.');
    expect(mail?.text).toContain(owner.user.name);
    for (const { browser } of [owner, await createSignedInUser()])
      expect((await browser.get(buildPath('/transfer/accept'))).status).toBe(404);
  });

  test.each(['decline', 'cancel'] as const)(
    'is closed only once if the %s request is repeated',
    async (action) => {
      const transfer = await createOffer(kind);
      const user = action === 'decline' ? transfer.recipient : transfer.owner;
      const [first, repeated] = [await transfer.decide(user, action), await transfer.decide(user, action)];
      expect([first.status, repeated.status, repeated.location]).toEqual([303, 303, first.location]);
      expect((await transfer.recipient.browser.get(transfer.buildPath('/transfer/accept'))).status).toBe(404);
      expect(await transfer.owns(transfer.owner)).toBe(true);
      expect(await transfer.events()).toEqual([
        `${kind}_transfer_offered`,
        `${kind}_transfer_${action === 'decline' ? 'declined' : 'canceled'}`,
      ]);
    },
  );

  test('can be declined without a password on the page where it can be accepted', async () => {
    const transfer = await createOffer(kind);
    const { body } = await transfer.recipient.browser.get(transfer.buildPath('/transfer/accept'));
    const row = /<p class="actions">(.*?)<\/p>/s.exec(body)?.[1] ?? '';
    expect([...row.matchAll(/<button .*?>(.*?)<\/button>/g)].map(([, text = '']) => readText(text))).toEqual([
      'Accept',
      'Decline',
    ]);
    expect(row).toContain('form="decline"');
    const lists = readText(body.split('</dl>')[0] ?? '');
    expect(lists).toMatch(
      /What stays\s*(Settings|Identifier).*What ends\s*The previous owner’s secrets and keys/s,
    );
    const [form = ''] = listForms(body, /id="decline"/);
    expect(form).toContain(`action="${transfer.buildPath('/transfer/decline')}"`);
    expect([...form.matchAll(/name="(\w+)"/g)].map(([, name]) => name)).toEqual(['csrf']);
  });
});

describe.each(KINDS)('accepting a transfer offer (%s)', (kind) => {
  test('revokes secrets, keys and the former owner’s access', async () => {
    const transfer = await createOffer(kind);
    expect([await transfer.statusWithSecret(), await transfer.statusWithKey()]).toEqual([200, 200]);
    const before = await findOwnedResource(kind, transfer.owner.user, transfer.id);
    const response = await transfer.accept();
    expect([response.location?.pathname, response.location?.search]).toEqual([
      transfer.buildPath(),
      '?done=accepted',
    ]);
    expect((await transfer.recipient.browser.follow(response)).body).toContain('is now yours.');
    expect([await transfer.owns(transfer.owner), await transfer.owns(transfer.recipient)]).toEqual([
      false,
      true,
    ]);
    expect((await transfer.owner.browser.get(transfer.buildPath())).status).toBe(404);
    expect([await transfer.statusWithSecret(), await transfer.statusWithKey()]).toEqual([401, 401]);
    const after = await findOwnedResource(kind, transfer.recipient.user, transfer.id);
    expect(after).toEqual({
      ...before,
      jwks: null,
      ...(kind === 'application' && { verified: false }),
    });
    expect(await transfer.events()).toEqual([`${kind}_transfer_offered`, `${kind}_transferred`]);
    const readEmailsTo = async ({ user }: SignedInUser) =>
      (await listEmailsTo(service, user.email)).map(({ text }) => text).join();
    expect(await readEmailsTo(transfer.owner)).toMatch(/has a new owner|a changé de propriétaire/);
    expect(await readEmailsTo(transfer.recipient)).toMatch(
      /now belongs to your|appartient désormais à votre/,
    );
  });

  test('removes names of the former owner’s other clients from diagnostics', async () => {
    const transfer = await createOffer(kind);
    const otherResource = await createResource(kind, transfer.owner.user, { name: 'Payroll of Acme' });
    const wrong = { token: 'x', client_id: transfer.id, client_secret: otherResource.secret };
    expect((await postForm(service, '/oauth/introspect', wrong)).status).toBe(401);
    await service.services.diagnostics.flush();
    const page = transfer.buildPath('/diagnostics');
    expect((await transfer.owner.browser.get(page)).body).toContain('Payroll of Acme');
    await transfer.accept();
    const { status, body } = await transfer.recipient.browser.get(page);
    expect([status, body.includes('Payroll of Acme')]).toEqual([200, false]);
  });

  test('fails if the recipient’s quota is used up', async () => {
    const transfer = await createOffer(kind);
    for (let n = 0; n < 3; n += 1) await createResource(kind, transfer.recipient.user);
    const response = await transfer.recipient.browser.follow(await transfer.accept());
    expect(readFormErrors(response.body)[0]).toContain(
      kind === 'api' ? 'limit of 3 APIs' : 'limit of 3 applications',
    );
    expect(await transfer.owns(transfer.recipient)).toBe(false);
    expect((await transfer.recipient.browser.get(transfer.buildPath('/transfer/accept'))).status).toBe(200);
  });

  test.each([
    ['before', 0],
    ['after', 1],
  ])(
    'removes credentials that the former owner adds concurrently (acceptance sent %s the change)',
    async (_, position) => {
      const pages = kind === 'api' ? ['/keys'] : ['/secrets', '/protocol', '/transfer'];
      for (const subpath of pages) {
        const jwks = JSON.stringify(await exportJWK((await generateKeyPair('ES256')).publicKey));
        const transfer = await createOffer(kind);
        const accomplice = await createSignedInUser();
        const secondServiceBrowser = await openSignedInBrowser(second, transfer.owner.user);
        const form = await secondServiceBrowser.get(transfer.buildPath(subpath));
        const page = await transfer.recipient.browser.get(transfer.buildPath('/transfer/accept'));
        const lock = await (kind === 'api' ? lockApi : lockClient)(service.databaseUrl, transfer.id);
        const fields = { overlap: '604800', email: accomplice.user.email, jwks };
        const requests = [
          () => postFields(transfer.recipient.browser, transfer.buildPath('/transfer/accept'), page.hidden),
          () =>
            postFields(secondServiceBrowser, transfer.buildPath(subpath), {
              ...form.hidden,
              ...fields,
              backchannel_logout_uri: 'https://former.example/late',
            }),
        ];
        if (position === 1) requests.reverse();
        const responses: Promise<unknown>[] = [];
        for (const [index, send] of requests.entries()) {
          responses.push(send());
          await lock.waitForBlocked(index + 1);
        }
        await lock.release();
        await Promise.all(responses);

        const isAccepted = await transfer.owns(transfer.recipient);
        expect(await listOffersTo(accomplice), subpath).toHaveLength(
          isAccepted || subpath !== '/transfer' ? 0 : 1,
        );
        if (!isAccepted) continue;
        const { userId } = transfer.recipient.user;
        expect(await listSecrets(service.services.database, userId, transfer.id, now()), subpath).toEqual([]);
        const settings =
          kind === 'api'
            ? await findOwnedApi(service.services.database, userId, transfer.id)
            : await findOwnedClient(service.services.database, userId, transfer.id);
        expect(settings, subpath).toMatchObject({ jwks: null });
        if (kind === 'application') expect(settings, subpath).toMatchObject({ backchannelLogoutUri: null });
      }
    },
  );
});

describe('a transfer offer', () => {
  const kind = 'application';

  test('is rejected if the email address is invalid', async () => {
    const { user, browser } = await createSignedInUser();
    const { id } = await createResource(kind, user);
    const refused: unknown[] = [];
    for (const email of ['', 'x', ` ${user.email.toUpperCase()} `]) {
      const response = await browser.follow(
        await submitForm(browser, `/console/${kind}s/${id}/transfer`, { email }),
      );
      refused.push([response.status, ...readFormErrors(response.body)]);
    }
    expect(refused).toEqual([
      [400, 'Enter a full email address.'],
      [400, 'Enter a full email address.'],
      [400, 'This is your own address.'],
    ]);
  });

  test('looks the same for a known and an unknown email address', async () => {
    const transfer = await createOffer(kind);
    const { owner, buildPath } = transfer;
    const readNormalizedPage = async () =>
      (await owner.browser.get(buildPath('/transfer'))).body
        .replace(/datetime="[^"]*"/, 'datetime=""')
        .replace(/title="[^"]*UTC"/, 'title=""')
        .replace(/name="csrf" value="[\w-]{65}"/g, 'csrf')
        .replaceAll('<wbr>', '');
    const pageForKnown = (await readNormalizedPage()).replaceAll(transfer.recipient.user.email, 'EMAIL');
    const email = `later-${kind}@nowhere.example`;
    const response = await submitForm(owner.browser, buildPath('/transfer'), { email });
    expect([response.status, response.location?.href]).toEqual([
      transfer.response.status,
      transfer.response.location?.href,
    ]);
    expect((await readNormalizedPage()).replaceAll(email, 'EMAIL')).toBe(pageForKnown);
    const later = await openSignedInBrowser(service, await service.createUser({ email }));
    expect((await later.get(`/console/${kind}s`)).body).not.toContain('Transfers offered to you');
    expect((await later.get(buildPath('/transfer/accept'))).status).toBe(404);
  });

  test('is closed when its recipient’s email address changes', async () => {
    const transfer = await createOffer(kind, {}, false);
    const { browser, user } = transfer.recipient;
    const { hidden } = await browser.get('/account/email');
    const email = `moved-${user.email}`;
    await browser.post('/account/email', { csrf: hidden.csrf ?? '', new_email: email });
    const form = await browser.get(readLink(await findLastEmailTo(service, email)));
    await browser.post('/security/confirm', form.hidden);
    expect((await browser.get('/account')).body).toContain(email);
    expect((await browser.get(transfer.buildPath('/transfer/accept'))).status).toBe(404);
  });

  test('is replaced by a new offer to a different user', async () => {
    const transfer = await createOffer(kind);
    const newRecipient = await createSignedInUser();
    await transfer.offer(newRecipient.user);
    expect((await transfer.recipient.browser.get(transfer.buildPath('/transfer/accept'))).status).toBe(404);
    expect((await newRecipient.browser.get(transfer.buildPath('/transfer/accept'))).status).toBe(200);
  });

  test('is not emailed to an unverified email address', async () => {
    const { recipient, buildPath } = await createOffer(kind, {}, false);
    expect(await listOfferEmails(recipient)).toEqual([]);
    expect((await recipient.browser.get(`/console/${kind}s`)).body).toContain(buildPath('/transfer/accept'));
  });

  test('is emailed only within the rate limit for the email address', async () => {
    service.services.config.hourlyLimits = true;
    onTestFinished(() => {
      service.services.config.hourlyLimits = false;
    });
    const transfer = await createOffer(kind, { name: 'Visit evil.example/now' });
    for (let n = 0; n < 12; n += 1) {
      service.clock.advance(16);
      expect((await transfer.offer()).location?.href).toBe(transfer.response.location?.href);
    }
    const emails = await listOfferEmails(transfer.recipient);
    expect(emails).toHaveLength(5);
    expect(emails[0]?.text).toContain('Visit');
    expect(emails[0]?.text).not.toContain('evil.example');
  });

  test('expires after seven days', async () => {
    const transfer = await createOffer(kind);
    const { hidden } = await transfer.recipient.browser.get(transfer.buildPath('/transfer/accept'));
    service.clock.advance(7 * 24 * 3600);
    expect(
      (await postFields(transfer.recipient.browser, transfer.buildPath('/transfer/accept'), hidden)).status,
    ).toBe(404);
    service.clock.advance(-7 * 24 * 3600);
    expect(await transfer.owns(transfer.recipient)).toBe(false);
  });

  test.each([
    [
      'changes their password',
      async ({ owner: { browser } }: Offer) => {
        const { hidden } = await browser.get('/account/password');
        const fields = { ...hidden, current_password: PASSWORD, new_password: 'quite another password 7' };
        await browser.post('/account/password', fields);
      },
    ],
    [
      'is suspended',
      async ({ owner }: Offer) =>
        void (await moderateAccount(service.services, 'suspend', owner.user.userId, {}, now())),
    ],
  ])('is closed when the owner %s', async (_, end) => {
    const transfer = await createOffer(kind);
    const { hidden } = await transfer.recipient.browser.get(transfer.buildPath('/transfer/accept'));
    await end(transfer);
    expect(await listOffersTo(transfer.recipient)).toEqual([]);
    expect(
      (await postFields(transfer.recipient.browser, transfer.buildPath('/transfer/accept'), hidden)).status,
    ).toBe(404);
    expect(await transfer.owns(transfer.owner)).toBe(true);
  });

  test('can be made and accepted only with a recent sign-in or the password', async () => {
    const transfer = await createOffer(kind);
    service.clock.advance(15 * 60 + 1);
    for (const [browser, response] of [
      [transfer.owner.browser, await transfer.offer()],
      [transfer.recipient.browser, await transfer.accept()],
    ] as const)
      expect(readFormErrors((await browser.follow(response)).body)).toEqual(['Enter your current password.']);
    expect(await transfer.owns(transfer.recipient)).toBe(false);
    await transfer.accept({ current_password: PASSWORD });
    expect(await transfer.owns(transfer.recipient)).toBe(true);
  });
});

test('a transfer offer lists callback URLs only if the client has any', async () => {
  for (const [redirectUris, shown] of [
    [[], false],
    [['https://client.example/callback'], true],
  ] as const) {
    const { recipient, buildPath } = await createOffer('application', { redirectUris });
    const { body } = await recipient.browser.get(buildPath('/transfer/accept'));
    expect(body.includes('<dt>Callback URL')).toBe(shown);
  }
});

describe('a transferred client', () => {
  const createSecret = async ({ recipient, buildPath }: Offer) =>
    readCredentials(await submitForm(recipient.browser, buildPath('/secrets'), { overlap: '0' }))
      .clientSecret ?? '';

  test('keeps its redirect URIs, settings and grants', async () => {
    const redirectUris = [REDIRECT_URI, 'https://client.example/other'];
    const transfer = await createOffer('application', { redirectUris });
    if (transfer.application === undefined) throw new Error('no application');
    const { browser } = await createSignedInUser();
    const { refreshToken, accessToken } = await obtainTokens(service, transfer.application, browser);
    await transfer.accept();
    const found = await findOwnedClient(
      service.services.database,
      transfer.recipient.user.userId,
      transfer.id,
    );
    expect(found?.redirectUris).toEqual(redirectUris);
    expect((await fetchUserinfo(service, accessToken)).status).toBe(200);
    expect(
      (await redeemRefreshToken(service, transfer.application, refreshToken)).status,
      'with the former secret',
    ).toBe(401);
    const clientSecret = await createSecret(transfer);
    expect(
      (await redeemRefreshToken(service, { ...transfer.application, clientSecret }, refreshToken)).status,
    ).toBe(200);
  });

  test('loses its tokens if it is public', async () => {
    const transfer = await createOffer('application', { type: 'public' });
    if (transfer.application === undefined) throw new Error('no application');
    const { refreshToken, accessToken } = await obtainTokens(
      service,
      transfer.application,
      (await createSignedInUser()).browser,
    );
    await transfer.accept();
    expect((await redeemRefreshToken(service, transfer.application, refreshToken)).body.error).toBe(
      'invalid_grant',
    );
    expect((await fetchUserinfo(service, accessToken)).status).toBe(401);
  });

  test('loses its logout URIs and its access to APIs', async () => {
    const transfer = await createOffer('application');
    if (transfer.application === undefined) throw new Error('no application');
    await submitForm(transfer.owner.browser, transfer.buildPath('/sign-out'), {
      backchannel_logout_uri: 'https://former.example/sessions',
      post_logout_redirect_uris: 'https://client.example/out',
    });
    const token = await obtainServiceToken(service, transfer.application, await service.createApi());
    await transfer.accept();
    const { database } = service.services;
    expect(await findOwnedClient(database, transfer.recipient.user.userId, transfer.id)).toMatchObject({
      backchannelLogoutUri: null,
      postLogoutRedirectUris: [],
      jwks: null,
    });
    const credentials = { client_id: transfer.id, client_secret: await createSecret(transfer) };
    expect((await postForm(service, '/oauth/introspect', { token, ...credentials })).body).toEqual({
      active: false,
    });
  });

  test('keeps only the redirect URIs that the recipient was shown', async () => {
    const transfer = await createOffer('application', { type: 'public' });
    const path = transfer.buildPath('/transfer/accept');
    const page = await transfer.recipient.browser.get(path);
    expect(readText(page.body)).toContain('anyone who controls one of its callback URLs can obtain tokens');
    await submitForm(transfer.owner.browser, transfer.buildPath('/edit'), {
      ...CLIENT_SETTINGS,
      redirect_uris: 'https://evil.example/cb',
    });
    const response = await transfer.recipient.browser.follow(
      await postFields(transfer.recipient.browser, path, page.hidden),
    );
    expect([response.status, await transfer.owns(transfer.recipient)]).toEqual([409, false]);
    expect(readText(response.body)).toContain('callback URLs have changed in the meantime');
    expect(response.body).toContain('https://evil.example/cb');
    await postFields(transfer.recipient.browser, path, response.hidden);
    expect(await transfer.owns(transfer.recipient)).toBe(true);
  });

  test('stays suspended but loses its verification', async () => {
    const transfer = await createOffer('application');
    if (transfer.application === undefined) throw new Error('no application');
    await query('update clients set suspended_at = $2, verified_at = $2 where client_id = $1', [
      transfer.id,
      now(),
    ]);
    await transfer.accept();
    const found = await findOwnedClient(
      service.services.database,
      transfer.recipient.user.userId,
      transfer.id,
    );
    expect(found).toMatchObject({ suspended: true, verified: false });
    const response = await fetch(buildAuthorizeUrl(service, transfer.application), { redirect: 'manual' });
    expect(response.status).toBe(401);
  });
});

test('an API transfer revokes access only for the former owner’s clients', async () => {
  const transfer = await createOffer('api');
  if (transfer.api === undefined) throw new Error('no API');
  const ownersClient = await service.createClient({ ownerId: transfer.owner.user.userId });
  const otherClient = await service.createClient();
  const tokens = [];
  for (const client of [ownersClient, otherClient])
    tokens.push(await obtainServiceToken(service, client, transfer.api));
  await transfer.accept();
  const shown = await submitForm(transfer.recipient.browser, transfer.buildPath('/secrets'), {
    overlap: '0',
  });
  const api = { ...transfer.api, secret: readElementText(shown, 'api-secret') };
  const results = [];
  for (const token of tokens) results.push((await introspect(service, api, token)).body.active);
  expect(results).toEqual([false, true]);
  const remaining = await query('select client_id from api_service_access where api_id = $1', [transfer.id]);
  expect(remaining).toEqual([{ client_id: otherClient.clientId }]);
});

describe('with SMTP_URL set, accepting a transfer offer', () => {
  let withMail: TestService;
  beforeAll(async () => {
    const environment = { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'no-reply@signin.example' };
    withMail = await startTestService(environment);
  });
  afterAll(() => withMail.close());

  test.each([
    [false, 403],
    [true, 303],
  ])('requires a verified email address (verified: %s)', async (emailVerified, status) => {
    const owner = await withMail.createUser({ emailVerified: true });
    const recipient = await withMail.createUser({ emailVerified });
    const { userId: ownerId } = owner;
    const { clientId } = await withMail.createClient({ ownerId });
    const buildPath = (subpath: string) => `/console/applications/${clientId}${subpath}`;
    const ownerBrowser: BrowserSession = await openSignedInBrowser(withMail, owner);
    expect((await submitForm(ownerBrowser, buildPath('/transfer'), { email: recipient.email })).status).toBe(
      303,
    );
    const browser = await openSignedInBrowser(withMail, recipient);
    const { csrf = '' } = (await browser.get('/account')).hidden;
    const page = await browser.get(buildPath('/transfer/accept'));
    expect([page.status, page.body.includes('/account/verify')]).toEqual([200, !emailVerified]);
    const fields = { ...page.hidden, csrf };
    expect((await postFields(browser, buildPath('/transfer/accept'), fields)).status).toBe(status);
    const owned = await sql(withMail.services.database, 'select from clients where owner_id = $1', [
      recipient.userId,
    ]);
    expect(owned).toHaveLength(emailVerified ? 1 : 0);
  });
});
