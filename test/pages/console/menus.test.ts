import { describe, expect, test } from 'vitest';
import type { BrowserSession } from '../../support/browser-session.ts';
import { apiPath, clientPath } from '../../support/console-forms.ts';
import { readText } from '../../support/markup.ts';
import { createSignedInUser } from '../../support/oauth-flow.ts';
import { useTestService } from '../../support/service.ts';

const service = useTestService();

/** Links are relative to the application or API. */
function readLinks(list: string, base: string): MenuLink[] {
  const items = list.matchAll(
    /<li><a href="([^"]*)"(?: aria-current="(\w+)")?>([^<]*)<\/a>(?:<ul>([\s\S]*?)<\/ul>)?<\/li>/g,
  );
  return [...items].map(([, href = '', current = '', text = '', pages = '']) => ({
    text: readText(text),
    path: href.replace(base, ''),
    current,
    pages: readLinks(pages, base),
  }));
}

interface MenuLink {
  text: string;
  path: string;
  current: string;
  pages: MenuLink[];
}

async function readMenu(browser: BrowserSession, path: string, base: string): Promise<MenuLink[]> {
  const { status, body } = await browser.get(path);
  expect(status, path).toBe(200);
  const order = ['<nav class="breadcrumb"', '<nav class="side-nav"', '<h1'].map((tag) => body.indexOf(tag));
  expect(order, 'the menu is between the breadcrumb and the title').toEqual(order.toSorted((a, b) => a - b));
  const [, nav = ''] = /<nav class="side-nav"[^>]*>([\s\S]*?)<\/nav>/.exec(body) ?? [];
  return readLinks(nav, base);
}

const MENUS = {
  application: ['Overview', 'Integrate', 'Diagnostics', 'Activity', 'APIs', 'Settings'],
  public: ['Overview', 'Integrate', 'Diagnostics', 'Activity', 'Settings'],
  machine: ['Overview', 'Diagnostics', 'Activity', 'APIs', 'Settings'],
  api: ['Overview', 'Scopes', 'Access', 'Integrate', 'Diagnostics', 'Settings'],
};
const PAGES: Record<keyof typeof MENUS, Record<string, string[]>> = {
  application: { Settings: ['Secrets', 'Protocol', 'Sign-out', 'Logo'] },
  public: { Settings: ['Protocol', 'Sign-out', 'Logo'] },
  machine: { Settings: ['Secrets', 'Protocol', 'Logo'] },
  api: { Access: ['Requests'], Integrate: ['Connection test'], Settings: ['Secrets', 'Public keys'] },
};

async function createResource(kind: keyof typeof MENUS, ownerId: string): Promise<string> {
  if (kind === 'api') return apiPath((await service.createApi({ ownerId })).apiId);
  const type = kind === 'public' ? 'public' : 'confidential';
  const redirectUris = kind === 'machine' ? [] : ['https://client.example/callback'];
  return clientPath((await service.createClient({ ownerId, type, redirectUris })).clientId);
}

describe.each(Object.keys(MENUS) as (keyof typeof MENUS)[])('the menu (%s)', (kind) => {
  test('has the expected entries and subpages', async () => {
    const { browser, user } = await createSignedInUser(service);
    const base = await createResource(kind, user.userId);
    const menu = await readMenu(browser, base, base);
    expect(menu.map(({ text }) => text)).toEqual(MENUS[kind]);
    expect(menu.length).toBeLessThanOrEqual(6);
    for (const { text, pages } of menu)
      expect(
        pages.map((page) => page.text),
        text,
      ).toEqual(PAGES[kind][text] ?? []);
  });

  test('has the same links on every page', async () => {
    const { browser, user } = await createSignedInUser(service);
    const base = await createResource(kind, user.userId);
    const listLinks = (menu: MenuLink[]): MenuLink[] => menu.flatMap((link) => [link, ...link.pages]);
    const all = listLinks(await readMenu(browser, base, base));
    for (const { text, path } of all) {
      const links = listLinks(await readMenu(browser, `${base}${path}`, base));
      expect(
        links.map((link) => link.path),
        text,
      ).toEqual(all.map((link) => link.path));
      const current = links.filter((link) => link.current !== '').map((link) => [link.text, link.current]);
      expect(current, text).toEqual([[text, 'page']]);
    }
  });
});

test('the overview of an API shows the number of pending access requests', async () => {
  const { browser, user } = await createSignedInUser(service);
  const { apiId, identifier } = await service.createApi({
    ownerId: user.userId,
    allowedClients: 'applications',
  });
  const requester = await createSignedInUser(service);
  const { clientId } = await service.createClient({ ownerId: requester.user.userId });
  expect((await browser.get(apiPath(apiId))).body).not.toContain('request is waiting');
  const page = await requester.browser.get(clientPath(clientId, '/apis'));
  const fields = { ...page.hidden, identifier, scopes: 'read' };
  await requester.browser.post(clientPath(clientId, '/apis'), fields);
  const { body } = await browser.get(apiPath(apiId));
  expect(body).toContain('One access request is waiting.');
  expect(body).toContain(`href="${apiPath(apiId, '/requests')}"`);
});

test('the header groups the pages for developers', async () => {
  const { browser } = await createSignedInUser(service);
  const { body } = await browser.get('/console/apis');
  const [, group = ''] = /<ul aria-labelledby="developers">(.*?)<\/ul>/s.exec(body) ?? [];
  expect(body).toContain('<span id="developers">Developers</span>');
  expect(
    [...group.matchAll(/href="([^"]*)"( aria-current="page")?/g)].map(([, href, current]) => [
      href,
      current !== undefined,
    ]),
  ).toEqual([
    ['/console/applications', false],
    ['/console/apis', true],
  ]);
});
