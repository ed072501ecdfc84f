// Pages signal a rejected passkey as unknown only if it doesn't exist.
import { describe, expect, test } from 'vitest';
import { RECENT_SIGN_IN_TTL } from '../../src/oauth/lifetimes.ts';
import type { BrowserSession, Visit } from '../support/browser-session.ts';
import { createMfaAccount, enterPassword } from '../support/mfa-account.ts';
import { openSignedInBrowser } from '../support/oauth-flow.ts';
import {
  createPasskey,
  NEW_PASSKEY_PATH,
  type ResponseOverrides,
  readPasskeyOptions,
  registerPasskey,
  type SoftwarePasskey,
} from '../support/passkey.ts';
import { type TestUser, useTestService } from '../support/service.ts';
import { sql } from '../support/store-fixtures.ts';

const service = useTestService();

const OFFER_PATH = '/account/security/passkeys/offer';

interface PasskeyPrompt {
  browser: BrowserSession;
  page: Visit;
  path: string;
}

const readUnknownPasskeyId = ({ body }: Visit): string | undefined =>
  /&quot;unknown&quot;:&quot;([\w-]+)&quot;/.exec(body)?.[1];

describe('a passkey prompt', () => {
  interface PasskeyUser {
    user: TestUser;
    browser: BrowserSession;
    passkey: SoftwarePasskey;
  }

  /** Creates a user with two passkeys, and with an authenticator app if `app` is true. */
  async function createPasskeyUser({ app }: { app: boolean }): Promise<PasskeyUser> {
    const user = app ? undefined : await service.createUser();
    const account = user
      ? { user, browser: await openSignedInBrowser(service, user) }
      : await createMfaAccount(service);
    await registerPasskey(account.browser, service);
    const { passkey } = await registerPasskey(account.browser, service);
    return { ...account, passkey };
  }

  const PAGES: [string, { app: boolean }, (passkeyUser: PasskeyUser) => Promise<PasskeyPrompt>][] = [
    [
      'second factor',
      { app: true },
      async ({ user }) => ({ ...(await enterPassword(service, user)), path: '/signin/second-factor' }),
    ],
    [
      'step-up',
      { app: false },
      async ({ user }) => {
        const browser = await openSignedInBrowser(service, user);
        const page = await browser.get('/signin/step-up?next=%2Faccount');
        return { browser, page, path: '/signin/step-up' };
      },
    ],
    [
      're-authentication',
      { app: false },
      async ({ browser }) => {
        service.clock.advance(RECENT_SIGN_IN_TTL + 1);
        return { browser, page: await browser.get('/account/password'), path: '/account/password' };
      },
    ],
  ];

  const presentPasskey = (
    { browser, page, path }: PasskeyPrompt,
    passkey: SoftwarePasskey,
    overrides: ResponseOverrides = {},
  ) => {
    const [purpose, field] = page.body.includes('data-passkey="confirm"')
      ? (['confirm', 'confirmation_passkey'] as const)
      : (['sign-in', 'passkey'] as const);
    const assertion = passkey.createAssertion(readPasskeyOptions(page.body, purpose), overrides);
    return browser.post(path, {
      ...page.hidden,
      new_password: 'another-battery-staple-42',
      [field]: assertion,
    });
  };

  test.each(PAGES)('reports a removed passkey as unknown (%s)', async (_, factors, openPrompt) => {
    const owner = await createPasskeyUser(factors);
    const prompt = await openPrompt(owner);
    const { id } = owner.passkey;
    await sql(service.services.database, 'delete from passkeys where credential_id = $1', [
      Buffer.from(id, 'base64url'),
    ]);
    const rejected = await presentPasskey(prompt, owner.passkey);
    expect([rejected.status >= 400, readUnknownPasskeyId(rejected)]).toEqual([true, id]);
  });

  test.each(PAGES)('does not report an existing passkey as unknown (%s)', async (_, factors, openPrompt) => {
    const owner = await createPasskeyUser(factors);
    const rejected = await presentPasskey(await openPrompt(owner), owner.passkey, { isUserVerified: false });
    expect([rejected.status >= 400, readUnknownPasskeyId(rejected)]).toEqual([true, undefined]);
  });

  test.each(PAGES)(
    'does not report a different user’s passkey as unknown (%s)',
    async (_, factors, openPrompt) => {
      const owner = await createPasskeyUser(factors);
      const other = await createPasskeyUser({ app: false });
      const prompt = await openPrompt(owner);
      for (const suspended of [false, true]) {
        if (suspended)
          await sql(service.services.database, 'update users set suspended_at = now() where id = $1', [
            other.user.userId,
          ]);
        const rejected = await presentPasskey(prompt, other.passkey);
        expect([rejected.status >= 400, readUnknownPasskeyId(rejected)]).toEqual([true, undefined]);
        service.clock.advance(60); // after the window in which this would count as a double submission
      }
    },
  );

  test.each(PAGES)('reports an unregistered passkey as unknown (%s)', async (_, factors, openPrompt) => {
    const prompt = await openPrompt(await createPasskeyUser(factors));
    const unknown = createPasskey(service.baseUrl);
    const rejected = await presentPasskey(prompt, unknown, { userHandle: 'A'.repeat(22) });
    expect([rejected.status >= 400, readUnknownPasskeyId(rejected)]).toEqual([true, unknown.id]);
    // Without a user handle, the passkey may belong to another account.
    service.clock.advance(60);
    const withoutHandle = await presentPasskey(prompt, unknown, { userHandle: undefined });
    expect([withoutHandle.status >= 400, readUnknownPasskeyId(withoutHandle)]).toEqual([true, undefined]);
  });
});

describe('a new passkey', () => {
  test.each([
    ['the page that creates passkeys', NEW_PASSKEY_PATH],
    ['the page that offers passkeys', OFFER_PATH],
  ])('is reported to the browser as unknown if %s rejects it', async (_, path) => {
    const browser = await openSignedInBrowser(service, await service.createUser());
    const page = await browser.get(path);
    const passkey = createPasskey(service.baseUrl);
    const credential = passkey.createCredential(readPasskeyOptions(page.body, 'create'), {
      isUserVerified: false,
    });
    const rejected = await browser.post(path, { ...page.hidden, passkey: credential });
    expect([rejected.status, readUnknownPasskeyId(rejected)]).toEqual([400, passkey.id]);
  });

  test('is reported to the browser as unknown if re-authentication is missing', async () => {
    const browser = await openSignedInBrowser(service, await service.createUser());
    service.clock.advance(RECENT_SIGN_IN_TTL + 1);
    const { passkey, response } = await registerPasskey(browser, service);
    expect([response.status, readUnknownPasskeyId(response)]).toEqual([400, passkey.id]);
  });
});
