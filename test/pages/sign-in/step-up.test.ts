// Showing more where an application asks for more: acr_values, an essential acr, max_age and prompt=login, in place (D41, D44).
import { decodeJwt } from 'jose';
import { beforeAll, describe, expect, test } from 'vitest';
import { type BrowserSession, openBrowserSession, type Visit } from '../../support/browser-session.ts';
import {
  authorize,
  authorizeAddress,
  decide,
  newPerson,
  obtainTokens,
  redeem,
  renew,
  signedInBrowser,
  signIn,
} from '../../support/flow.ts';
import { addressesOf, formErrors, headingOf, inputOf } from '../../support/markup.ts';
import { enrol, newPasskey, optionsIn, type SoftwarePasskey } from '../../support/passkey.ts';
import { sql } from '../../support/populate.ts';
import {
  codeOf,
  essentialAcr,
  type ProtectedPerson,
  protectedPerson,
  trustedBrowser,
} from '../../support/protected-account.ts';
import { type TestApplication, useTestService } from '../../support/service.ts';

const service = useTestService();
let application: TestApplication;
beforeAll(async () => {
  application = await service.createApplication({ standard: true });
});

type Parameters = Record<string, string | undefined>;
const ask = async (browser: BrowserSession, parameters: Parameters): Promise<Visit> =>
  browser.follow(await browser.get(authorizeAddress(service, application, parameters)));

/** Somebody with an app and a session of the password alone, who has agreed to the application. */
async function person(): Promise<ProtectedPerson> {
  const one = await protectedPerson(service);
  await authorize(service, application, one.before);
  return one;
}

const give = async (browser: BrowserSession, page: Visit, code: string): Promise<Visit> =>
  browser.follow(await browser.post('/signin/step-up', { ...page.hidden, code }));

const wayOnWithout = (visit: Visit): string | undefined =>
  addressesOf(visit.body).find((href) => href.startsWith('/oauth/authorize'));

const isStepUp = (visit: Visit): boolean => visit.body.includes('action="/signin/step-up"');

/** The claims of the id_token that a callback's code gives. */
async function claimsAt(callback: URL | undefined, asking = application) {
  const { body } = await redeem(service, asking, callback?.searchParams.get('code') ?? '');
  return decodeJwt(String(body.id_token));
}

describe('what is asked and one step away is asked for in place', () => {
  test.each([
    ['acr_values', { acr_values: 'gold 2' }],
    ['an essential acr', { claims: essentialAcr('2') }],
  ])('%s: the code alone, in the same session', async (_, parameters) => {
    const { before: browser, secret } = await person();
    const signedIn = service.clock.now().getTime() / 1000;
    service.clock.advance(30);
    const before = browser.cookies.get('sesame');
    const page = await ask(browser, parameters);
    expect(headingOf(page.body)).toBe('Enter your code');
    expect(page.body).not.toContain('name="password"');
    const wrong = await give(browser, page, '000000');
    expect(formErrors(wrong.body)).toHaveLength(1);
    const code = codeOf(service, secret);
    const done = await give(browser, wrong, code);
    expect(browser.cookies.get('sesame')).toBe(before);
    const claims = await claimsAt(done.location);
    expect(claims).toMatchObject({ acr: '2', amr: ['pwd', 'otp', 'mfa'] });
    expect(claims.auth_time).toBeGreaterThan(signedIn); // the time of the last proof
    // It stays shown: nothing is asked again.
    expect((await ask(browser, parameters)).location?.searchParams.get('code')).toBeTruthy();
  });

  test('a recovery code will do, and is used up', async () => {
    const { before: browser, browser: strong, codes } = await person();
    const page = await ask(browser, { acr_values: '2' });
    expect((await give(browser, page, codes[0] ?? '')).location?.searchParams.get('code')).toBeTruthy();
    expect((await strong.get('/account/security')).body).toContain('9 left');
  });

  test('a double click leads to the client both times', async () => {
    const { before: browser, secret } = await person();
    const page = await ask(browser, { acr_values: '2' });
    const fields = { ...page.hidden, code: codeOf(service, secret) };
    const answers = await Promise.all([
      browser.post('/signin/step-up', fields),
      browser.post('/signin/step-up', fields),
    ]);
    for (const answer of answers)
      expect((await browser.follow(answer)).location?.searchParams.get('code')).toBeTruthy();
  });

  test('a session that is over is no session to step up: the sign-in begins anew', async () => {
    const { before: browser, secret } = await person();
    const page = await ask(browser, { acr_values: '2' });
    browser.cookies.delete('sesame');
    const answer = await browser.post('/signin/step-up', { ...page.hidden, code: codeOf(service, secret) });
    expect(answer.location?.pathname).toBe('/signin');
  });
});

describe('a wish that cannot be met is let go', () => {
  test('where the account has nothing to meet it with', async () => {
    const browser = await signedInBrowser(service, await service.createUser());
    const { idToken } = await obtainTokens(service, application, browser, { acr_values: 'phr 2' });
    expect(decodeJwt(idToken ?? '')).toMatchObject({ acr: '1', amr: ['pwd'] });
  });

  test('where no page may be shown', async () => {
    const { before: browser } = await person();
    const callback = await authorize(service, application, browser, { acr_values: '2', prompt: 'none' });
    expect(await claimsAt(callback)).toMatchObject({ acr: '1' });
  });

  test('where the person goes on without; an essential one has no such way', async () => {
    const { before: browser } = await person();
    const page = await ask(browser, { acr_values: '2' });
    const without = wayOnWithout(page);
    const on = await browser.follow(await browser.get(without ?? ''));
    expect(await claimsAt(on.location)).toMatchObject({ acr: '1' });
    expect(wayOnWithout(await ask(browser, { claims: essentialAcr('2') }))).toBeUndefined();
  });
});

describe('an essential acr', () => {
  const errorOf = (visit: Visit) => visit.location?.searchParams.get('error');

  test('that is out of reach ends with unmet_authentication_requirements, whether or not a page may be shown', async () => {
    const { before: browser } = await person();
    for (const prompt of [undefined, 'none'])
      expect(errorOf(await ask(browser, { claims: essentialAcr('phr'), prompt }))).toBe(
        'unmet_authentication_requirements',
      );
  });

  test('of one factor is met by the password alone, in a new session and in one that stands, and is what is claimed', async () => {
    const user = await service.createUser();
    const browser = openBrowserSession(service.baseUrl);
    const one = essentialAcr('1');
    const consent = await signIn(browser, user, await ask(browser, { claims: one }));
    const first = await decide(browser, consent, 'allow');
    expect(await claimsAt(first.location)).toMatchObject({ acr: '1', amr: ['pwd'] });
    // The account may have more to show, and may have shown it: nothing more is asked, and nothing more is claimed.
    const { before, browser: strong } = await person();
    for (const [from, amr] of [
      [browser, ['pwd']],
      [before, ['pwd']],
      [strong, ['pwd', 'otp', 'mfa']],
    ] as const)
      for (const prompt of [undefined, 'none'])
        expect(await claimsAt((await ask(from, { claims: one, prompt })).location)).toMatchObject({
          acr: '1',
          amr,
        });
  });

  test('that prefers two factors and takes one: the code is asked for, and without it there is a way on', async () => {
    const { before: browser } = await person();
    const claims = essentialAcr('2', '1');
    const page = await ask(browser, { claims });
    expect(isStepUp(page)).toBe(true);
    const on = await browser.follow(await browser.get(wayOnWithout(page) ?? ''));
    expect(await claimsAt(on.location)).toMatchObject({ acr: '1' });
    const silent = await ask(browser, { claims, prompt: 'none' });
    expect(await claimsAt(silent.location)).toMatchObject({ acr: '1' });
  });

  test('that nobody knows does so before anybody signs in', async () => {
    const visit = await (await signedInBrowser(service, await service.createUser())).get(
      authorizeAddress(service, application, { claims: essentialAcr('gold') }),
    );
    expect(errorOf(visit)).toBe('unmet_authentication_requirements');
  });

  test('that a step would meet is login_required where no page may be shown', async () => {
    const { before: browser } = await person();
    expect(errorOf(await ask(browser, { claims: essentialAcr('2'), prompt: 'none' }))).toBe('login_required');
  });
});

describe('the acr claim', () => {
  test('is the highest that was asked for and is met, and stays so through renewals', async () => {
    const { browser: strong, before: browser } = await person();
    const weaker = await obtainTokens(service, application, strong, { acr_values: '1 phr' });
    expect(decodeJwt(weaker.idToken ?? '')).toMatchObject({ acr: '1', amr: ['pwd', 'otp', 'mfa'] });
    const renewed = await renew(service, application, weaker.refreshToken);
    expect(decodeJwt(String(renewed.body.id_token)).acr).toBe('1');
    const unasked = await obtainTokens(service, application, strong);
    expect(decodeJwt(unasked.idToken ?? '').acr).toBe('2');
    const password = await obtainTokens(service, application, browser);
    expect(decodeJwt(password.idToken ?? '').acr).toBe('1');
  });
});

describe('where the application minds when the person signed in', () => {
  test.each([[{ max_age: '600' }], [{ prompt: 'login' }]])(
    '%j in a browser that the account trusts: password and code, not the password alone',
    async (parameters) => {
      const one = await person();
      const browser = await trustedBrowser(service, one);
      service.clock.advance(601);
      const page = await ask(browser, parameters);
      expect(inputOf(page.body, 'email')?.value).toBe(one.user.email);
      const asked = await signIn(browser, one.user, page);
      expect(isStepUp(asked)).toBe(true);
      expect(wayOnWithout(asked)).toBeUndefined(); // there is no way on without
      const done = await give(browser, asked, codeOf(service, one.secret));
      expect(await claimsAt(done.location)).toMatchObject({ acr: '2' });
    },
  );

  test('a sign-in by the password alone is none, however young', async () => {
    const one = await person();
    const browser = await trustedBrowser(service, one);
    expect(isStepUp(await ask(browser, { max_age: '600' }))).toBe(true);
    const silent = await ask(browser, { max_age: '600', prompt: 'none' });
    expect(silent.location?.searchParams.get('error')).toBe('login_required');
  });

  test.each([[{ max_age: '600' }], [{ prompt: 'login' }]])(
    '%j: the code alone, shown in a session whose password is long ago, is none',
    async (parameters) => {
      const one = await person();
      service.clock.advance(601);
      const page = await ask(one.before, parameters);
      expect(headingOf(page.body)).toBe('Sign in');
      const stepUp = await one.before.get('/signin/step-up?next=/account');
      await give(one.before, stepUp, codeOf(service, one.secret));
      const sealed = page.hidden.pending ?? '';
      const back = await one.before.follow(
        await one.before.get(`/oauth/authorize?pending=${encodeURIComponent(sealed)}`),
      );
      expect(headingOf(back.body)).toBe('Sign in');
    },
  );
});

describe('by a passkey', () => {
  /** Somebody with a passkey alone, signed in by the password. */
  async function holder(made: { synced?: boolean } = {}) {
    const { user, browser } = await newPerson(service);
    await authorize(service, application, browser);
    const passkey = newPasskey(service.baseUrl, made);
    await enrol(browser, service, { passkey });
    // In the browser in which it was made, it was shown.
    return { user, browser: await signedInBrowser(service, user), passkey };
  }
  const show = async (browser: BrowserSession, page: Visit, passkey: SoftwarePasskey) =>
    browser.follow(
      await browser.post('/signin/step-up', {
        ...page.hidden,
        passkey: passkey.assertion(optionsIn(page.body, 'sign-in')),
      }),
    );

  test.each([
    ['phr', true, 'phr', ['swk', 'user', 'mfa']],
    ['phrh', false, 'phrh', ['hwk', 'user', 'mfa']],
    ['phr', false, 'phr', ['hwk', 'user', 'mfa']],
  ])('acr %s, synced: %s', async (wanted, synced, acr, amr) => {
    const { browser, passkey } = await holder({ synced });
    const page = await ask(browser, { claims: essentialAcr(wanted) });
    expect(headingOf(page.body)).toBe('Confirm with a passkey');
    // Where a code would do as well, one of the recovery codes is it.
    expect(inputOf(page.body, 'code') !== undefined).toBe(wanted === '2');
    const done = await show(browser, page, passkey);
    expect(await claimsAt(done.location)).toMatchObject({ acr, amr });
  });

  test('one that is synced is none that stays on its device', async () => {
    const { user, browser, passkey } = await holder({ synced: true });
    // Nor is one that may be synced, and is not yet.
    await sql(service.parts.database, 'update passkeys set backed_up = false where user_id = $1', [
      user.userId,
    ]);
    const refused = await ask(browser, { claims: essentialAcr('phrh') });
    expect(refused.location?.searchParams.get('error')).toBe('unmet_authentication_requirements');
    // Where there are both, only the one is asked for.
    await show(browser, await ask(browser, { claims: essentialAcr('phr') }), passkey);
    const bound = newPasskey(service.baseUrl, { synced: false });
    await enrol(browser, service, { passkey: bound });
    const other = await signedInBrowser(service, user);
    const page = await ask(other, { claims: essentialAcr('phrh') });
    const { allowCredentials } = JSON.parse(optionsIn(page.body, 'sign-in'));
    expect(allowCredentials.map(({ id }: { id: string }) => id)).toEqual([bound.id]);
  });

  test('or by the code, where both would do; a wish is answered by either', async () => {
    const { before: browser, browser: strong, secret } = await person();
    await enrol(strong, service);
    const page = await ask(browser, { acr_values: 'phr 2' });
    expect(optionsIn(page.body, 'sign-in')).toBeTruthy();
    expect(page.body, 'and why its button is missing without a script').toMatch(
      /<noscript><p class="aside">/,
    );
    const done = await give(browser, page, codeOf(service, secret));
    expect(await claimsAt(done.location)).toMatchObject({ acr: '2' });
    // What only the passkey meets is asked of it alone.
    const rest = await ask(browser, { claims: essentialAcr('phr') });
    expect([isStepUp(rest), inputOf(rest.body, 'code')]).toEqual([true, undefined]);
  });

  test('one answer works once, in its own session, for this, and for its own account', async () => {
    const [mine, other] = [await holder(), await holder()];
    const wanted = { claims: essentialAcr('phr') };
    const page = await ask(mine.browser, wanted);
    const shown = mine.passkey.assertion(optionsIn(page.body, 'sign-in'));
    const post = (browser: BrowserSession, fields: Record<string, string>, answer: string) =>
      browser.post('/signin/step-up', { ...fields, passkey: answer });
    // Another account's page, another passkey, an answer that signs in.
    const theirs = await ask(other.browser, wanted);
    expect((await post(other.browser, theirs.hidden, shown)).status).toBe(401);
    const foreign = other.passkey.assertion(optionsIn(page.body, 'sign-in'));
    expect((await post(mine.browser, page.hidden, foreign)).status).toBe(401);
    const entering = await openBrowserSession(service.baseUrl).get('/signin');
    const entry = mine.passkey.assertion(optionsIn(entering.body, 'sign-in'));
    expect((await post(mine.browser, page.hidden, entry)).status).toBe(401);
    // Another session of this very account.
    const second = await signedInBrowser(service, mine.user);
    const elsewhere = await ask(second, wanted);
    expect((await post(second, elsewhere.hidden, shown)).status).toBe(401);

    expect((await post(mine.browser, page.hidden, shown)).location?.pathname).toBe('/oauth/authorize');
    const again = await ask(second, wanted);
    expect((await post(second, again.hidden, shown)).status).toBe(401);
  });
});

test('claims may name the only account that may answer (OpenID Connect Core §5.5.1)', async () => {
  const [ada, grace] = [await service.createUser(), await service.createUser()];
  const browser = await signedInBrowser(service, ada);
  const named = (userId: string) => ({
    prompt: 'none',
    claims: JSON.stringify({ id_token: { sub: { value: userId } } }),
  });
  await authorize(service, application, browser);
  expect((await ask(browser, named(ada.userId))).location?.searchParams.get('code')).toBeTruthy();
  expect((await ask(browser, named(grace.userId))).location?.searchParams.get('error')).toBe(
    'login_required',
  );
});
