import { afterAll, describe, expect, test } from 'vitest';
import { expectError, getHeader } from '../support/expect-error.ts';
import { sendHttpRequest } from '../support/http-request.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService({ RATE_LIMIT_PER_MINUTE: '40' });
const port = service.services.config.port;
afterAll(() => service.close());

const FILES = [
  ['/images/logo.svg', 'image/svg+xml; charset=utf-8'],
  ['/favicon.ico', 'image/svg+xml; charset=utf-8'],
  ['/sesame.css', 'text/css; charset=utf-8'],
  ['/button.css', 'text/css; charset=utf-8'],
  ['/fonts/figtree.woff2', 'font/woff2'],
] as const;

describe('static files', () => {
  test.each(FILES)('include %s of type %s', async (path, type) => {
    const response = await sendHttpRequest(port, path);
    expect(response.status).toBe(200);
    expect(getHeader(response, 'content-type')).toBe(type);
    expect(getHeader(response, 'cross-origin-resource-policy')).toBe('cross-origin');
    expect(getHeader(response, 'cache-control')).toMatch(/^public, max-age=\d+$/);
    expect(getHeader(response, 'x-content-type-options')).toBe('nosniff');
    expect(response.text.length).toBeGreaterThan(50);
    const head = await sendHttpRequest(port, path, { method: 'HEAD' });
    expect([head.status, head.text]).toEqual([200, '']);
  });

  test('include a square SVG logo without scripts or external references', async () => {
    const { text } = await sendHttpRequest(port, '/images/logo.svg');
    const [, width, height] = /viewBox="0 0 (\d+) (\d+)"/.exec(text) ?? [];
    expect(width).toBeDefined();
    expect(width).toBe(height);
    expect(text).not.toMatch(/<script|href=|\son\w+=|url\(/i);
  });

  test('include a button stylesheet with the specified sizes and colors', async () => {
    const { text } = await sendHttpRequest(port, '/button.css');
    for (const declaration of [
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
      expect(text).toContain(declaration);
    expect(text).toMatch(/min-height: 4\dpx|min-height: [5-9]\dpx/);
  });

  test('are revalidated with a 304 response if the ETag is current', async () => {
    const path = '/sesame.css';
    const fullResponse = await sendHttpRequest(port, path);
    const headers = { 'if-none-match': String(getHeader(fullResponse, 'etag')) };
    const conditionalResponse = await sendHttpRequest(port, path, { headers });
    expect([conditionalResponse.status, conditionalResponse.text]).toEqual([304, '']);
  });

  test('include Brotli-compressed stylesheets', async () => {
    const sizes = await Promise.all(
      ['gzip, deflate, br', 'gzip', 'br;q=0', ''].map(async (encodings) => {
        const headers: Record<string, string> = encodings === '' ? {} : { 'accept-encoding': encodings };
        const response = await sendHttpRequest(port, '/sesame.css', { headers });
        expect(getHeader(response, 'vary')).toBe('accept-encoding');
        return [
          getHeader(response, 'content-encoding'),
          Number(getHeader(response, 'content-length')),
        ] as const;
      }),
    );
    const [[encoding, compressedSize], ...others] = sizes as [(typeof sizes)[0], ...typeof sizes];
    expect([encoding, new Set(others.map(([otherEncoding]) => otherEncoding))]).toEqual([
      'br',
      new Set([null]),
    ]);
    for (const [, size] of others) expect(compressedSize).toBeLessThan(size / 2);
  });

  test('are not served at any other path', async () => {
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
      expectError(await sendHttpRequest(port, path), 404, 'not_found');
  });
});
