import type { Page } from 'playwright-core';
import { afterAll, describe, expect, test } from 'vitest';
import { addVirtualAuthenticator, openBrowser, openTab, signInInTab } from '../support/browser.ts';
import { buildEssentialAcrClaims, createMfaAccount, createTotpCodeAt } from '../support/mfa-account.ts';
import { buildAuthorizeUrl } from '../support/oauth-flow.ts';
import { registerPasskey } from '../support/passkey.ts';
import { useTestService } from '../support/service.ts';

const browser = await openBrowser();
const service = useTestService();
afterAll(() => browser?.close());

const REMOVE_WEBAUTHN_SCRIPT = 'delete globalThis.PublicKeyCredential;';

async function openRequestWithMfa(page: Page): Promise<void> {
  const client = await service.createClient({ standard: true });
  await page.goto(buildAuthorizeUrl(service, client, { claims: buildEssentialAcrClaims('2') }).href);
}

const measureBottom = async (page: Page, selector: string): Promise<number> => {
  const box = await page.locator(selector).boundingBox();
  return box === null ? Number.POSITIVE_INFINITY : box.y + box.height;
};

const CREATE_BUTTON = '[data-passkey=create] button';
const APP_FORM = 'form[action="/account/security/app"]';

describe.skipIf(browser === undefined)('a user without a second factor', () => {
  test('can choose between a passkey and an authenticator app', async () => {
    const { page, errors, context } = await openTab(browser);
    await addVirtualAuthenticator(page);
    await signInInTab(page, { service, user: await service.createUser() });
    await openRequestWithMfa(page);
    await page.locator(CREATE_BUTTON).waitFor();
    const bottoms = [CREATE_BUTTON, '.qr', `${APP_FORM} button`].map((selector) =>
      measureBottom(page, selector),
    );
    const [passkey = 0, qr = 0, app = 0] = await Promise.all(bottoms);
    expect(passkey).toBeLessThan(qr);
    expect(Math.max(qr, app)).toBeLessThan(800);
    const frame = await page.locator('.qr').boundingBox();
    expect(frame?.height, 'the frame is square').toBe(frame?.width);
    await page.locator(CREATE_BUTTON).click();
    await page.waitForURL('**/consent**');
    expect(errors).toEqual([]);
    await context.close();
  });

  test.each([
    ['does not support WebAuthn', true],
    ['has JavaScript disabled', false],
  ])('is offered an authenticator app if the browser %s', async (_, javaScript) => {
    const { page, context } = await openTab(browser, { javaScript });
    await page.addInitScript(REMOVE_WEBAUTHN_SCRIPT);
    await signInInTab(page, { service, user: await service.createUser() });
    await openRequestWithMfa(page);
    await expect.poll(() => page.locator('main h2:visible').count()).toBe(1);
    expect(await page.locator('.qr').isVisible()).toBe(true);
    const secret = ((await page.textContent('#key')) ?? '').replaceAll(' ', '');
    await page.fill('#code', createTotpCodeAt(secret, service.clock.now()));
    await page.locator(`${APP_FORM} button`).click();
    await page.locator('#codes').waitFor();
    await context.close();
  });
});

describe.skipIf(browser === undefined)('the second-factor page', () => {
  async function openStepUp(page: Page): Promise<void> {
    const account = await createMfaAccount(service);
    await registerPasskey(account.browser, service);
    const { user } = account;
    await page.goto(`${service.baseUrl}/signin`);
    await page.fill('#email', user.email);
    await page.fill('#password', user.password);
    await page.click('form:has(#password) button[type=submit]');
    await page.locator('#code').waitFor();
  }
  const PASSKEY_BUTTON = '[data-passkey=sign-in] button';

  test('shows the passkey before the code field', async () => {
    const { page, context } = await openTab(browser);
    await openStepUp(page);
    await page.locator(PASSKEY_BUTTON).waitFor();
    expect(await measureBottom(page, PASSKEY_BUTTON)).toBeLessThan(await measureBottom(page, '#code'));
    await context.close();
  });

  test.each([
    ['without WebAuthn', true],
    ['without JavaScript', false],
  ])('shows only the code field in a browser %s', async (_, javaScript) => {
    const { page, context } = await openTab(browser, { javaScript });
    await page.addInitScript(REMOVE_WEBAUTHN_SCRIPT);
    await openStepUp(page);
    await expect.poll(() => page.locator(`${PASSKEY_BUTTON}:visible`).count()).toBe(0);
    expect(await page.locator('#code').isVisible()).toBe(true);
    await context.close();
  });
});
