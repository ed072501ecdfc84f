// The console's APIs in Chromium: where their pages lead on a phone.
import { afterAll, describe, expect, test } from 'vitest';
import { changeThing } from '../../src/store/moderation.ts';
import { atApi } from '../support/api-console.ts';
import { enter, openBrowser, openTab, PHONE } from '../support/browser.ts';
import { useTestService } from '../support/service.ts';

const browser = await openBrowser();
const service = useTestService();
afterAll(() => browser?.close());

describe.skipIf(browser === undefined).each([true, false])('an owner, scripts: %s', (javaScript) => {
  test('reaches all pages of an API from its overview on a phone, of one that is suspended too', async () => {
    const { page, context } = await openTab(browser, { javaScript, viewport: PHONE });
    const user = await service.createUser();
    const { apiId } = await service.createApi({ ownerId: user.userId });
    await enter(page, { service, user });
    const shows = async (path: string, name: string) => {
      await page.goto(service.baseUrl + atApi(apiId, path));
      return page.getByRole('link', { name, exact: true }).isVisible();
    };
    expect(await shows('', 'Secrets')).toBe(true);
    expect(await shows('/keys', 'Secrets'), 'there the way back stands in for the list').toBe(false);
    await changeThing(service.parts.database, 'api', 'suspend', apiId, service.clock.now());
    for (const part of ['Portées', 'Secrets', 'Réglages']) expect(await shows('', part), part).toBe(true);
    await context.close();
  });
});
