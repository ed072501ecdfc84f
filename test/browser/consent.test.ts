// Consent decides on the first screen: both answers within sight, without scrolling, whatever is asked for.
import type { Page } from 'playwright-core';
import { afterAll, describe, expect, test } from 'vitest';
import { statement } from '../../src/store/statement.ts';
import { enter, openBrowser, openTab, type Tab } from '../support/browser.ts';
import { authorizeAddress } from '../support/flow.ts';
import { type TestApplication, useTestService } from '../support/service.ts';
import { LONG } from '../support/shown-page.ts';

const browser = await openBrowser();
const service = useTestService();
afterAll(() => browser?.close());

const WORDS = {
  fr: { allow: 'Autoriser', deny: 'Refuser', details: 'Détails' },
  en: { allow: 'Allow', deny: 'Deny', details: 'Details' },
};
const LINKS = statement(
  'test_links',
  'update clients set home_page = $2, privacy_policy = $3, standard = $4 where client_id = $1',
);

/** Opens the consent page of a person with such a name. */
async function openConsent(
  tab: Tab,
  application: TestApplication,
  person: { name: string; email?: string; phone?: string },
  scope = 'openid profile email',
): Promise<void> {
  const user = await service.createUser({ emailVerified: true, ...person });
  await enter(tab.page, { service, user });
  await tab.page.goto(authorizeAddress(service, application, { scope, prompt: 'consent' }).href);
}

const boxOf = async (page: Page, name: string) => {
  const box = await page.getByRole('button', { name, exact: true }).boundingBox();
  if (box === null) throw new Error(`there is no button ${name}`);
  return { top: box.y, bottom: box.y + box.height };
};
const AS_AGENT = statement('test_as_agent', 'update clients set owner_id = null where client_id = $1');

describe.skipIf(browser === undefined).each([
  { viewport: { width: 1280, height: 800 }, language: 'fr' },
  { viewport: { width: 390, height: 844 }, language: 'en' },
] as const)('consent at $viewport.width × $viewport.height in $language', ({ viewport, language }) => {
  const words = WORDS[language];

  test('a long one: the bar of answers stays within sight, and covers nothing that is reached by keyboard', async () => {
    const application = await service.createApplication({
      name: LONG.applicationName,
      redirectUris: [LONG.callback],
    });
    const { clientId } = application;
    const far = 'https://un-autre-sous-domaine.exemple.fr/';
    await service.parts.database.query(LINKS, [clientId, far, `${far}donnees`, true]);
    const tab = await openTab(browser, { viewport, language });
    const { page } = tab;
    const email = `${viewport.width}${language}.${LONG.email}`;
    await openConsent(
      tab,
      application,
      { name: LONG.name, email, phone: '+33612345678' },
      'openid profile email phone',
    );
    await page.locator('summary').click();
    expect(await page.evaluate('document.documentElement.scrollHeight > innerHeight')).toBe(true);
    for (const to of [0, 60, 100_000]) {
      await page.evaluate(`scrollTo(0, ${to})`);
      for (const name of [words.allow, words.deny])
        expect((await boxOf(page, name)).bottom, `scrolled ${to}`).toBeLessThanOrEqual(viewport.height);
    }
    await page.evaluate('scrollTo(0, 0)');
    for (;;) {
      await page.keyboard.press('Tab');
      const covered = await page.evaluate<boolean | null>(`(() => {
          const bar = document.querySelector('.decision');
          const focused = document.activeElement;
          if (bar.contains(focused)) return null;
          const [one, other] = [focused.getBoundingClientRect(), bar.getBoundingClientRect()];
          return focused.matches('main *') && one.bottom > other.top && one.top < other.bottom;
        })()`);
      if (covered === null) break;
      expect(covered, await page.evaluate('document.activeElement.textContent')).toBe(false);
    }
    expect(tab.faults).toEqual([]);
    await tab.context.close();
  });
});

describe.skipIf(browser === undefined)('the button that allows access', () => {
  const buttonOf = (page: Page) => page.getByRole('button', { name: 'Autoriser', exact: true });
  /** Presses the button by script at once, whatever it says of itself. */
  const PRESS = "document.querySelector('[value=allow]').click()";

  test('does nothing as soon as the page is there, nor when the window has just got the focus', async () => {
    const application = await service.createApplication();
    const tab = await openTab(browser);
    const { page } = tab;
    await page.addInitScript(
      `addEventListener('DOMContentLoaded', () => ${PRESS.replace('.click', '?.click')})`,
    );
    await openConsent(tab, application, { name: 'Zoé Lefèvre' });
    expect(new URL(page.url()).pathname).toBe('/consent');
    await page.locator('[value=allow]:not([aria-disabled])').waitFor();
    for (const lost of [
      "dispatchEvent(new Event('blur'))",
      "document.dispatchEvent(new Event('visibilitychange'))",
    ]) {
      await page.evaluate(`${lost}; dispatchEvent(new Event('focus')); ${PRESS}`);
      expect(await buttonOf(page).getAttribute('aria-disabled')).toBe('true');
      expect(await page.locator('form[aria-busy]').count(), 'nothing was sent').toBe(0);
    }
    // Playwright waits until it is enabled.
    const left = page.waitForRequest((request) => request.url().startsWith(application.redirectUri));
    await page.route(`${new URL(application.redirectUri).origin}/**`, (route) =>
      route.fulfill({ body: 'back' }),
    );
    await buttonOf(page).click();
    await left;
    await tab.context.close();
  });

  test('stays disabled while the page is not focused', async () => {
    const tab = await openTab(browser);
    await tab.page.addInitScript('document.hasFocus = () => false');
    await openConsent(tab, await service.createApplication(), { name: 'Zoé Lefèvre' });
    expect(await buttonOf(tab.page).getAttribute('aria-disabled')).toBe('true');
    await tab.page.evaluate(PRESS);
    expect(await tab.page.locator('form[aria-busy]').count()).toBe(0);
    await tab.context.close();
  });

  test('works without scripts', async () => {
    const application = await service.createApplication();
    const tab = await openTab(browser, { javaScript: false });
    await openConsent(tab, application, { name: 'Zoé Lefèvre' });
    const left = tab.page.waitForRequest((request) => request.url().startsWith(application.redirectUri));
    await buttonOf(tab.page).click();
    expect(new URL((await left).url()).searchParams.has('code')).toBe(true);
    await tab.context.close();
  });
});

describe.skipIf(browser === undefined)('an agent that asks for an API with a sensitive scope', () => {
  const scope = (name: string, fr: string, en: string, sensitive: boolean) => ({
    name,
    fr,
    en,
    sensitive,
    agents: true,
  });

  /** Opens the page, and measures it. */
  async function measure(viewport: { width: number; height: number }, language: 'fr' | 'en') {
    const owner = await service.createUser({ name: 'Grace Hopper' });
    const api = await service.createApi({
      ownerId: owner.userId,
      identifier: `https://papers.example/${viewport.width}/${language}`,
      name: 'Papers',
      wordsFr: 'Vos documents et leurs versions.',
      wordsEn: 'Your documents and their versions.',
      admits: 'agents',
      scopes: [
        scope('read', 'Lire vos documents', 'Read your documents', false),
        scope('delete', 'Supprimer vos documents', 'Delete your documents', true),
      ],
    });
    const agent = await service.createApplication({
      type: 'public',
      name: 'Scribe',
      standard: true,
      redirectUris: ['https://scribe.example/callback'],
    });
    await service.parts.database.query(AS_AGENT, [agent.clientId]);
    const user = await service.createUser({ name: 'Zoé Lefèvre', emailVerified: true });
    const tab = await openTab(browser, { viewport, language });
    await enter(tab.page, { service, user });
    const pkce = { code_challenge: 'c'.repeat(43), code_challenge_method: 'S256' };
    const url = authorizeAddress(service, agent, { scope: 'read delete', resource: api.identifier, ...pkce });
    await tab.page.goto(url.href);
    const [box, bar] = await tab.page.evaluate<[number, number]>(`[
      document.querySelector('input[type=checkbox]').getBoundingClientRect().bottom,
      document.querySelector('.decision').getBoundingClientRect().top,
    ]`);
    expect(tab.faults).toEqual([]);
    await tab.context.close();
    return { box, bar };
  }

  test.each(['fr', 'en'] as const)(
    'shows the sensitive scope on the first screen of a phone: %s',
    async (language) => {
      const { box, bar } = await measure({ width: 390, height: 844 }, language);
      expect(box).toBeLessThan(bar);
    },
  );
});
