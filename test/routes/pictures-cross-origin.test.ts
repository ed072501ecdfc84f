import { afterAll, describe, expect, test } from 'vitest';
import { sendExactRequest } from '../support/exact-response.ts';
import { fetchUserinfo, obtainTokens, openSignedInBrowser } from '../support/oauth-flow.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService({ RATE_LIMIT_PER_MINUTE: '40' });
afterAll(() => service.close());

const SVG_TYPE = 'image/svg+xml; charset=utf-8';

describe('a generated avatar', () => {
  test.each([['Ada Lovelace'], ['★'], ['Ὀδυσσεύς'], ['山田 太郎'], ['ß'], ['/../ #?&'], ['Zoé']])(
    'for the name %j may be embedded by any site',
    async (name) => {
      const isolatedService = await startTestService();
      try {
        const client = await isolatedService.createClient();
        const browser = await openSignedInBrowser(
          isolatedService,
          await isolatedService.createUser({ name }),
        );
        const { accessToken } = await obtainTokens(isolatedService, client, browser);
        const { body } = await fetchUserinfo(isolatedService, accessToken);
        expect(new URL(String(body.avatar)).origin).toBe(isolatedService.baseUrl);
        const picture = await sendExactRequest(String(body.avatar));
        expect([picture.status, picture.headers.get('content-type')]).toEqual([200, SVG_TYPE]);
        expect(picture.headers.get('cross-origin-resource-policy')).toBe('cross-origin');
        expect(picture.headers.get('content-security-policy')).toBe("default-src 'none'");
        expect(picture.body).toMatch(/^<svg [\s\S]*<\/svg>\s*$/);
      } finally {
        await isolatedService.close();
      }
    },
  );

  test('contains no markup from its URL', async () => {
    const { body } = await sendExactRequest(
      `${service.baseUrl}/avatars/initials/${encodeURIComponent('<b>')}-1.svg`,
    );
    expect(body).not.toContain('<b');
  });
});
