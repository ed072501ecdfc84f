// Pictures that other sites show: the logo of the button, and the generated avatars of userinfo (contract §1, D20).
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sendExactly } from '../support/exact-request.ts';
import { obtainTokens, signedInBrowser, userinfo } from '../support/flow.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ RATE_LIMIT_PER_MINUTE: '40' });
});
afterAll(() => service.close());

const SVG = 'image/svg+xml; charset=utf-8';

describe('the logo', () => {
  test('is an SVG that any site may embed and any browser may keep for a while', async () => {
    const { status, headers, body } = await sendExactly(`${service.baseUrl}/images/logo.svg`, {
      headers: {
        origin: 'https://client.example',
        'sec-fetch-site': 'cross-site',
        'sec-fetch-dest': 'image',
      },
    });
    expect([status, headers.get('content-type')]).toEqual([200, SVG]);
    expect(headers.get('cross-origin-resource-policy')).toBe('cross-origin');
    expect(headers.get('cache-control')).toMatch(/^public, max-age=\d+/);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(body).toMatch(/^<svg [^>]*xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
    expect(body).not.toMatch(/<script|<style|\son\w+=|href=/i);
    expect(headers.getSetCookie()).toEqual([]);
  });

  test('is not sent again to who has it (RFC 9110 §13.1.2)', async () => {
    const { headers } = await sendExactly(`${service.baseUrl}/images/logo.svg`);
    const again = await sendExactly(`${service.baseUrl}/images/logo.svg`, {
      headers: { 'if-none-match': headers.get('etag') ?? '' },
    });
    expect([again.status, again.body]).toEqual([304, '']);
  });

  test('answers HEAD', async () => {
    const { status, headers, body } = await sendExactly(`${service.baseUrl}/images/logo.svg`, {
      method: 'HEAD',
    });
    expect([status, headers.get('content-type'), body]).toEqual([200, SVG, '']);
  });

  test('does not count against the rate limit (D25)', async () => {
    const statuses = await Promise.all(
      Array.from(
        { length: 60 },
        async () => (await sendExactly(`${service.baseUrl}/images/logo.svg`)).status,
      ),
    );
    expect(new Set(statuses)).toEqual(new Set([200]));
  });
});

describe('avatars', () => {
  test.each([['Ada Lovelace'], ['★'], ['Ὀδυσσεύς'], ['山田 太郎'], ['ß'], ['/../ #?&'], ['Zoé']])(
    'the address that userinfo gives for %j answers with a picture that any site may embed (D20)',
    async (name) => {
      const open = await startTestService();
      try {
        const application = await open.createApplication();
        const browser = await signedInBrowser(open, await open.createUser({ name }));
        const { accessToken } = await obtainTokens(open, application, browser);
        const { body } = await userinfo(open, accessToken);
        expect(new URL(String(body.avatar)).origin).toBe(open.baseUrl);
        const picture = await sendExactly(String(body.avatar));
        expect([picture.status, picture.headers.get('content-type')]).toEqual([200, SVG]);
        expect(picture.headers.get('cross-origin-resource-policy')).toBe('cross-origin');
        expect(picture.headers.get('content-security-policy')).toBe("default-src 'none'");
        expect(picture.body).toMatch(/^<svg [\s\S]*<\/svg>\s*$/);
      } finally {
        await open.close();
      }
    },
  );

  test.each(['AL-8.svg', 'AL.svg', 'ABCDE-1.svg', 'AL-1.png', '-1.svg'])('%s is none: 404', async (file) => {
    expect((await sendExactly(`${service.baseUrl}/avatars/initials/${file}`)).status).toBe(404);
  });

  test('markup in the address stays text', async () => {
    const { body } = await sendExactly(
      `${service.baseUrl}/avatars/initials/${encodeURIComponent('<b>')}-1.svg`,
    );
    expect(body).not.toContain('<b');
  });
});
