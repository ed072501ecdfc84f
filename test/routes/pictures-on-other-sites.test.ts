// Pictures that other sites show: the logo of the button, and the generated avatars of userinfo (contract §1, D20).
import { afterAll, describe, expect, test } from 'vitest';
import { sendExactly } from '../support/exact-request.ts';
import { obtainTokens, signedInBrowser, userinfo } from '../support/flow.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService({ RATE_LIMIT_PER_MINUTE: '40' });
afterAll(() => service.close());

const SVG = 'image/svg+xml; charset=utf-8';

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

  test('markup in the address stays text', async () => {
    const { body } = await sendExactly(
      `${service.baseUrl}/avatars/initials/${encodeURIComponent('<b>')}-1.svg`,
    );
    expect(body).not.toContain('<b');
  });
});
