import { afterAll, describe, expect, test } from 'vitest';
import { measureOverflow, openBrowser, openTab, signInInTab } from '../support/browser.ts';
import { createClientWithRefusals } from '../support/diagnostics.ts';
import { buildAuthorizeUrl } from '../support/oauth-flow.ts';
import { useTestService } from '../support/service.ts';

const browser = await openBrowser();
const service = useTestService();
afterAll(() => browser?.close());

/** Maximum height of a row with a single line of text, in CSS pixels. */
const MAX_ROW_HEIGHT = 48;

describe.skipIf(browser === undefined)('the diagnostics page', () => {
  test('shows each refused request on one line', async () => {
    const user = await service.createUser();
    const client = await createClientWithRefusals(service, user);
    const { page, context, errors } = await openTab(browser, { language: 'en' });
    await signInInTab(page, { service, user });
    await service.services.diagnostics.flush();
    await page.goto(`${service.baseUrl}/console/applications/${client.clientId}/diagnostics`);
    const rows = page.locator('.refusal');
    expect(await rows.count()).toBe(10);
    const [newest, ...others] = await rows.all();
    expect(await newest?.getByText('The parameter grant_type is missing').isVisible()).toBe(true);
    for (const row of others) expect((await row.boundingBox())?.height).toBeLessThanOrEqual(MAX_ROW_HEIGHT);

    const row = rows.filter({ hasText: 'Secret truncated' });
    expect(await row.getByText('Copy the whole secret.').isVisible()).toBe(false);
    await row.locator('summary').focus();
    await page.keyboard.press('Enter');
    expect(await row.getByText('Copy the whole secret.').isVisible()).toBe(true);

    await page.getByLabel('Reason').selectOption('Callback URL not registered');
    await page.getByLabel('Endpoint').selectOption('Authorization');
    await page.getByRole('button', { name: 'Filter' }).click();
    expect(new URL(page.url()).searchParams.get('reason')).toBe('redirect_uri_unregistered');
    expect(await rows.count()).toBe(3);
    await page.getByRole('link', { name: 'See all refused requests' }).click();
    expect(await rows.count()).toBe(10);
    expect(errors).toEqual([]);
    await context.close();
  });

  test('shows the whole URL of an expanded request', async () => {
    const user = await service.createUser();
    const application = await service.createClient({ ownerId: user.userId });
    const longUrl = `https://client.example/${'a-long-path/'.repeat(10)}callback`;
    for (const redirect_uri of [longUrl, `${application.redirectUri}/`])
      await fetch(buildAuthorizeUrl(service, application, { redirect_uri }), { redirect: 'manual' });
    await service.services.diagnostics.flush();
    const { page, context } = await openTab(browser, { language: 'en' });
    await signInInTab(page, { service, user });
    await page.goto(`${service.baseUrl}/console/applications/${application.clientId}/diagnostics`);
    const row = page.locator('.refusal').filter({ hasText: 'a-long-path' });
    await row.locator('summary').click();
    const shown = row.getByText(longUrl).filter({ visible: true });
    expect(await shown.count()).toBe(1);
    const { left, right } = await shown.evaluate((code) => ({
      left: code.getBoundingClientRect().left,
      right: code.getBoundingClientRect().right + code.scrollWidth - code.clientWidth,
    }));
    expect(left).toBeGreaterThan(0);
    expect(right).toBeLessThan(1280);
    expect(await measureOverflow(page)).toBeLessThanOrEqual(0);
    await context.close();
  });
});
