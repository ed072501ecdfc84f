// Security pages: canceled passkey dialogs and recovery codes.
import { afterAll, describe, expect, test } from 'vitest';
import { addVirtualAuthenticator, openBrowser, openTab, signInInTab } from '../support/browser.ts';
import { useTestService } from '../support/service.ts';

const browser = await openBrowser();
const service = useTestService();
afterAll(() => browser?.close());

/** Cancels every passkey dialog, but leaves autofill pending. */
const CANCEL_SCRIPT = `
const cancel = ({ mediation }) => mediation === 'conditional' ? new Promise(() => {}) : Promise.reject(new DOMException('closed', 'NotAllowedError'));
navigator.credentials.get = cancel;
navigator.credentials.create = cancel;
`;
const CANCELED_STATUS = '.passkey-status:has-text("Rien n’a été fait")';

describe.skipIf(browser === undefined)('canceling a passkey dialog', () => {
  test('shows a message on the sign-in page', async () => {
    const { page, errors, context } = await openTab(browser);
    await page.addInitScript(CANCEL_SCRIPT);
    const user = await service.createUser();
    await page.goto(`${service.baseUrl}/signin`);
    const button = page.getByRole('button', { name: 'Se connecter avec une clé d’accès' });
    for (const _ of ['first attempt', 'retry']) {
      await button.click();
      await page.waitForSelector(CANCELED_STATUS);
      await expect.poll(() => button.getAttribute('aria-disabled')).toBe(null);
    }
    await page.fill('#email', user.email);
    await page.fill('#password', user.password);
    await page.click('form:has(#password) button[type=submit]');
    await page.waitForURL(/\/account/);
    expect(errors).toEqual([]);
    await context.close();
  });

  test('creates no passkey', async () => {
    const { page, errors, context } = await openTab(browser);
    await page.addInitScript(CANCEL_SCRIPT);
    await signInInTab(page, { service, user: await service.createUser() });
    await page.goto(`${service.baseUrl}/account/security/passkeys/new`);
    const createButton = page.locator('form:has([data-passkey=create]) button[type=submit]').first();
    for (const _ of ['first attempt', 'retry']) {
      await createButton.click();
      await page.waitForSelector(CANCELED_STATUS);
    }
    await page.goto(`${service.baseUrl}/account/security`);
    expect(await page.textContent('main')).toContain('Aucune. Elles vous connectent');
    expect(errors).toEqual([]);
    await context.close();
  });
});

test.skipIf(browser === undefined)('recovery codes can be copied, printed and downloaded', async () => {
  const { page, errors, context } = await openTab(browser);
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: service.baseUrl });
  await page.addInitScript('window.printed = 0; window.print = () => { window.printed += 1; };');
  await addVirtualAuthenticator(page);
  await signInInTab(page, { service, user: await service.createUser() });
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
  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Télécharger (texte)' }).click();
  const stream = await (await download).createReadStream();
  const text = (await stream.toArray()).join('');
  for (const code of codes) expect(text).toContain(code);

  await page.getByRole('link', { name: 'J’ai noté mes codes' }).click();
  await page.waitForURL(/\/account\/security(\?|$)/);
  await page.goBack();
  expect(await page.textContent('body')).not.toContain(codes[0]);
  expect(errors).toEqual([]);
  await context.close();
});
