import { randomBytes } from 'node:crypto';
import sharp from 'sharp';
import { beforeAll, describe, expect, test } from 'vitest';
import { findOwnedClient } from '../../../src/store/owned-clients.ts';
import type { BrowserSession, Visit } from '../../support/browser-session.ts';
import { clientPath } from '../../support/console-forms.ts';
import { sendHttpRequest } from '../../support/http-request.ts';
import { parseElements, readFieldError, readHeading } from '../../support/markup.ts';
import { openSignedInBrowser } from '../../support/oauth-flow.ts';
import { createTwoColorPicture } from '../../support/pictures.ts';
import { useTestService } from '../../support/service.ts';
import { upload } from '../../support/upload.ts';

const service = useTestService();
let picture: Buffer;
beforeAll(async () => {
  picture = await createTwoColorPicture().png().toBuffer();
});

async function createDeveloper() {
  const user = await service.createUser();
  const { clientId } = await service.createClient({ ownerId: user.userId });
  const browser = await openSignedInBrowser(service, user);
  const { hidden } = await browser.get(clientPath(clientId, '/logo'));
  const findLogo = async () =>
    (await findOwnedClient(service.services.database, user.userId, clientId))?.logo ?? undefined;
  return { user, clientId, browser, csrf: hidden.csrf ?? '', logo: findLogo };
}

const uploadLogo = (
  { browser, clientId, csrf }: { browser: BrowserSession; clientId: string; csrf: string },
  content: Buffer,
  fields: Record<string, string> = {},
): Promise<Visit> =>
  upload(
    browser,
    clientPath(clientId, '/logo'),
    { csrf, ...fields },
    { name: 'logo', content, fileName: 'logo.png' },
  );

const fetchPicture = (path: string, headers = {}) =>
  sendHttpRequest(service.services.config.port, path, { headers });

describe("an application's logo", () => {
  test('is converted to a WebP image of 256 × 256 pixels', async () => {
    const developer = await createDeveloper();
    const response = await uploadLogo(developer, picture);
    expect([response.status, response.location?.search]).toEqual([303, '?done=logo']);
    const { body } = await developer.browser.follow(response);
    const src =
      parseElements(body).find(({ attributes }) => attributes.class === 'logo')?.attributes.src ?? '';
    expect(src).toBe(`/pictures/${await developer.logo()}`);
    const file = await fetch(new URL(src, service.baseUrl));
    expect(file.status).toBe(200);
    expect(file.headers.get('content-type')).toBe('image/webp');
    expect(file.headers.get('cache-control')).toBe('public, no-cache');
    expect(file.headers.get('x-content-type-options')).toBe('nosniff');
    expect(file.headers.get('content-security-policy')).toBe("default-src 'none'");
    const { width, height } = await sharp(await file.arrayBuffer()).metadata();
    expect([width, height]).toEqual([256, 256]);
  });

  test('can be replaced and removed', async () => {
    const developer = await createDeveloper();
    await uploadLogo(developer, picture);
    const first = await developer.logo();
    await uploadLogo(developer, await sharp(picture).negate().png().toBuffer());
    expect(await developer.logo()).not.toBe(first);
    const response = await uploadLogo(developer, Buffer.alloc(0), { remove: 'yes' });
    expect([response.status, response.location?.search]).toEqual([303, '?done=logo-removed']);
    expect(await developer.logo()).toBeUndefined();
  });

  test('is not served if the hash in the URL is unknown', async () => {
    for (const hash of ['', 'x', 'A'.repeat(43), `${'A'.repeat(42)}%00`, '..%2f..%2fetc%2fpasswd'])
      expect([hash, (await fetchPicture(`/pictures/${hash}`)).status]).toEqual([hash, 404]);
  });
});

describe('an invalid logo', () => {
  test('is rejected with an explanation', async () => {
    const developer = await createDeveloper();
    await uploadLogo(developer, picture);
    const before = await developer.logo();
    const rejected = await uploadLogo(developer, Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'));
    expect(rejected.status).toBe(400);
    expect(readFieldError(rejected.body, 'logo')).toContain('We cannot read this picture');
    const missingFile = await uploadLogo(developer, Buffer.alloc(0));
    expect([missingFile.status, readFieldError(missingFile.body, 'logo')]).toEqual([400, 'Choose a file.']);
    expect(await developer.logo()).toBe(before);
  });

  test('is rejected with 413 if the file exceeds 2 MB', async () => {
    const developer = await createDeveloper();
    const rejected = await uploadLogo(developer, randomBytes(5 * 1024 * 1024));
    expect([rejected.status, readHeading(rejected.body)]).toEqual([413, 'This file is too large']);
    expect(await developer.logo()).toBeUndefined();
  });
});

const BOUNDARY = 'boundary-of-the-tests-0123456789';

const encodeMultipart = (fields: [string, string][], boundary = BOUNDARY) =>
  `${fields
    .map(
      ([name, value]) =>
        `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
    )
    .join('')}--${boundary}--\r\n`;
const sendRaw = (
  { browser, clientId }: { browser: BrowserSession; clientId: string },
  body: string,
  { type = `multipart/form-data; boundary=${BOUNDARY}`, below = '/logo' } = {},
) =>
  browser.send(clientPath(clientId, below), {
    method: 'POST',
    body,
    headers: { 'content-type': type, 'sec-fetch-site': 'same-origin' },
  });

describe('the logo form', () => {
  test('is rejected with 403 without a valid CSRF token', async () => {
    const developer = await createDeveloper();
    for (const csrf of ['', 'A'.repeat(43)])
      expect((await uploadLogo(developer, picture, { csrf })).status).toBe(403);
    expect(await developer.logo()).toBeUndefined();
  });

  test('is rejected if the CSRF token is repeated', async () => {
    const developer = await createDeveloper();
    const repeatedToken = encodeMultipart([
      ['csrf', developer.csrf],
      ['csrf', developer.csrf],
      ['remove', 'yes'],
    ]);
    expect((await sendRaw(developer, repeatedToken)).status).toBe(403);
    const tokenInQuery = await developer.browser.send(
      `${clientPath(developer.clientId, '/logo')}?csrf=${developer.csrf}`,
      {
        method: 'POST',
        body: encodeMultipart([['remove', 'yes']]),
        headers: {
          'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
          'sec-fetch-site': 'same-origin',
        },
      },
    );
    expect(tokenInQuery.status).toBe(403);
  });

  test('is rejected with 400 if the body is malformed', async () => {
    const developer = await createDeveloper();
    const unterminated = '--x\r\nContent-Disposition: form-data; name="csrf"\r\n\r\nx';
    for (const [type, body] of [
      ['multipart/form-data', 'x'],
      ['multipart/form-data; boundary=x', ''],
      ['multipart/form-data; boundary=x', unterminated],
      ['multipart/form-data; boundary=x', '{"csrf": 1}'],
      ['application/json', '{}'],
      ['multipart/mixed; boundary=x', '--x--\r\n'],
    ] as const)
      expect([body, (await sendRaw(developer, body, { type })).status]).toEqual([body, 400]);
  });
});

test('a form without a file field rejects a multipart body', async () => {
  const developer = await createDeveloper();
  expect(
    (await sendRaw(developer, encodeMultipart([['csrf', developer.csrf]]), { below: '/delete' })).status,
  ).toBe(400);
});
