// The menus of applications and APIs, and the tabs within their entries.
import { describe, expect, test } from 'vitest';
import type { BrowserSession } from '../../support/browser-session.ts';
import { apiPath, clientPath } from '../../support/console-forms.ts';
import { readText } from '../../support/markup.ts';
import { createSignedInUser } from '../../support/oauth-flow.ts';
import { useTestService } from '../../support/service.ts';

const service = useTestService();

type Link = [text: string, path: string, current: string];

/** Reads the links in a navigation element, relative to the application or API. */
function readLinks(body: string, className: string, base: string): Link[] {
  const [, nav = ''] = new RegExp(`<nav class="${className}"[^>]*>([\\s\\S]*?)</nav>`).exec(body) ?? [];
  return [...nav.matchAll(/<a href="([^"]*)"(?: aria-current="(\w+)")?>([\s\S]*?)<\/a>/g)].map(
    ([, href = '', current = '', text = '']) => [readText(text), href.replace(base, ''), current],
  );
}

async function readMenu(browser: BrowserSession, path: string, base: string) {
  const { status, body } = await browser.get(path);
  expect(status, path).toBe(200);
  const order = ['<nav class="breadcrumb"', '<h1', '<nav class="tabs"'].map((tag) => body.indexOf(tag));
  const tabs = readLinks(body, 'tabs', base);
  return {
    menu: readLinks(body, 'side-nav', base),
    tabs: tabs.some(([, , current]) => current === 'page') ? tabs : [],
    isOrdered: order
      .filter((at) => at >= 0)
      .every((at, index, all) => index === 0 || at > Number(all[index - 1])),
  };
}

const MENUS = {
  application: ['Overview', 'Integrate', 'Diagnostics', 'Activity', 'APIs', 'Settings'],
  public: ['Overview', 'Integrate', 'Diagnostics', 'Activity', 'Settings'],
  machine: ['Overview', 'Diagnostics', 'Activity', 'APIs', 'Settings'],
  api: ['Overview', 'Scopes', 'Access', 'Integrate', 'Diagnostics', 'Settings'],
};
const TABS: Record<keyof typeof MENUS, Record<string, string[]>> = {
  application: { Settings: ['General', 'Secrets', 'Protocol', 'Sign-out', 'Logo'] },
  public: { Settings: ['General', 'Protocol', 'Sign-out', 'Logo'] },
  machine: { Settings: ['General', 'Secrets', 'Protocol', 'Logo'] },
  api: {
    Access: ['Applications', 'Requests'],
    Integrate: ['Code', 'Connection test'],
    Settings: ['General', 'Secrets', 'Public keys'],
  },
};

/** Creates an application or API. Returns the path of its overview. */
async function createResource(kind: keyof typeof MENUS, ownerId: string): Promise<string> {
  if (kind === 'api') return apiPath((await service.createApi({ ownerId })).apiId);
  const type = kind === 'public' ? 'public' : 'confidential';
  const redirectUris = kind === 'machine' ? [] : ['https://client.example/callback'];
  return clientPath((await service.createClient({ ownerId, type, redirectUris })).clientId);
}

describe.each(Object.keys(MENUS) as (keyof typeof MENUS)[])('the menu (%s)', (kind) => {
  test('has at most six entries', async () => {
    const { browser, user } = await createSignedInUser(service);
    const base = await createResource(kind, user.userId);
    const { menu, tabs } = await readMenu(browser, base, base);
    expect(menu.map(([text]) => text)).toEqual(MENUS[kind]);
    expect([menu.length <= 6, menu[0]?.[2], tabs]).toEqual([true, 'page', []]);
    for (const [entry, path] of menu) {
      const page = await readMenu(browser, `${base}${path}`, base);
      expect(page.isOrdered, entry).toBe(true);
      expect(
        page.tabs.map(([text]) => text),
        entry,
      ).toEqual(TABS[kind][entry] ?? []);
      for (const [tab, tabPath] of page.tabs) {
        const tabPage = await readMenu(browser, `${base}${tabPath}`, base);
        expect(tabPage.isOrdered, tab).toBe(true);
        const current = (links: Link[]) => links.filter(([, , mark]) => mark !== '').map(([text]) => text);
        expect([current(tabPage.menu), current(tabPage.tabs)]).toEqual([[entry], [tab]]);
      }
    }
  });

  test('links each settings page from the overview', async () => {
    const { browser, user } = await createSignedInUser(service);
    const base = await createResource(kind, user.userId);
    const settings = (await readMenu(browser, `${base}/edit`, base)).tabs.map(([, path]) => path);
    const { body } = await browser.get(base);
    for (const path of settings) expect(body, path).toContain(`href="${base}${path}"`);
  });
});

test('the overview of an API shows how many access requests are waiting', async () => {
  const { browser, user } = await createSignedInUser(service);
  const { apiId, identifier } = await service.createApi({ ownerId: user.userId, admits: 'applications' });
  const requester = await createSignedInUser(service);
  const { clientId } = await service.createClient({ ownerId: requester.user.userId });
  expect((await browser.get(apiPath(apiId))).body).not.toContain('waiting');
  const page = await requester.browser.get(clientPath(clientId, '/apis'));
  const fields = { ...page.hidden, identifier, scopes: 'read' };
  await requester.browser.post(clientPath(clientId, '/apis'), fields);
  const { body } = await browser.get(apiPath(apiId));
  expect(body).toContain('One access request is waiting.');
  expect(body).toContain(`href="${apiPath(apiId, '/requests')}"`);
});
