import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSignedInAdmin } from '../support/admin.ts';
import { openAllPages, startServiceForAllPages } from '../support/all-pages.ts';
import { sendExactRequest } from '../support/exact-response.ts';
import { getHeader } from '../support/expect-error.ts';
import { sendHttpRequest } from '../support/http-request.ts';
import { findMarkupErrors, listForms, parseElements, readHeading, readTitle } from '../support/markup.ts';
import type { Language, OpenedPage } from '../support/page-list.ts';
import { SERVICE_LINKS, startTestService } from '../support/service.ts';

const services = { fr: await startServiceForAllPages(), en: await startServiceForAllPages() };
const service = services.fr;
const pages: Record<Language, OpenedPage[]> = { fr: [], en: [] };
beforeAll(async () => {
  for (const language of ['fr', 'en'] as const)
    pages[language] = await openAllPages(services[language], language);
}, 120_000);
afterAll(async () => {
  for (const { close } of Object.values(services)) await close();
});

const NON_PAGE_URLS =
  /^\/(?:oauth|\.well-known|avatars|pictures|fonts|images|livez|readyz|metrics)\b|\.(?:css|js|json|csv|ico)$/;

test('every page of the service is included in these tests', async () => {
  const { requestCounts } = service.services;
  const isOpened = (url: string) => requestCounts.get(url)?.responses.some(({ method }) => method === 'GET');
  const urls = service.app.routes
    .filter(({ method, config }) => [method].flat().includes('GET') && config?.caller !== 'none')
    .map(({ url }) => url)
    .filter((url) => !NON_PAGE_URLS.test(url));
  expect(urls.length).toBeGreaterThan(40);
  const unopenedUrls = urls.filter((url) => !isOpened(url));
  const { browser } = await createSignedInAdmin(service);
  // Other URLs may be forms or redirects, but not pages.
  const statuses = unopenedUrls.map(async (url) => [
    url,
    (await browser.get(url.replace(/:\w+/g, '1'))).status,
  ]);
  const pages = (await Promise.all(statuses)).filter(([, status]) => status === 200);
  expect(pages, 'open each of these pages in the test/support/…-pages.ts file for its area').toEqual([]);
});

describe.each(['fr', 'en'] as const)('every page in %s', (language) => {
  test('has the expected status code', () => {
    expect(pages[language].length).toBeGreaterThan(150);
    expect(pages[language].map(({ name, visit }) => [name, visit.status])).toEqual(
      pages[language].map(({ name, status }) => [name, status]),
    );
  });

  test('is well-formed HTML without inline code', () => {
    for (const { name, visit } of pages[language]) {
      expect(findMarkupErrors(visit.body), name).toEqual([]);
      expect(visit.headers.get('content-type'), name).toBe('text/html; charset=utf-8');
      expect(parseElements(visit.body)[0]?.attributes.lang, name).toBe(language);
    }
  });

  test('has a username field in every password form', () => {
    let forms = 0;
    for (const { name, visit } of pages[language])
      for (const form of listForms(visit.body)) {
        const fields = parseElements(form);
        if (!fields.some(({ attributes }) => attributes.type === 'password')) continue;
        forms += 1;
        const usernames = fields.filter(({ attributes }) =>
          /\busername\b/.test(attributes.autocomplete ?? ''),
        );
        expect(usernames, name).toHaveLength(1);
      }
    expect(forms).toBeGreaterThan(20);
  });

  test('has one h1 element and a skip link', () => {
    for (const { name, visit } of pages[language]) {
      const names = parseElements(visit.body).map((element) => element.name);
      expect(
        [names.filter((n) => n === 'main').length, names.filter((n) => n === 'h1').length],
        name,
      ).toEqual([1, 1]);
      expect(readHeading(visit.body).length, name).toBeGreaterThan(3);
      expect(visit.body, name).toContain('<a class="skip-link" href="#main">');
      expect(readTitle(visit.body).length, name).toBeGreaterThan(3);
    }
  });

  test('links only to this service or to a client', () => {
    const { baseUrl } = services[language];
    for (const { name, visit } of pages[language])
      for (const { name: element, attributes } of parseElements(visit.body))
        for (const url of [attributes.href, attributes.action, attributes.src]) {
          if (attributes.download !== undefined && url?.startsWith('data:text/plain;')) continue;
          if (url === undefined || new URL(url, baseUrl).origin === baseUrl) continue;
          // Links may open the authenticator app or the email program.
          if (/^otpauth:/.test(url) || url === `mailto:${SERVICE_LINKS.SUPPORT}`) continue;
          const isAllowed =
            (element === 'a' && !url.startsWith('mailto:') && attributes.rel === 'noopener noreferrer') ||
            (element === 'form' && attributes['data-submit'] !== undefined);
          expect(isAllowed, `${name}: ${url}`).toBe(true);
        }
  });

  test('has the support contact in the footer', () => {
    const { SUPPORT, ...brandingLinks } = SERVICE_LINKS;
    const links = [`mailto:${SUPPORT}`, ...Object.values(brandingLinks)].sort();
    for (const { name, visit } of pages[language]) {
      const footer = /<footer[\s\S]*<\/footer>/.exec(visit.body)?.[0] ?? '';
      const footerLinks = parseElements(footer).flatMap(({ attributes: { href = '' } }) =>
        href.startsWith('/') ? [] : href,
      );
      expect(footerLinks.filter((href) => href !== '').sort(), name).toEqual(links);
    }
  });

  test('shows the support contact next to any incident code', () => {
    const withCode = pages[language].filter(({ visit }) => visit.body.includes('class="incident"'));
    expect(withCode.length).toBeGreaterThan(8);
    for (const { name, visit } of withCode) expect(visit.body, name).toContain('<p class="support-contact">');
  });

  test('offers a next step if it is an error page', () => {
    const errorPages = pages[language].filter(
      ({ visit }) => visit.status >= 400 && visit.body.includes('class="door-closed"'),
    );
    expect(errorPages.length).toBeGreaterThan(8);
    for (const { name, visit } of errorPages)
      expect(visit.body, name).toMatch(
        /<p class="actions"><a class="button button--(?:primary|secondary)" href="(?:\/|https:\/\/[a-z.]+\/)/,
      );
  });

  test('has a csrf field in every state-changing form', () => {
    for (const { name, visit } of pages[language])
      for (const form of listForms(visit.body)) {
        const attributes = parseElements(form)[0]?.attributes ?? {};
        if (attributes['data-submit'] !== undefined || attributes.method === 'get') {
          expect(form, name).not.toContain('name="csrf"');
          continue;
        }
        expect(attributes.method, name).toBe('post');
        expect(form, name).toMatch(/<input type="hidden" name="csrf" value="[A-Za-z0-9_-]{65}">/);
      }
  });

  test('has no visible control that requires JavaScript', () => {
    for (const { name, visit } of pages[language])
      for (const { attributes } of parseElements(visit.body).filter((element) => element.name === 'button'))
        expect(
          attributes.type === 'submit' ||
            attributes.popovertarget !== undefined || // the browser opens the popover without a script
            attributes.hidden === '' ||
            attributes.class?.startsWith('service-signin-btn'), // a preview of the sign-in button
          name,
        ).toBe(true);
  });

  test('escapes hostile names', () => {
    for (const { name, visit } of pages[language]) {
      expect(/<[ibu]>/.exec(visit.body), name).toBeNull();
      const text = visit.body.replace(/<pre\b[\s\S]*?<\/pre>/g, '');
      expect(/>[^<]*(?:\bundefined\b|\[object|\bNaN\b)/.exec(text), name).toBeNull();
    }
  });
});

test('every page has a translated title', () => {
  // Titles in the development mailbox are in the recipient's language.
  const listTitles = (language: 'fr' | 'en') =>
    pages[language].flatMap(({ name, visit }) =>
      name.startsWith('/dev/mail/') ? [] : [readTitle(visit.body)],
    );
  const sharedTitles = listTitles('fr').filter((title) => listTitles('en').includes(title));
  expect(
    sharedTitles.filter(
      (title) =>
        !/^(Carnet|Applications|Agents|Grace Hopper|scribe\.example|(Notes|Zoé) &.*|Zoé .*)$/.test(title),
    ),
  ).toEqual([]);
});

test('every page is smaller than 60 kB, excluding images', async () => {
  const sizes = new Map<string, number>();
  const measureSize = async (url: string): Promise<number> => {
    const cachedSize = sizes.get(url);
    if (cachedSize !== undefined) return cachedSize;
    const headers = { 'accept-encoding': 'gzip, br' };
    const response = await sendHttpRequest(service.services.config.port, url, { headers });
    const size = Number(getHeader(response, 'content-length'));
    expect([response.status, size > 0], url).toEqual([200, true]);
    sizes.set(url, size);
    return size;
  };
  const heavyPages: [name: string, bytes: number][] = [];
  for (const { name, visit } of [...pages.fr, ...pages.en]) {
    let bytes = Buffer.byteLength(visit.body);
    for (const { name: element, attributes } of parseElements(visit.body)) {
      const resources =
        element === 'script' ? attributes.src : element === 'link' ? attributes.href : undefined;
      if (resources !== undefined && attributes.rel !== 'icon') bytes += await measureSize(resources);
    }
    if (bytes >= 60_000) heavyPages.push([name, bytes]);
  }
  expect(heavyPages).toEqual([]);
  expect([...sizes.keys()]).toEqual(
    expect.arrayContaining(['/sesame.css', '/fonts/figtree.woff2', '/page.js']),
  );
});

test('every resource has the right content type', async () => {
  const resources = new Map<string, RegExp>();
  for (const { visit } of pages.en)
    for (const { name, attributes } of parseElements(visit.body)) {
      if (name === 'img') resources.set(attributes.src ?? '', /^image\/(svg\+xml; charset=utf-8|webp|png)$/);
      if (name === 'script') resources.set(attributes.src ?? '', /^text\/javascript; charset=utf-8$/);
      if (attributes.rel === 'stylesheet') resources.set(attributes.href ?? '', /^text\/css; charset=utf-8$/);
    }
  expect(resources.size).toBeGreaterThanOrEqual(3);
  for (const [url, type] of resources) {
    const { status, headers } = await sendExactRequest(new URL(url, services.en.baseUrl));
    expect([status, headers.get('content-type'), headers.get('x-content-type-options')], url).toEqual([
      200,
      expect.stringMatching(type),
      'nosniff',
    ]);
  }
});

describe('an HTTP response', () => {
  test('forbids framing, sniffing and caching of pages', () => {
    for (const { name, status, visit, isInAuthorization } of [...pages.fr, ...pages.en]) {
      const getHeaderValue = (header: string) => visit.headers.get(header);
      expect(getHeaderValue('x-content-type-options'), name).toBe('nosniff');
      // A form that posts to a client sends only the origin as Referer.
      const postsToClient = visit.body.includes('data-submit');
      expect(getHeaderValue('referrer-policy'), name).toBe(postsToClient ? 'strict-origin' : 'same-origin');
      expect(getHeaderValue('cache-control'), name).toBe('no-store');
      expect(getHeaderValue('x-frame-options'), name).toBe('DENY');
      // A client's sign-in popup must keep its opener.
      if (isInAuthorization || visit.body.includes('class="incident"'))
        expect(getHeaderValue('cross-origin-opener-policy'), name).toBeNull();
      else if (status < 400) expect(getHeaderValue('cross-origin-opener-policy'), name).toBe('same-origin');
      expect(getHeaderValue('x-powered-by'), name).toBeNull();
      expect(getHeaderValue('strict-transport-security'), name).toBeNull();
      expect(getHeaderValue('access-control-allow-origin'), name).toBeNull();
    }
  });

  test('allows resources only from the service', () => {
    for (const { name, visit, isInAuthorization } of [...pages.fr, ...pages.en])
      expect((visit.headers.get('content-security-policy') ?? '').split('; ').sort(), name).toEqual(
        [
          "base-uri 'none'",
          "default-src 'none'",
          "frame-ancestors 'none'",
          "font-src 'self'",
          "img-src 'self'",
          "script-src 'self'",
          "style-src 'self'",
          ...(/ data-(strength|passkey)="/.test(visit.body) ? ["connect-src 'self'"] : []),
          ...(isInAuthorization ? [] : ["form-action 'self'"]),
        ].sort(),
      );
  });

  test('forbids caching of redirects', async () => {
    for (const path of ['/signout', '/consent']) {
      const { status, headers } = await sendExactRequest(new URL(path, service.baseUrl));
      expect([status, headers.get('cache-control'), headers.get('referrer-policy')], path).toEqual([
        303,
        'no-store',
        'same-origin',
      ]);
    }
  });

  test('contains an error page if the URL cannot be decoded', async () => {
    const { status, headers, body } = await sendExactRequest(`${service.baseUrl}/%zz`, {
      headers: { accept: 'text/html' },
    });
    expect(status).toBe(404);
    expect(findMarkupErrors(body)).toEqual([]);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('same-origin');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
  });

  test('has an HSTS header only if a trusted proxy reports HTTPS', async () => {
    await using behindProxy = await startTestService({
      BASE_URL: 'https://signin.example',
      TRUSTED_PROXIES: '127.0.0.1',
    });
    const requestWithHeaders = (headers: Record<string, string>) =>
      sendExactRequest(`http://127.0.0.1:${behindProxy.services.config.port}/signin`, { headers });
    const hsts = (await requestWithHeaders({ 'x-forwarded-proto': 'https' })).headers.get(
      'strict-transport-security',
    );
    expect(Number(/^max-age=(\d+)/.exec(hsts ?? '')?.[1])).toBeGreaterThanOrEqual(31_536_000);
    expect((await requestWithHeaders({})).headers.get('strict-transport-security')).toBeNull();
  });
});

describe('the page', () => {
  test.each([
    ['/', ['GET', 'HEAD']],
    ['/signin', ['GET', 'HEAD', 'POST']],
    ['/signup', ['GET', 'HEAD', 'POST']],
    ['/signout', ['GET', 'HEAD', 'POST']],
    ['/consent', ['GET', 'HEAD', 'POST']],
    ['/account/applications/withdraw', ['GET', 'HEAD', 'POST']],
  ])('%s accepts only the methods %j', async (path, allowed) => {
    for (const method of ['PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const { status, headers } = await sendExactRequest(new URL(path, service.baseUrl), { method });
      expect([method, status, headers.get('allow')?.split(', ').sort()]).toEqual([method, 405, allowed]);
    }
  });
});
