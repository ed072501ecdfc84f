// The list of refused requests and its filter, in Chromium.
import { afterAll, describe, expect, test } from 'vitest';
import { openBrowser, openTab, signInInTab } from '../support/browser.ts';
import { createClientWithRefusals } from '../support/diagnostics.ts';
import { useTestService } from '../support/service.ts';

const browser = await openBrowser();
const service = useTestService();
afterAll(() => browser?.close());

/** Height of a row with one line of text, plus some tolerance. */
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
    for (const row of await rows.all())
      expect((await row.boundingBox())?.height).toBeLessThanOrEqual(MAX_ROW_HEIGHT);

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
});
