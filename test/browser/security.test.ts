// What opens an account, in a real browser: a browser's question that is cancelled, and recovery codes to take away.
import { afterAll, describe, expect, test } from 'vitest';
import { enter, giveAuthenticator, openBrowser, openTab } from '../support/browser.ts';
import { useTestService } from '../support/service.ts';

const browser = await openBrowser();
const service = useTestService();
afterAll(() => browser?.close());

/** As a browser does whose person closes its question; one in the address field stays open. */
const CANCELLING = `
const cancel = ({ mediation }) => mediation === 'conditional' ? new Promise(() => {}) : Promise.reject(new DOMException('closed', 'NotAllowedError'));
navigator.credentials.get = cancel;
navigator.credentials.create = cancel;
`;
const NOTHING = '.passkey-status:has-text("Rien n’a été fait")';

describe.skipIf(browser === undefined)('a question that is cancelled', () => {
  test('at the sign-in: nothing was done, it may be asked again, and the password still opens the account', async () => {
    const { page, faults, context } = await openTab(browser);
    await page.addInitScript(CANCELLING);
    const user = await service.createUser();
    await page.goto(`${service.baseUrl}/signin`);
    const button = page.getByRole('button', { name: 'Se connecter avec une clé d’accès' });
    for (const _ of ['once', 'again']) {
      await button.click();
      await page.waitForSelector(NOTHING);
      await expect.poll(() => button.getAttribute('aria-disabled')).toBe(null);
    }
    await page.fill('#email', user.email);
    await page.fill('#password', user.password);
    await page.click('form:has(#password) button[type=submit]');
    await page.waitForURL(/\/account/);
    expect(faults).toEqual([]);
    await context.close();
  });

  test('when one is made: nothing was done, and the account has none', async () => {
    const { page, faults, context } = await openTab(browser);
    await page.addInitScript(CANCELLING);
    await enter(page, { service, user: await service.createUser() });
    await page.goto(`${service.baseUrl}/account/security/passkeys/new`);
    const make = page.locator('form:has([data-passkey=create]) button[type=submit]').first();
    for (const _ of ['once', 'again']) {
      await make.click();
      await page.waitForSelector(NOTHING);
    }
    await page.goto(`${service.baseUrl}/account/security`);
    expect(await page.textContent('main')).toContain('Aucune. Une clé d’accès');
    expect(faults).toEqual([]);
    await context.close();
  });
});

test.skipIf(browser === undefined)(
  'recovery codes are copied, printed and downloaded from the one page that shows them, and are gone then',
  async () => {
    const { page, faults, context } = await openTab(browser);
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: service.baseUrl });
    await page.addInitScript('window.printed = 0; window.print = () => { window.printed += 1; };');
    await giveAuthenticator(page);
    await enter(page, { service, user: await service.createUser() });
    await page.goto(`${service.baseUrl}/account/security/passkeys/new`);
    await page.locator('form:has([data-passkey=create]) button[type=submit]').first().click();
    await page.waitForURL(/\/account\/security(\?|$)/);
    await page.goto(`${service.baseUrl}/account/security/codes/new`);
    await page.locator('main form button[type=submit]').first().click();
    await page.getByRole('heading', { name: 'Vos codes de secours' }).waitFor();

    const codes = ((await page.textContent('#codes')) ?? '').trim().split('\n');
    expect(codes).toHaveLength(10);
    await page.click('button[data-copy="#codes"]');
    await expect.poll(() => page.evaluate<string>('navigator.clipboard.readText()')).toBe(codes.join('\n'));
    await page.getByRole('button', { name: 'Imprimer' }).click();
    expect(await page.evaluate('window.printed')).toBe(1);
    const coming = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Télécharger (texte)' }).click();
    const stream = await (await coming).createReadStream();
    const text = (await stream.toArray()).join('');
    for (const code of codes) expect(text).toContain(code);

    await page.getByRole('link', { name: 'J’ai noté mes codes' }).click();
    await page.waitForURL(/\/account\/security(\?|$)/);
    await page.goBack();
    expect(await page.textContent('body')).not.toContain(codes[0]);
    expect(faults).toEqual([]);
    await context.close();
  },
);
