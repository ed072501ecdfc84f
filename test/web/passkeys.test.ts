// Whatever keeps passkeys is told, wherever one was brought in vain, that there is none such here; and only where that is so.
import { describe, expect, test } from 'vitest';
import { RECENT_SIGN_IN } from '../../src/oauth/lifetimes.ts';
import type { BrowserSession, Visit } from '../support/browser-session.ts';
import { signedInBrowser } from '../support/flow.ts';
import { enrol, NEW, newPasskey, type Oddity, optionsIn, type SoftwarePasskey } from '../support/passkey.ts';
import { sql } from '../support/populate.ts';
import { halfWay, protect } from '../support/protected-account.ts';
import { type TestUser, useTestService } from '../support/service.ts';

const service = useTestService();

const OFFER = '/account/security/passkeys/offer';

/** A page that asks for a passkey, with where its answer goes. */
interface Asking {
  browser: BrowserSession;
  page: Visit;
  path: string;
}

/** The passkey that a page tells the browser to forget. */
const forgottenBy = ({ body }: Visit): string | undefined =>
  /&quot;unknown&quot;:&quot;([\w-]+)&quot;/.exec(body)?.[1];

describe('shown', () => {
  interface Holder {
    user: TestUser;
    browser: BrowserSession;
    passkey: SoftwarePasskey;
  }

  /** Somebody with two of them, and with an app. */
  async function holder({ app }: { app: boolean }): Promise<Holder> {
    const user = app ? undefined : await service.createUser();
    const one = user ? { user, browser: await signedInBrowser(service, user) } : await protect(service);
    await enrol(one.browser, service);
    const { passkey } = await enrol(one.browser, service);
    return { ...one, passkey };
  }

  const PAGES: [string, { app: boolean }, (holder: Holder) => Promise<Asking>][] = [
    [
      'in place of the code',
      { app: true },
      async ({ user }) => ({ ...(await halfWay(service, user)), path: '/signin/second-factor' }),
    ],
    [
      'to step a session up',
      { app: false },
      async ({ user }) => {
        const browser = await signedInBrowser(service, user);
        const page = await browser.get('/signin/step-up?next=%2Faccount');
        return { browser, page, path: '/signin/step-up' };
      },
    ],
    [
      'to confirm a change',
      { app: false },
      async ({ browser }) => {
        service.clock.advance(RECENT_SIGN_IN + 1);
        return { browser, page: await browser.get('/account/password'), path: '/account/password' };
      },
    ],
  ];

  const answer = ({ browser, page, path }: Asking, passkey: SoftwarePasskey, odd: Oddity = {}) => {
    const [does, name] = page.body.includes('data-passkey="confirm"')
      ? (['confirm', 'confirmation_passkey'] as const)
      : (['sign-in', 'passkey'] as const);
    const shown = passkey.assertion(optionsIn(page.body, does), odd);
    return browser.post(path, { ...page.hidden, new_password: 'another-battery-staple-42', [name]: shown });
  };

  test.each(PAGES)('%s: one that was removed meanwhile', async (_, has, open) => {
    const someone = await holder(has);
    const asking = await open(someone);
    const { id } = someone.passkey;
    await sql(service.parts.database, 'delete from passkeys where credential_id = $1', [
      Buffer.from(id, 'base64url'),
    ]);
    const refused = await answer(asking, someone.passkey);
    expect([refused.status >= 400, forgottenBy(refused)]).toEqual([true, id]);
  });

  test.each(PAGES)('%s: one of ours is not forgotten, whatever it said', async (_, has, open) => {
    const someone = await holder(has);
    const refused = await answer(await open(someone), someone.passkey, { verified: false });
    expect([refused.status >= 400, forgottenBy(refused)]).toEqual([true, undefined]);
  });

  test.each(PAGES)(
    '%s: somebody else’s is not forgotten, nor one whose account is suspended',
    async (_, has, open) => {
      const someone = await holder(has);
      const other = await holder({ app: false });
      const asking = await open(someone);
      for (const suspended of [false, true]) {
        if (suspended)
          await sql(service.parts.database, 'update users set suspended_at = now() where id = $1', [
            other.user.userId,
          ]);
        const refused = await answer(asking, other.passkey);
        expect([refused.status >= 400, forgottenBy(refused)]).toEqual([true, undefined]);
        service.clock.advance(60); // the same form within seconds is one wish
      }
    },
  );

  test.each(PAGES)('%s: one that nobody ever had here', async (_, has, open) => {
    const asking = await open(await holder(has));
    const unknown = newPasskey(service.baseUrl);
    const refused = await answer(asking, unknown, { userHandle: 'A'.repeat(22) });
    expect([refused.status >= 400, forgottenBy(refused)]).toEqual([true, unknown.id]);
    // Without a user handle it may be a passkey of another account.
    service.clock.advance(60);
    const nameless = await answer(asking, unknown, { userHandle: undefined });
    expect([nameless.status >= 400, forgottenBy(nameless)]).toEqual([true, undefined]);
  });
});

describe('made', () => {
  test.each([
    ['on the page that makes one', NEW],
    ['on the page that offers one', OFFER],
  ])('%s: by somebody whom the device did not recognise', async (_, path) => {
    const browser = await signedInBrowser(service, await service.createUser());
    const page = await browser.get(path);
    const passkey = newPasskey(service.baseUrl);
    const made = passkey.creation(optionsIn(page.body, 'create'), { verified: false });
    const refused = await browser.post(path, { ...page.hidden, passkey: made });
    expect([refused.status, forgottenBy(refused)]).toEqual([400, passkey.id]);
  });

  test('without the fresh proof that making one takes', async () => {
    const browser = await signedInBrowser(service, await service.createUser());
    service.clock.advance(RECENT_SIGN_IN + 1);
    const { passkey, answer } = await enrol(browser, service);
    expect([answer.status, forgottenBy(answer)]).toEqual([400, passkey.id]);
  });
});
