import { readFile } from 'node:fs/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { openBrowserSession } from '../support/browser-session.ts';
import { getHeader } from '../support/expect-error.ts';
import { type HttpResponse, sendHttpRequest } from '../support/http-request.ts';
import { createBranding, startTestService, type TestService } from '../support/service.ts';

const branding = createBranding();
const [unbranded, branded] = await Promise.all([startTestService(), startTestService(branding)]);
afterAll(() => Promise.all([unbranded.close(), branded.close()]));

const get = (service: TestService, path: string): Promise<HttpResponse> =>
  sendHttpRequest(service.services.config.port, path);

describe('the accent color', () => {
  test('is appended to the stylesheet for both light and dark mode', async () => {
    const [before, after] = [await get(unbranded, '/sesame.css'), await get(branded, '/sesame.css')];
    expect(after.text.startsWith(before.text)).toBe(true);
    const added = after.text.slice(before.text.length);
    expect(added).toMatch(/^:root \{ --accent: #0b6e4f; [^}]+\}\n@media \(prefers-color-scheme: dark\)/);
    expect(getHeader(after, 'etag')).not.toBe(getHeader(before, 'etag'));
  });

  test('does not change the button’s stylesheet', async () => {
    const [before, after] = [await get(unbranded, '/button.css'), await get(branded, '/button.css')];
    expect(after.text).toBe(before.text);
  });
});

describe('the logo', () => {
  test('replaces the default logo and the favicon', async () => {
    for (const path of ['/images/logo.svg', '/favicon.ico']) {
      const response = await get(branded, path);
      expect(response.text, path).toBe(await readFile(branding.LOGO_FILE ?? '', 'utf8'));
      expect(getHeader(response, 'content-type'), path).toBe('image/svg+xml; charset=utf-8');
      expect(getHeader(response, 'cross-origin-resource-policy'), path).toBe('cross-origin');
    }
  });

  test('is sent with a content security policy that blocks scripts and requests', async () => {
    const response = await get(branded, '/images/logo.svg');
    expect(getHeader(response, 'content-security-policy')).toMatch(/^default-src 'none';.*; sandbox$/);
    expect(getHeader(response, 'x-content-type-options')).toBe('nosniff');
  });

  test('is wrapped in an SVG if it is a raster image', async () => {
    const raster = await startTestService({ LOGO_FILE: 'src/mail/logo.png' });
    try {
      const response = await get(raster, '/images/logo.svg');
      expect(getHeader(response, 'content-type')).toBe('image/svg+xml; charset=utf-8');
      expect(response.text).toMatch(
        /^<svg [^>]+><image [^>]+href="data:image\/png;base64,[^"]+"\/><\/svg>\n$/,
      );
    } finally {
      await raster.close();
    }
  });
});

describe('the default service name', () => {
  test('does not appear on any page of a renamed service', async () => {
    const browser = openBrowserSession(branded.baseUrl);
    for (const path of ['/', '/signin', '/signup', '/password/forgot', '/button', '/no/such/page']) {
      const { body } = await browser.get(path, { 'accept-language': 'fr' });
      expect(body.replaceAll('/sesame.css', ''), path).not.toMatch(/s[ée]same/i);
    }
  });
});
