import { afterAll, describe, expect, test } from 'vitest';
import { openBrowser, openTab, signInInTab } from '../support/browser.ts';
import { clientPath } from '../support/console-forms.ts';
import { useTestService } from '../support/service.ts';

const browser = await openBrowser();
const service = useTestService();
afterAll(() => browser?.close());

describe.skipIf(browser === undefined).each([
  ['with JavaScript', true],
  ['without JavaScript', false],
])('an application’s owner (%s)', (_, javaScript) => {
  test('can try signing in to a public client', async () => {
    const user = await service.createUser({ name: 'Zoé Lefèvre' });
    const { clientId } = await service.createClient({
      ownerId: user.userId,
      type: 'public',
      redirectUris: ['com.example.notes:/callback'],
    });
    const { page, context, errors } = await openTab(browser, { javaScript });
    await signInInTab(page, { service, user });
    await page.goto(`${service.baseUrl}${clientPath(clientId, '/integrate')}`);
    await page.getByRole('button', { name: 'Essayer la connexion' }).click();
    await page.getByRole('button', { name: 'Autoriser' }).click();
    await page.waitForURL(`${service.baseUrl}${clientPath(clientId, '/try-it/result')}`);
    expect(await page.getByRole('status').textContent()).toContain(user.email);
    expect(JSON.parse((await page.locator('#userinfo').textContent()) ?? '').name).toBe('Zoé Lefèvre');
    expect(errors).toEqual([]);
    await context.close();
  });
});
