// The consent page: visible buttons and clickjacking protection.
import type { Page } from 'playwright-core';
import { afterAll, describe, expect, test } from 'vitest';
import { statement } from '../../src/store/statement.ts';
import { openBrowser, openTab, signInInTab, type Tab } from '../support/browser.ts';
import { buildAuthorizeUrl } from '../support/oauth-flow.ts';
import { LONG_VALUES } from '../support/page-renderer.ts';
import { type TestClient, useTestService } from '../support/service.ts';

const browser = await openBrowser();
const service = useTestService();
afterAll(() => browser?.close());

const BUTTON_LABELS = {
  fr: { allow: 'Autoriser', deny: 'Refuser', details: 'Détails' },
  en: { allow: 'Allow', deny: 'Deny', details: 'Details' },
};
const SET_CLIENT_LINKS = statement(
  'test_links',
  'update clients set home_page = $2, privacy_policy = $3, standard = $4 where client_id = $1',
);

async function openConsentPage(
  tab: Tab,
  application: TestClient,
  profile: { name: string; email?: string; phone?: string },
  scope = 'openid profile email',
): Promise<void> {
  const user = await service.createUser({ emailVerified: true, ...profile });
  await signInInTab(tab.page, { service, user });
  await tab.page.goto(buildAuthorizeUrl(service, application, { scope, prompt: 'consent' }).href);
}

const measureButton = async (page: Page, name: string) => {
  const box = await page.getByRole('button', { name, exact: true }).boundingBox();
  if (box === null) throw new Error(`button not found: ${name}`);
  return { top: box.y, bottom: box.y + box.height };
};
const REMOVE_OWNER = statement('test_as_agent', 'update clients set owner_id = null where client_id = $1');

describe.skipIf(browser === undefined).each([
  { viewport: { width: 1280, height: 800 }, language: 'fr' },
  { viewport: { width: 390, height: 844 }, language: 'en' },
] as const)(
  'a long consent page ($viewport.width × $viewport.height, $language)',
  ({ viewport, language }) => {
    const labels = BUTTON_LABELS[language];

    test('keeps its buttons visible', async () => {
      const application = await service.createClient({
        name: LONG_VALUES.applicationName,
        redirectUris: [LONG_VALUES.callback],
      });
      const { clientId } = application;
      const otherSite = 'https://un-autre-sous-domaine.exemple.fr/';
      await service.services.database.query(SET_CLIENT_LINKS, [
        clientId,
        otherSite,
        `${otherSite}donnees`,
        true,
      ]);
      const tab = await openTab(browser, { viewport, language });
      const { page } = tab;
      const email = `${viewport.width}${language}.${LONG_VALUES.email}`;
      await openConsentPage(
        tab,
        application,
        { name: LONG_VALUES.name, email, phone: '+33612345678' },
        'openid profile email phone',
      );
      await page.locator('summary').click();
      expect(await page.evaluate('document.documentElement.scrollHeight > innerHeight')).toBe(true);
      for (const offset of [0, 60, 100_000]) {
        await page.evaluate(`scrollTo(0, ${offset})`);
        for (const name of [labels.allow, labels.deny])
          expect((await measureButton(page, name)).bottom, `scrolled to ${offset}`).toBeLessThanOrEqual(
            viewport.height,
          );
      }
      const [textBottom, fadeTop] = await page.evaluate<[number, number]>(`(() => {
        const bar = document.querySelector('.decision');
        const fade = parseFloat(getComputedStyle(bar, '::before').height);
        return [bar.previousElementSibling.getBoundingClientRect().bottom, bar.getBoundingClientRect().top - fade];
      })()`);
      expect(textBottom, 'the bar covers no text at the end of the page').toBeLessThanOrEqual(fadeTop);
      await page.evaluate('scrollTo(0, 0)');
      for (;;) {
        await page.keyboard.press('Tab');
        const isCovered = await page.evaluate<boolean | null>(`(() => {
          const bar = document.querySelector('.decision');
          const focused = document.activeElement;
          if (bar.contains(focused)) return null;
          const [focusedBox, barBox] = [focused.getBoundingClientRect(), bar.getBoundingClientRect()];
          return focused.matches('main *') && focusedBox.bottom > barBox.top && focusedBox.top < barBox.bottom;
        })()`);
        if (isCovered === null) break;
        expect(isCovered, await page.evaluate('document.activeElement.textContent')).toBe(false);
      }
      expect(tab.errors).toEqual([]);
      await tab.context.close();
    });
  },
);

describe.skipIf(browser === undefined)('the "Allow" button', () => {
  const allowButton = (page: Page) => page.getByRole('button', { name: 'Autoriser', exact: true });
  /** Clicks immediately. Playwright's `click` would wait until the button is enabled. */
  const CLICK_SCRIPT = "document.querySelector('[value=allow]').click()";

  test('ignores clicks right after the page opens', async () => {
    const application = await service.createClient();
    const tab = await openTab(browser);
    const { page } = tab;
    await page.addInitScript(
      `addEventListener('DOMContentLoaded', () => ${CLICK_SCRIPT.replace('.click', '?.click')})`,
    );
    await openConsentPage(tab, application, { name: 'Zoé Lefèvre' });
    expect(new URL(page.url()).pathname).toBe('/consent');
    await page.locator('[value=allow]:not([aria-disabled])').waitFor();
    for (const focusLoss of [
      "dispatchEvent(new Event('blur'))",
      "document.dispatchEvent(new Event('visibilitychange'))",
    ]) {
      await page.evaluate(`${focusLoss}; dispatchEvent(new Event('focus')); ${CLICK_SCRIPT}`);
      expect(await allowButton(page).getAttribute('aria-disabled')).toBe('true');
      expect(await page.locator('form[aria-busy]').count(), 'the form was not submitted').toBe(0);
    }
    const callbackRequest = page.waitForRequest((request) =>
      request.url().startsWith(application.redirectUri),
    );
    await page.route(`${new URL(application.redirectUri).origin}/**`, (route) =>
      route.fulfill({ body: 'back' }),
    );
    await allowButton(page).click();
    await callbackRequest;
    await tab.context.close();
  });

  test('is disabled while the page isn’t focused', async () => {
    const tab = await openTab(browser);
    await tab.page.addInitScript('document.hasFocus = () => false');
    await openConsentPage(tab, await service.createClient(), { name: 'Zoé Lefèvre' });
    expect(await allowButton(tab.page).getAttribute('aria-disabled')).toBe('true');
    await tab.page.evaluate(CLICK_SCRIPT);
    expect(await tab.page.locator('form[aria-busy]').count()).toBe(0);
    await tab.context.close();
  });

  test.each(['light', 'dark'] as const)('is readable while it is disabled (%s theme)', async (theme) => {
    const tab = await openTab(browser, { theme });
    await tab.page.addInitScript('document.hasFocus = () => false');
    await openConsentPage(tab, await service.createClient(), { name: 'Zoé Lefèvre' });
    const contrast = await allowButton(tab.page).evaluate((button) => {
      const { color, backgroundColor, opacity } = getComputedStyle(button);
      if (opacity !== '1') return 0;
      const [dark, bright] = [color, backgroundColor]
        .map((rgb) => {
          const [red = 0, green = 0, blue = 0] = (rgb.match(/[\d.]+/g) ?? []).map((value) => {
            const part = Number(value) / 255;
            return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
          });
          return 0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05;
        })
        .toSorted((one, other) => one - other) as [number, number];
      return bright / dark;
    });
    expect(contrast).toBeGreaterThanOrEqual(4.5);
    await tab.context.close();
  });

  test('works without JavaScript', async () => {
    const application = await service.createClient();
    const tab = await openTab(browser, { javaScript: false });
    await openConsentPage(tab, application, { name: 'Zoé Lefèvre' });
    const callbackRequest = tab.page.waitForRequest((request) =>
      request.url().startsWith(application.redirectUri),
    );
    await allowButton(tab.page).click();
    expect(new URL((await callbackRequest).url()).searchParams.has('code')).toBe(true);
    await tab.context.close();
  });
});

describe.skipIf(browser === undefined)('a sensitive API scope', () => {
  const buildScope = (name: string, fr: string, en: string, sensitive: boolean) => ({
    name,
    fr,
    en,
    sensitive,
    agents: true,
  });

  async function measureScopeSelection(viewport: { width: number; height: number }, language: 'fr' | 'en') {
    const owner = await service.createUser({ name: 'Grace Hopper' });
    const api = await service.createApi({
      ownerId: owner.userId,
      identifier: `https://papers.example/${viewport.width}/${language}`,
      name: 'Papers',
      descriptionFr: 'Vos documents et leurs versions.',
      descriptionEn: 'Your documents and their versions.',
      allowedClients: 'agents',
      scopes: [
        buildScope('read', 'Lire vos documents', 'Read your documents', false),
        buildScope('delete', 'Supprimer vos documents', 'Delete your documents', true),
      ],
    });
    const agent = await service.createClient({
      type: 'public',
      name: 'Scribe',
      standard: true,
      redirectUris: ['https://scribe.example/callback'],
    });
    await service.services.database.query(REMOVE_OWNER, [agent.clientId]);
    const user = await service.createUser({ name: 'Zoé Lefèvre', emailVerified: true });
    const tab = await openTab(browser, { viewport, language });
    await signInInTab(tab.page, { service, user });
    const pkce = { code_challenge: 'c'.repeat(43), code_challenge_method: 'S256' };
    const url = buildAuthorizeUrl(service, agent, {
      scope: 'read delete',
      resource: api.identifier,
      ...pkce,
    });
    await tab.page.goto(url.href);
    const [scopeBottom, barTop] = await tab.page.evaluate<[number, number]>(`[
      document.querySelector('input[type=checkbox]').getBoundingClientRect().bottom,
      document.querySelector('.decision').getBoundingClientRect().top,
    ]`);
    expect(tab.errors).toEqual([]);
    await tab.context.close();
    return { scopeBottom, barTop };
  }

  test.each(['fr', 'en'] as const)(
    'is visible on the consent page without scrolling (%s)',
    async (language) => {
      const { scopeBottom, barTop } = await measureScopeSelection({ width: 390, height: 844 }, language);
      expect(scopeBottom).toBeLessThan(barTop);
    },
  );
});
