// What a disowned session added or changed: nothing of it works once its owner has said « this was not me » (D61).

import { exportJWK, generateKeyPair } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { moderateApplication } from '../../src/accounts/moderation.ts';
import { findOwnApplication } from '../../src/store/applications.ts';
import { listConsents } from '../../src/store/consents.ts';
import { ownSecrets } from '../../src/store/own-secrets.ts';
import { findProtocolSettings } from '../../src/store/protocol-settings.ts';
import { applicationOffers } from '../../src/store/transfer-offers.ts';
import { type BrowserSession, openBrowserSession, type Visit } from '../support/browser-session.ts';
import {
  accept,
  at,
  CALLBACK,
  credentialsOn,
  fill,
  REGISTRATION,
  register,
  SETTINGS,
  sendFields,
} from '../support/console.ts';
import {
  authorize,
  authorizeAddress,
  decide,
  obtainTokens,
  redeem,
  renew,
  signedInBrowser,
  signIn,
  userinfo,
} from '../support/flow.ts';
import { lockApplication, lockUser } from '../support/locks.ts';
import { lastMailTo, linkIn, mailsTo } from '../support/mail.ts';
import { markupFaults } from '../support/markup.ts';
import { PASSWORD, startTestService, type TestService, type TestUser } from '../support/service.ts';

const EVIL = 'https://evil.example/collect';
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

const now = () => service.clock.now();
const publicKey = async () => exportJWK((await generateKeyPair('ES256')).publicKey);

/** An account with an application, its owner's own browser, and an intruder who has just signed in. */
async function intrusion() {
  const user = await service.createUser({ emailVerified: true });
  const application = await service.createApplication({ ownerId: user.userId });
  const { clientId } = application;
  const own = await signedInBrowser(service, user);
  const kept = { backchannel_logout_uri: 'https://client.example/sessions' };
  const ownKey = await publicKey();
  await fill(own, at(clientId, '/protocol'), { ...kept, jwks: JSON.stringify({ keys: [ownKey] }) });
  const intruder = await signedInBrowser(service, user);
  const link = linkIn(await lastMailTo(service, user.email));
  return { user, application, clientId, own, intruder, link, ownKey };
}
type Intrusion = Awaited<ReturnType<typeof intrusion>>;

/** Opens a mail's link in a fresh browser, and sends its form. */
async function press(link: string, from: TestService = service) {
  const browser = openBrowserSession(from.baseUrl);
  const page = await browser.get(link);
  const answer = await browser.post('/security/not-me', page.hidden);
  return { page, answer, done: await browser.follow(answer) };
}

const ownApplication = ({ user, clientId }: Intrusion) =>
  findOwnApplication(service.parts.database, user.userId, clientId);
const protocolOf = ({ user, clientId }: Intrusion) =>
  findProtocolSettings(service.parts.database, user.userId, clientId);
const secretsOf = async ({ user, clientId }: Intrusion) =>
  (await ownSecrets.list(service.parts.database, user.userId, clientId, now())).map(({ number }) => number);
const addCallback = (browser: BrowserSession, { clientId }: Intrusion, uri = EVIL) =>
  fill(browser, at(clientId, '/edit'), { ...SETTINGS, redirect_uris: `${CALLBACK}\n${uri}` });

describe('after « this was not me » nothing works of what the session', () => {
  test('added to an application: a callback, a key, addresses, a secret; what its owner had is there', async () => {
    const one = await intrusion();
    const { intruder, clientId, ownKey } = one;
    await addCallback(intruder, one);
    await fill(intruder, at(clientId, '/protocol'), {
      jwks: JSON.stringify({ keys: [{ ...(await publicKey()), kid: 'evil' }] }),
      backchannel_logout_uri: 'https://evil.example/sessions',
      post_logout_redirect_uris: 'https://evil.example/out',
    });
    await fill(intruder, at(clientId, '/secrets'), { overlap: '604800' });
    const { page, done } = await press(one.link);
    for (const { body } of [page, done]) {
      expect(body).toContain('its settings and callback URLs');
      expect(body).toContain('the creation of a secret');
      expect(markupFaults(body)).toEqual([]);
    }
    expect((await ownApplication(one))?.redirectUris).toEqual([CALLBACK]);
    expect(await protocolOf(one)).toMatchObject({
      jwks: { keys: [{ x: ownKey.x }] },
      backchannelLogoutUri: 'https://client.example/sessions',
      postLogoutRedirectUris: [],
    });
    expect(await secretsOf(one)).toEqual([1]);
    expect(
      (await one.own.get(authorizeAddress(service, { ...one.application, redirectUri: EVIL }))).status,
    ).toBe(400);
  });

  test('however many changes there are, all are undone, and the page has a line for what was done', async () => {
    const one = await intrusion();
    for (let time = 1; time <= 120; time += 1) await addCallback(one.intruder, one, `${EVIL}/${time}`);
    const { page } = await press(one.link);
    expect(page.body.split('its settings and callback URLs')).toHaveLength(2);
    expect((await ownApplication(one))?.redirectUris).toEqual([CALLBACK]);
  });

  test.each([
    ['a callback', async (one: Intrusion) => void (await addCallback(one.intruder, one))],
    [
      'a key',
      async ({ intruder, clientId, ownKey }: Intrusion) => {
        const jwks = JSON.stringify({ keys: [ownKey, { ...(await publicKey()), kid: 'evil' }] });
        await fill(intruder, at(clientId, '/protocol'), { jwks });
      },
    ],
    [
      'a secret',
      async ({ intruder, clientId }: Intrusion) =>
        void (await fill(intruder, at(clientId, '/secrets'), { overlap: '604800' })),
    ],
  ])(
    'let somebody in for by %s: codes and tokens of whoever signed in to the application',
    async (_, letIn) => {
      const one = await intrusion();
      await letIn(one);
      const redirectUri = (await ownApplication(one))?.redirectUris.at(-1) ?? '';
      const application = { ...one.application, redirectUri };
      const person = await signedInBrowser(service, await service.createUser());
      const tokens = await obtainTokens(service, application, person);
      const code = (await authorize(service, application, person, {})).searchParams.get('code') ?? '';
      await press(one.link);
      expect((await redeem(service, application, code)).body.error).toBe('invalid_grant');
      expect((await userinfo(service, tokens.accessToken)).status).toBe(401);
      expect((await renew(service, application, tokens.refreshToken)).body.error).toBe('invalid_grant');
      // Their consent stands: they pass through without being asked.
      await obtainTokens(service, one.application, person);
    },
  );

  test('did to an application that its owner has changed again since: only what was added goes', async () => {
    const one = await intrusion();
    await addCallback(one.intruder, one);
    const theirs = 'https://client.example/second';
    await fill(one.own, at(one.clientId, '/edit'), {
      ...SETTINGS,
      name: 'Renamed',
      redirect_uris: [CALLBACK, EVIL, theirs].join('\n'),
    });
    await press(one.link);
    expect(await ownApplication(one)).toMatchObject({ name: 'Renamed', redirectUris: [CALLBACK, theirs] });
  });

  test('agreed to: an application of somebody else gets no code, and what it got is dead', async () => {
    const one = await intrusion();
    const evil = await service.createApplication({ name: 'Evil' });
    const tokens = await obtainTokens(service, evil, one.intruder, { scope: 'openid profile' });
    await press(one.link);
    expect((await userinfo(service, tokens.accessToken)).status).toBe(401);
    expect((await renew(service, evil, tokens.refreshToken)).body.error).toBe('invalid_grant');
    expect(await listConsents(service.parts.database, one.user.userId)).toEqual([]);
    const asked = await one.own.get(authorizeAddress(service, evil, { prompt: 'none' }));
    expect(asked.location?.searchParams.get('error')).toBe('consent_required');
  });

  test('agreed to beyond what its owner had: that is what is left', async () => {
    const one = await intrusion();
    const other = await service.createApplication();
    await obtainTokens(service, other, one.own, { scope: 'openid' });
    await obtainTokens(service, other, one.intruder, { scope: 'openid profile email' });
    await press(one.link);
    const [consent] = await listConsents(service.parts.database, one.user.userId);
    expect(consent?.scopes).toEqual(['openid']);
  });

  test('registered, received or gave away: held, and the new owner’s word does not lift it', async () => {
    const one = await intrusion();
    const accomplice = await service.createUser({ emailVerified: true });
    const theirs = await signedInBrowser(service, accomplice);
    const trojan = await service.createApplication({ ownerId: accomplice.userId, name: 'Trojan' });
    await fill(theirs, at(trojan.clientId, '/transfer'), { email: one.user.email });
    expect((await accept(one.intruder, trojan.clientId)).status).toBe(303);
    const { clientId: registered } = credentialsOn(await register(one.intruder, { name: 'Planted' }));
    await fill(one.intruder, at(one.clientId, '/transfer'), { email: accomplice.email });
    expect((await accept(theirs, one.clientId)).location?.search).toBe('?done=accepted');
    const [received] = (await mailsTo(service, accomplice.email)).filter(({ subject }) =>
      subject.includes('now belongs to your'),
    );

    const { done } = await press(one.link);
    expect(done.body).toContain(
      'A suspended application or API cannot do anything until you have reviewed it',
    );
    for (const clientId of [trojan.clientId, registered, one.clientId]) {
      const address = authorizeAddress(service, { ...one.application, clientId });
      expect((await one.own.get(address)).status).toBe(401);
    }
    await press(linkIn(received ?? { text: '' }));
    const address = authorizeAddress(service, one.application);
    expect((await one.own.get(address)).status).toBe(401);
  });

  test('offered: whoever it was offered to finds nothing', async () => {
    const one = await intrusion();
    const accomplice = await service.createUser({ emailVerified: true });
    await fill(one.intruder, at(one.clientId, '/transfer'), { email: accomplice.email });
    await press(one.link);
    expect(await applicationOffers.listReceived(service.parts.database, accomplice.userId, now())).toEqual(
      [],
    );
  });

  test('began: sessions that were entered since end with it, and what was done in them is undone', async () => {
    const one = await intrusion();
    service.clock.advance(1);
    // The browser is known by now: nobody is told of this one.
    one.intruder.cookies.delete('sesame');
    await signIn(one.intruder, one.user);
    await addCallback(one.intruder, one);
    await press(one.link);
    expect((await one.intruder.get('/account')).status).toBe(303);
    expect((await one.own.get('/account')).status).toBe(200);
    expect((await ownApplication(one))?.redirectUris).toEqual([CALLBACK]);
  });
});

test('what was done in another session before stays as it is', async () => {
  const one = await intrusion();
  const other = await service.createApplication();
  const tokens = await obtainTokens(service, other, one.own);
  await addCallback(one.own, one, 'https://client.example/second');
  const { done } = await press(one.link);
  expect((await ownApplication(one))?.redirectUris).toEqual([CALLBACK, 'https://client.example/second']);
  expect((await userinfo(service, tokens.accessToken)).status).toBe(200);
  expect(done.body).not.toContain('has been undone');
});

test('a change of password that is disowned takes with it what was changed before it in that session, and since', async () => {
  const one = await intrusion();
  await addCallback(one.intruder, one);
  const page = await one.intruder.get('/account/password');
  const fields = { ...page.hidden, current_password: PASSWORD, new_password: 'quite another password 7' };
  await one.intruder.post('/account/password', fields);
  const mail = linkIn(await lastMailTo(service, one.user.email));
  await fill(one.intruder, at(one.clientId, '/secrets'), { overlap: '604800' });
  await press(mail);
  expect((await ownApplication(one))?.redirectUris).toEqual([CALLBACK]);
  expect(await secretsOf(one)).toEqual([1]);
});

test('a new password by mail ends the consents that were given lately: the person is asked again', async () => {
  const one = await intrusion();
  const [evil, former] = [await service.createApplication(), await service.createApplication()];
  await obtainTokens(service, former, one.own, { scope: 'openid' });
  service.clock.advance(31 * 24 * 3600);
  const intruder = await signedInBrowser(service, one.user);
  await obtainTokens(service, evil, intruder);
  const reset = await resetPassword(one.user);
  const consents = await listConsents(service.parts.database, one.user.userId);
  expect(consents.map(({ clientId }) => clientId)).not.toContain(evil.clientId);
  const asked = await reset.get(authorizeAddress(service, evil, { prompt: 'none' }));
  expect(asked.location?.searchParams.get('error')).toBe('consent_required');
  service.clock.advance(-31 * 24 * 3600); // the other process has a clock of its own
});

async function resetPassword({ email }: TestUser): Promise<BrowserSession> {
  const browser = openBrowserSession(service.baseUrl);
  const page = await browser.get('/password/forgot');
  await browser.post('/password/forgot', { ...page.hidden, email });
  const form = await browser.get(linkIn(await lastMailTo(service, email)));
  await browser.post('/password/reset', { ...form.hidden, new_password: 'mine again for good' });
  return browser;
}

describe('an application that is held', () => {
  /** One that an intruder has registered, and that is held since. */
  async function held() {
    const one = await intrusion();
    const { clientId } = credentialsOn(await register(one.intruder, { name: 'Planted' }));
    await press(one.link);
    return { ...one, clientId };
  }
  const stateOf = async ({ user, clientId }: Pick<Intrusion, 'user' | 'clientId'>) => {
    const found = await findOwnApplication(service.parts.database, user.userId, clientId);
    return found && { suspended: found.suspended, held: found.held };
  };
  const by = { userId: undefined };
  const suspend = (clientId: string) =>
    moderateApplication(service.parts.database, 'suspend', clientId, by, now());

  test('is released by its owner, with a fresh proof; what it held before stays ended', async () => {
    const one = await held();
    const page = await one.own.get(at(one.clientId));
    expect(page.body).toContain('you told us “this was not me”');
    expect(page.body).toContain(`href="${at(one.clientId, '/release')}"`);
    service.clock.advance(16 * 60);
    const refused = await fill(one.own, at(one.clientId, '/release'));
    expect([refused.status, await stateOf(one)]).toEqual([400, { suspended: true, held: 'own' }]);
    const released = await fill(one.own, at(one.clientId, '/release'), { current_password: PASSWORD });
    expect((await one.own.follow(released)).body).toContain('The suspension has been lifted');
    expect(await stateOf(one)).toEqual({ suspended: false, held: null });
    expect((await lastMailTo(service, one.user.email)).subject).toContain('no longer suspended');
    const again = await one.own.get(at(one.clientId, '/release'));
    expect(again.location?.pathname).toBe(at(one.clientId));
  });

  test('and released by an intruder is held again by whoever disowns that', async () => {
    const one = await held();
    const intruder = await signedInBrowser(service, one.user);
    const link = linkIn(await lastMailTo(service, one.user.email));
    await fill(intruder, at(one.clientId, '/release'));
    expect(await stateOf(one)).toEqual({ suspended: false, held: null });
    const { page } = await press(link);
    expect(page.body).toContain('the lifting of its suspension');
    expect(await stateOf(one)).toEqual({ suspended: true, held: 'own' });
  });

  test.each(['before', 'after'])(
    'and suspended by an operator %s it is held stays suspended',
    async (when) => {
      const one = await intrusion();
      const { clientId } = credentialsOn(await register(one.intruder, { name: 'Planted' }));
      if (when === 'before') await suspend(clientId);
      await press(one.link);
      if (when === 'after') await suspend(clientId);
      expect(await stateOf({ ...one, clientId })).toEqual({ suspended: true, held: null });
      expect((await one.own.get(at(clientId))).body).not.toContain(at(clientId, '/release'));
      const { hidden } = await one.own.get(at(clientId, '/edit'));
      await sendFields(one.own, at(clientId, '/release'), { csrf: hidden.csrf ?? '' });
      expect(await stateOf({ ...one, clientId })).toEqual({ suspended: true, held: null });
    },
  );

  test.each(['release', 'suspend'])('raced with an operator, %s first: it is suspended', async (first) => {
    const one = await held();
    const elsewhere = openBrowserSession(second.baseUrl);
    for (const [name, value] of one.own.cookies) elsewhere.cookies.set(name, value);
    const { hidden } = await elsewhere.get(at(one.clientId, '/release'));
    const lock = await lockApplication(service.databaseUrl, one.clientId);
    const send = [
      () => sendFields(elsewhere, at(one.clientId, '/release'), hidden),
      () => suspend(one.clientId),
    ];
    if (first === 'suspend') send.reverse();
    const answers: Promise<unknown>[] = [];
    for (const [index, begin] of send.entries()) {
      answers.push(begin());
      await lock.heldUp(index + 1);
    }
    await lock.release();
    await Promise.all(answers);
    expect(await stateOf(one)).toEqual({ suspended: true, held: null });
  });

  test('is not released by whoever it was handed over to, not by their own word before it, nor by passing it on', async () => {
    const one = await intrusion();
    const { clientId } = one;
    const accomplices = [
      await service.createUser({ emailVerified: true }),
      await service.createUser({ emailVerified: true }),
    ] as const;
    const [first, other] = accomplices;
    const give = async (from: BrowserSession, to: TestUser) => {
      await fill(from, at(clientId, '/transfer'), { email: to.email });
      const browser = await signedInBrowser(service, to);
      expect((await accept(browser, clientId)).location?.search).toBe('?done=accepted');
      return browser;
    };
    const receivedMail = async ({ email }: TestUser) => {
      const mails = await mailsTo(service, email);
      return linkIn(mails.find(({ subject }) => subject.includes('now belongs')) ?? { text: '' });
    };
    await give(one.intruder, first);
    await press(await receivedMail(first));
    expect(await stateOf({ user: first, clientId })).toEqual({ suspended: true, held: 'own' });
    await press(one.link);
    expect(await stateOf({ user: first, clientId })).toEqual({ suspended: true, held: 'former' });
    const theirs = await signedInBrowser(service, first);
    expect((await theirs.get(at(clientId))).body).toContain('it had not transferred it');
    const { hidden } = await theirs.get(at(clientId, '/edit'));
    const back = async () => give(await give(theirs, other), first);
    for (const browser of [theirs, await back()]) {
      const csrf = browser === theirs ? hidden.csrf : (await browser.get(at(clientId, '/edit'))).hidden.csrf;
      await sendFields(browser, at(clientId, '/release'), { csrf: csrf ?? '' });
      expect(await stateOf({ user: first, clientId })).toEqual({ suspended: true, held: 'former' });
    }
  });
});

describe('raced from a second process, nothing survives the press', () => {
  const evilSettings = { ...SETTINGS, redirect_uris: `${CALLBACK}\n${EVIL}`, overlap: '604800' };

  test.each(['/edit', '/protocol', '/secrets', '/transfer'])('of what is sent to …%s', async (below) => {
    for (const first of ['change', 'press']) {
      const one = await intrusion();
      const accomplice = await service.createUser({ emailVerified: true });
      const elsewhere = openBrowserSession(second.baseUrl);
      for (const [name, value] of one.intruder.cookies) elsewhere.cookies.set(name, value);
      const form = await elsewhere.get(at(one.clientId, below));
      const fields = {
        ...form.hidden,
        ...evilSettings,
        email: accomplice.email,
        jwks: JSON.stringify(await publicKey()),
      };
      const lock = await lockApplication(service.databaseUrl, one.clientId);
      const send = [() => sendFields(elsewhere, at(one.clientId, below), fields), () => press(one.link)];
      if (first === 'press') send.reverse();
      const answers: Promise<unknown>[] = [];
      for (const [index, begin] of send.entries()) {
        answers.push(begin());
        await lock.heldUp(index + 1);
      }
      await lock.release();
      await Promise.all(answers);
      const { database } = service.parts;
      expect((await ownApplication(one))?.redirectUris, first).toEqual([CALLBACK]);
      expect((await protocolOf(one))?.jwks?.keys, first).toMatchObject([{ x: one.ownKey.x }]);
      expect(await secretsOf(one), first).toEqual([1]);
      expect(await applicationOffers.listReceived(database, accomplice.userId, now()), first).toEqual([]);
    }
  });

  test.each(['another such link', 'a reset by the new mailbox'])(
    'nor does it wait in a circle with %s',
    async (what) => {
      const one = await intrusion();
      const evil = `evil${one.clientId}@example.org`;
      const { hidden } = await one.intruder.get('/account/email');
      await one.intruder.post('/account/email', { csrf: hidden.csrf ?? '', new_email: evil });
      const earlier = linkIn(await lastMailTo(service, one.user.email));
      service.clock.advance(1);
      const confirm = openBrowserSession(service.baseUrl);
      const page = await confirm.get(linkIn(await lastMailTo(service, evil)));
      await confirm.post('/security/confirm', page.hidden);
      const later = linkIn(await lastMailTo(service, one.user.email));
      const reset = openBrowserSession(service.baseUrl);
      const forgot = await reset.get('/password/forgot');
      await reset.post('/password/forgot', { ...forgot.hidden, email: evil });
      const form = await reset.get(linkIn(await lastMailTo(service, evil)));
      const send = [
        what === 'another such link'
          ? async () => (await press(earlier)).answer
          : () => reset.post('/password/reset', { ...form.hidden, new_password: 'mine again for good' }),
        async () => (await press(later)).answer,
      ];
      const lock = await lockApplication(service.databaseUrl, one.clientId);
      const answers: Promise<Visit>[] = [];
      for (const [index, begin] of send.entries()) {
        answers.push(begin());
        await lock.heldUp(index + 1);
      }
      await lock.release();
      const statuses = (await Promise.all(answers)).map(({ status }) => status);
      if (what === 'another such link') return expect(statuses).toEqual([303, 400]);
      // The press may end the session that the reset begins before it is there.
      expect([303, 400]).toContain(statuses[0]);
      expect(statuses[1]).toBe(303);
    },
  );

  test('and a new password waits in no circle with what is being registered', async () => {
    const one = await intrusion();
    const password = await one.own.get('/account/password');
    const form = await one.intruder.get('/console/applications/new');
    const fields = {
      ...password.hidden,
      current_password: PASSWORD,
      new_password: 'quite another password 7',
    };
    const lock = await lockUser(service.databaseUrl, one.user.userId);
    const changed = one.own.post('/account/password', fields);
    await lock.heldUp(1);
    const registered = sendFields(one.intruder, '/console/applications/new', {
      ...form.hidden,
      ...REGISTRATION,
    });
    await lock.heldUp(2);
    await lock.release();
    const statuses = (await Promise.all([changed, registered])).map(({ status }) => status);
    expect(statuses[0]).toBe(303);
    expect(statuses[1]).toBeLessThan(500);
  });

  test('of a consent', async () => {
    for (let round = 0; round < 5; round++) {
      const one = await intrusion();
      const evil = await service.createApplication();
      const elsewhere = openBrowserSession(second.baseUrl);
      for (const [name, value] of one.intruder.cookies) elsewhere.cookies.set(name, value);
      const page = await elsewhere.follow(await elsewhere.get(authorizeAddress(second, evil)));
      const [answer] = await Promise.all([decide(elsewhere, page, 'allow'), press(one.link)]);
      expect(await listConsents(service.parts.database, one.user.userId)).toEqual([]);
      const code = answer.location?.searchParams.get('code');
      if (code) expect((await redeem(service, evil, code)).status).toBe(400);
    }
  });
});
