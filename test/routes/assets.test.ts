// Static files: logo, styles, generated avatars (contract §1, D20, D25).
import { afterAll, describe, expect, test } from 'vitest';
import { expectError, header } from '../support/expect-error.ts';
import { httpRequest } from '../support/http-request.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService({ RATE_LIMIT_PER_MINUTE: '40' });
const port = service.parts.config.port;
afterAll(() => service.close());

const FILES = [
  ['/images/logo.svg', 'image/svg+xml; charset=utf-8'],
  ['/favicon.ico', 'image/svg+xml; charset=utf-8'],
  ['/sesame.css', 'text/css; charset=utf-8'],
  ['/button.css', 'text/css; charset=utf-8'],
  ['/fonts/figtree.woff2', 'font/woff2'],
] as const;

describe('static files', () => {
  test.each(FILES)(
    '%s answers as %s, embeddable from any other site, and may be cached',
    async (path, type) => {
      const answer = await httpRequest(port, path);
      expect(answer.status).toBe(200);
      expect(header(answer, 'content-type')).toBe(type);
      expect(header(answer, 'cross-origin-resource-policy')).toBe('cross-origin');
      expect(header(answer, 'cache-control')).toMatch(/^public, max-age=\d+$/);
      expect(header(answer, 'x-content-type-options')).toBe('nosniff');
      expect(answer.text.length).toBeGreaterThan(50);
      const head = await httpRequest(port, path, { method: 'HEAD' });
      expect([head.status, head.text]).toEqual([200, '']);
    },
  );

  test('contract §1: the logo is an SVG of equal width and height without script or outside references', async () => {
    const { text } = await httpRequest(port, '/images/logo.svg');
    const [, width, height] = /viewBox="0 0 (\d+) (\d+)"/.exec(text) ?? [];
    expect(width).toBeDefined();
    expect(width).toBe(height);
    expect(text).not.toMatch(/<script|href=|\son\w+=|url\(/i);
  });

  test('contract §1: the button style has the official constants', async () => {
    const { text } = await httpRequest(port, '/button.css');
    for (const constant of [
      '.service-signin-btn',
      '.service-signin-btn--dark',
      'padding: 10px 20px',
      'border-radius: 10px',
      'gap: 10px',
      '#e5e7eb',
      '#4f46e5',
      '#818cf8',
      '#4338ca',
      '0 4px 12px rgba(99, 102, 241, 0.15)',
      '0 1px 3px rgba(0, 0, 0, 0.08)',
      'all 0.2s ease',
    ])
      expect(text).toContain(constant);
    expect(text).toMatch(/min-height: 4\dpx|min-height: [5-9]\dpx/);
  });

  test('a file is not sent again to a client that has it (ETag)', async () => {
    const path = '/sesame.css';
    const first = await httpRequest(port, path);
    const headers = { 'if-none-match': String(header(first, 'etag')) };
    const second = await httpRequest(port, path, { headers });
    expect([second.status, second.text]).toEqual([304, '']);
  });

  test('styles and scripts go out packed to whoever takes Brotli, and as they are to others', async () => {
    const sizes = await Promise.all(
      ['gzip, deflate, br', 'gzip', 'br;q=0', ''].map(async (encodings) => {
        const headers: Record<string, string> = encodings === '' ? {} : { 'accept-encoding': encodings };
        const answer = await httpRequest(port, '/sesame.css', { headers });
        expect(header(answer, 'vary')).toBe('accept-encoding');
        return [header(answer, 'content-encoding'), Number(header(answer, 'content-length'))] as const;
      }),
    );
    const [[packed, few], ...others] = sizes as [(typeof sizes)[0], ...typeof sizes];
    expect([packed, new Set(others.map(([encoding]) => encoding))]).toEqual(['br', new Set([null])]);
    for (const [, many] of others) expect(few).toBeLessThan(many / 2);
  });

  test('there is no way out of the fixed map', async () => {
    for (const path of [
      '/images/../../package.json',
      '/images/..%2f..%2fpackage.json',
      '/images/%2e%2e/%2e%2e/package.json',
      '/package.json',
      '/src/public/logo.svg',
      '/images/',
      '/images/logo.svg/',
      '/images/logo.svg%00.css',
      '//images/logo.svg',
    ])
      expectError(await httpRequest(port, path), 404, 'not_found');
  });
});
