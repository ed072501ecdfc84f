// What holds for every page: its markup, its headers, its addresses.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openEveryPage, startServiceOfEveryPage } from '../support/every-page.ts';
import { sendExactly } from '../support/exact-request.ts';
import { header } from '../support/expect-error.ts';
import { httpRequest } from '../support/http-request.ts';
import { elementsOf, formsOf, headingOf, markupFaults, titleOf } from '../support/markup.ts';
import { signedInOperator } from '../support/operator.ts';
import type { OpenedPage } from '../support/page-list.ts';
import { HOUSE, startTestService, type TestService } from '../support/service.ts';

let service: TestService;
const pages: Record<'fr' | 'en', OpenedPage[]> = { fr: [], en: [] };
beforeAll(async () => {
  service = await startServiceOfEveryPage();
  for (const page of await openEveryPage(service)) pages[page.language].push(page);
}, 120_000);
afterAll(() => service.close());

/** What answers a GET, and is no page. */
const NO_PAGES =
  /^\/(?:oauth|\.well-known|avatars|pictures|fonts|images|livez|readyz|metrics)\b|\.(?:css|js|json|ico)$/;

test('every page of the running app is among those that are opened', async () => {
  const { requests } = service.parts;
  const opened = (url: string) => requests.get(url)?.answers.some(({ method }) => method === 'GET');
  const addresses = service.app.routes
    .filter(({ method, config }) => [method].flat().includes('GET') && config?.caller !== 'nobody')
    .map(({ url }) => url)
    .filter((url) => !NO_PAGES.test(url));
  expect(addresses.length).toBeGreaterThan(40);
  const unopened = addresses.filter((url) => !opened(url));
  const { browser } = await signedInOperator(service);
  // Those of forms on the page of another one, and what leads to a page.
  const statuses = unopened.map(async (url) => [url, (await browser.get(url.replace(/:\w+/g, '1'))).status]);
  const pages = (await Promise.all(statuses)).filter(([, status]) => status === 200);
  expect(pages, 'open it in the test/support/…-pages.ts of its area').toEqual([]);
});

describe.each(['fr', 'en'] as const)('every page in %s', (language) => {
  test('answers with the status of what happened', () => {
    expect(pages[language].length).toBeGreaterThan(150);
    expect(pages[language].map(({ name, visit }) => [name, visit.status])).toEqual(
      pages[language].map(({ name, status }) => [name, status]),
    );
  });

  test('is well-formed HTML in UTF-8 with language and title, and nothing inline', () => {
    for (const { name, visit } of pages[language]) {
      expect(markupFaults(visit.body), name).toEqual([]);
      expect(visit.headers.get('content-type'), name).toBe('text/html; charset=utf-8');
      expect(elementsOf(visit.body)[0]?.attributes.lang, name).toBe(language);
    }
  });

  test('tells password managers whose password it asks for, in every form', () => {
    let forms = 0;
    for (const { name, visit } of pages[language])
      for (const form of formsOf(visit.body)) {
        const fields = elementsOf(form);
        if (!fields.some(({ attributes }) => attributes.type === 'password')) continue;
        forms += 1;
        const usernames = fields.filter(({ attributes }) =>
          /\busername\b/.test(attributes.autocomplete ?? ''),
        );
        expect(usernames, name).toHaveLength(1);
      }
    expect(forms).toBeGreaterThan(20);
  });

  test('has one main, one h1, a title that says what it is, and a way past the header', () => {
    for (const { name, visit } of pages[language]) {
      const names = elementsOf(visit.body).map((element) => element.name);
      expect(
        [names.filter((n) => n === 'main').length, names.filter((n) => n === 'h1').length],
        name,
      ).toEqual([1, 1]);
      expect(headingOf(visit.body).length, name).toBeGreaterThan(3);
      expect(visit.body, name).toContain('<a class="skip-link" href="#main">');
      expect(titleOf(visit.body).length, name).toBeGreaterThan(3);
    }
  });

  test('leads and asks nowhere but to this service, except where an application is: named so, or the answer to it', () => {
    for (const { name, visit } of pages[language])
      for (const { name: element, attributes } of elementsOf(visit.body))
        for (const address of [attributes.href, attributes.action, attributes.src]) {
          if (attributes.download !== undefined && address?.startsWith('data:text/plain;')) continue;
          if (address === undefined || new URL(address, service.baseUrl).origin === service.baseUrl) continue;
          // Opens the authenticator app of this device, or its mail program for a letter to the operators.
          if (/^otpauth:/.test(address) || address === `mailto:${HOUSE.SUPPORT}`) continue;
          const marked =
            (element === 'a' && !address.startsWith('mailto:') && attributes.rel === 'noopener noreferrer') ||
            (element === 'form' && attributes['data-submit'] !== undefined);
          expect(marked, `${name}: ${address}`).toBe(true);
        }
  });

  test('ends with the operator’s own pages, and where to write to', () => {
    const { SUPPORT, ...own } = HOUSE;
    const links = [`mailto:${SUPPORT}`, ...Object.values(own)].sort();
    for (const { name, visit } of pages[language]) {
      const footer = /<footer[\s\S]*<\/footer>/.exec(visit.body)?.[0] ?? '';
      const leading = elementsOf(footer).flatMap(({ attributes: { href = '' } }) =>
        href.startsWith('/') ? [] : href,
      );
      expect(leading.filter((href) => href !== '').sort(), name).toEqual(links);
    }
  });

  test('with a code that tells the operators what happened says where they are', () => {
    const withCode = pages[language].filter(({ visit }) => visit.body.includes('class="incident"'));
    expect(withCode.length).toBeGreaterThan(8);
    for (const { name, visit } of withCode) expect(visit.body, name).toContain('<p class="reach">');
  });

  test('its forms are POST and carry the hidden field csrf, unless they search (GET), or answer an application', () => {
    for (const { name, visit } of pages[language])
      for (const form of formsOf(visit.body)) {
        const attributes = elementsOf(form)[0]?.attributes ?? {};
        if (attributes['data-submit'] !== undefined || attributes.method === 'get') {
          expect(form, name).not.toContain('name="csrf"');
          continue;
        }
        expect(attributes.method, name).toBe('post');
        expect(form, name).toMatch(/<input type="hidden" name="csrf" value="[A-Za-z0-9_-]{65}">/);
      }
  });

  test('shows no control that needs a script: every button sends a form, or stays hidden until a script shows it', () => {
    for (const { name, visit } of pages[language])
      for (const { attributes } of elementsOf(visit.body).filter((element) => element.name === 'button'))
        expect(
          attributes.type === 'submit' ||
            attributes.popovertarget !== undefined || // the browser itself opens it
            attributes.hidden === '' ||
            attributes.class?.startsWith('service-signin-btn'), // a preview
          name,
        ).toBe(true);
  });

  test('hostile names are text, and nothing is shown that is no word', () => {
    for (const { name, visit } of pages[language]) {
      expect(/<[ibu]>/.exec(visit.body), name).toBeNull();
      const words = visit.body.replace(/<pre\b[\s\S]*?<\/pre>/g, '');
      expect(/>[^<]*(?:\bundefined\b|\[object|\bNaN\b)/.exec(words), name).toBeNull();
    }
  });
});

test('the two languages share no title but names: nothing was left untranslated', () => {
  // A mail has the language of its recipient.
  const titles = (language: 'fr' | 'en') =>
    pages[language].flatMap(({ name, visit }) =>
      name.startsWith('/dev/mail/') ? [] : [titleOf(visit.body)],
    );
  const shared = titles('fr').filter((title) => titles('en').includes(title));
  expect(
    shared.filter(
      (title) =>
        !/^(Carnet|Applications|Agents|Grace Hopper|scribe\.example|(Notes|Zoé) &.*|Zoé .*)$/.test(title),
    ),
  ).toEqual([]);
});

describe('headers of every page', () => {
  test('nothing inline, no frames, no sniffing, no cache, no referrer to others', () => {
    for (const { name, status, visit, pending } of [...pages.fr, ...pages.en]) {
      const get = (header: string) => visit.headers.get(header);
      expect(get('x-content-type-options'), name).toBe('nosniff');
      // The application may look at the Origin of what the browser posts to it; the address of the page stays here.
      const leaves = visit.body.includes('data-submit');
      expect(get('referrer-policy'), name).toBe(leaves ? 'strict-origin' : 'same-origin');
      expect(get('cache-control'), name).toBe('no-store');
      expect(get('x-frame-options'), name).toBe('DENY');
      // A popup in which an application signs somebody in keeps its opener, also where a page reports an error.
      if (pending || visit.body.includes('class="incident"'))
        expect(get('cross-origin-opener-policy'), name).toBeNull();
      else if (status < 400) expect(get('cross-origin-opener-policy'), name).toBe('same-origin');
      expect(get('x-powered-by'), name).toBeNull();
      expect(get('strict-transport-security'), name).toBeNull();
      expect(get('access-control-allow-origin'), name).toBeNull();
    }
  });

  test('Content-Security-Policy: only our own styles, letters, scripts and pictures, forms to ourselves unless one ends at a callback', () => {
    for (const { name, visit, pending } of [...pages.fr, ...pages.en])
      expect((visit.headers.get('content-security-policy') ?? '').split('; ').sort(), name).toEqual(
        [
          "base-uri 'none'",
          "default-src 'none'",
          "frame-ancestors 'none'",
          "font-src 'self'",
          "img-src 'self'",
          "script-src 'self'",
          "style-src 'self'",
          // A script asks us how strong a new password is, or for another challenge.
          ...(/ data-(strength|passkey)="/.test(visit.body) ? ["connect-src 'self'"] : []),
          ...(pending ? [] : ["form-action 'self'"]),
        ].sort(),
      );
  });

  test('weighs less than 60 kB on its way, pictures aside', async () => {
    const sizes = new Map<string, number>();
    const sizeOf = async (address: string): Promise<number> => {
      const known = sizes.get(address);
      if (known !== undefined) return known;
      const headers = { 'accept-encoding': 'gzip, br' };
      const answer = await httpRequest(service.parts.config.port, address, { headers });
      const size = Number(header(answer, 'content-length'));
      expect([answer.status, size > 0], address).toEqual([200, true]);
      sizes.set(address, size);
      return size;
    };
    const heavy: [name: string, bytes: number][] = [];
    for (const { name, visit } of [...pages.fr, ...pages.en]) {
      let bytes = Buffer.byteLength(visit.body);
      for (const { name: element, attributes } of elementsOf(visit.body)) {
        const fetched =
          element === 'script' ? attributes.src : element === 'link' ? attributes.href : undefined;
        if (fetched !== undefined && attributes.rel !== 'icon') bytes += await sizeOf(fetched);
      }
      if (bytes >= 60_000) heavy.push([name, bytes]);
    }
    expect(heavy).toEqual([]);
    expect([...sizes.keys()]).toEqual(
      expect.arrayContaining(['/sesame.css', '/fonts/figtree.woff2', '/page.js']),
    );
  });

  test('what a page fetches is there and of the right type', async () => {
    const fetched = new Map<string, RegExp>();
    for (const { visit } of pages.en)
      for (const { name, attributes } of elementsOf(visit.body)) {
        if (name === 'img') fetched.set(attributes.src ?? '', /^image\/(svg\+xml; charset=utf-8|webp|png)$/);
        if (name === 'script') fetched.set(attributes.src ?? '', /^text\/javascript; charset=utf-8$/);
        if (attributes.rel === 'stylesheet') fetched.set(attributes.href ?? '', /^text\/css; charset=utf-8$/);
      }
    expect(fetched.size).toBeGreaterThanOrEqual(3);
    for (const [address, type] of fetched) {
      const { status, headers } = await sendExactly(new URL(address, service.baseUrl));
      expect([status, headers.get('content-type'), headers.get('x-content-type-options')], address).toEqual([
        200,
        expect.stringMatching(type),
        'nosniff',
      ]);
    }
  });

  test('redirects are not cached and send no referrer to others either', async () => {
    for (const path of ['/signout', '/consent']) {
      const { status, headers } = await sendExactly(new URL(path, service.baseUrl));
      expect([status, headers.get('cache-control'), headers.get('referrer-policy')], path).toEqual([
        303,
        'no-store',
        'same-origin',
      ]);
    }
  });

  test('an address that cannot be decoded is answered like any other page', async () => {
    const { status, headers, body } = await sendExactly(`${service.baseUrl}/%zz`, {
      headers: { accept: 'text/html' },
    });
    expect(status).toBe(404);
    expect(markupFaults(body)).toEqual([]);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('same-origin');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
  });

  test('HSTS comes over HTTPS only, as a trusted proxy tells it (D26)', async () => {
    await using behindProxy = await startTestService({
      BASE_URL: 'https://signin.example',
      TRUSTED_PROXIES: '127.0.0.1',
    });
    const ask = (headers: Record<string, string>) =>
      sendExactly(`http://127.0.0.1:${behindProxy.parts.config.port}/signin`, { headers });
    const hsts = (await ask({ 'x-forwarded-proto': 'https' })).headers.get('strict-transport-security');
    expect(Number(/^max-age=(\d+)/.exec(hsts ?? '')?.[1])).toBeGreaterThanOrEqual(31_536_000);
    expect((await ask({})).headers.get('strict-transport-security')).toBeNull();
  });
});

describe('methods of pages (D17)', () => {
  test.each([
    ['/', ['GET', 'HEAD']],
    ['/signin', ['GET', 'HEAD', 'POST']],
    ['/signup', ['GET', 'HEAD', 'POST']],
    ['/signout', ['GET', 'HEAD', 'POST']],
    ['/consent', ['GET', 'HEAD', 'POST']],
    ['/account/applications/withdraw', ['GET', 'HEAD', 'POST']],
  ])('%s takes %j, anything else is 405 with Allow', async (path, allowed) => {
    for (const method of ['PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const { status, headers } = await sendExactly(new URL(path, service.baseUrl), { method });
      expect([method, status, headers.get('allow')?.split(', ').sort()]).toEqual([method, 405, allowed]);
    }
  });
});
