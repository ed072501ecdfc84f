// What an operator put in place of ours, as it is served: logo, accent.
import { readFile } from 'node:fs/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { openBrowserSession } from '../support/browser-session.ts';
import { header } from '../support/expect-error.ts';
import { type HttpAnswer, httpRequest } from '../support/http-request.ts';
import { brandedHouse, startTestService, type TestService } from '../support/service.ts';

const house = brandedHouse();
const [ours, own] = await Promise.all([startTestService(), startTestService(house)]);
afterAll(() => Promise.all([ours.close(), own.close()]));

const fetchFrom = (service: TestService, path: string): Promise<HttpAnswer> =>
  httpRequest(service.parts.config.port, path);

describe('the accent', () => {
  test('stands last in the stylesheet of every page, for light and dark, under an ETag of its own', async () => {
    const [before, after] = [await fetchFrom(ours, '/sesame.css'), await fetchFrom(own, '/sesame.css')];
    expect(after.text.startsWith(before.text)).toBe(true);
    const added = after.text.slice(before.text.length);
    expect(added).toMatch(/^:root \{ --accent: #0b6e4f; [^}]+\}\n@media \(prefers-color-scheme: dark\)/);
    expect(header(after, 'etag')).not.toBe(header(before, 'etag'));
  });

  test('leaves the button alone, whose rules fix its colours (contract §1)', async () => {
    const [before, after] = [await fetchFrom(ours, '/button.css'), await fetchFrom(own, '/button.css')];
    expect(after.text).toBe(before.text);
  });
});

describe('the logo', () => {
  test('is the operator’s at its public URL and in the tab', async () => {
    for (const path of ['/images/logo.svg', '/favicon.ico']) {
      const answer = await fetchFrom(own, path);
      expect(answer.text, path).toBe(await readFile(house.LOGO_FILE ?? '', 'utf8'));
      expect(header(answer, 'content-type'), path).toBe('image/svg+xml; charset=utf-8');
      expect(header(answer, 'cross-origin-resource-policy'), path).toBe('cross-origin');
    }
  });

  test('opened by itself, it can neither fetch nor run anything', async () => {
    const answer = await fetchFrom(own, '/images/logo.svg');
    expect(header(answer, 'content-security-policy')).toMatch(/^default-src 'none';.*; sandbox$/);
    expect(header(answer, 'x-content-type-options')).toBe('nosniff');
  });

  test('that is no SVG is sent inside one', async () => {
    const raster = await startTestService({ LOGO_FILE: 'src/mail/logo.png' });
    try {
      const answer = await fetchFrom(raster, '/images/logo.svg');
      expect(header(answer, 'content-type')).toBe('image/svg+xml; charset=utf-8');
      expect(answer.text).toMatch(/^<svg [^>]+><image [^>]+href="data:image\/png;base64,[^"]+"\/><\/svg>\n$/);
    } finally {
      await raster.close();
    }
  });
});

describe('nothing of ours stays where the operator put theirs', () => {
  test('no page says our name', async () => {
    const browser = openBrowserSession(own.baseUrl);
    for (const path of ['/', '/signin', '/signup', '/password/forgot', '/button', '/no/such/page']) {
      const { body } = await browser.get(path, { 'accept-language': 'fr' });
      // The stylesheet’s address is nobody’s name.
      expect(body.replaceAll('/sesame.css', ''), path).not.toMatch(/s[ée]same/i);
    }
  });
});
