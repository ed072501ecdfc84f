// An application's logo: forms that bring a file go through the same door as all others, and no further than they may.
import { randomBytes } from 'node:crypto';
import sharp from 'sharp';
import { beforeAll, describe, expect, test } from 'vitest';
import { findOwnApplication } from '../../../src/store/applications.ts';
import type { BrowserSession, Visit } from '../../support/browser-session.ts';
import { at } from '../../support/console.ts';
import { signedInBrowser } from '../../support/flow.ts';
import { httpRequest } from '../../support/http-request.ts';
import { elementsOf, fieldError, headingOf } from '../../support/markup.ts';
import { halves } from '../../support/pictures.ts';
import { useTestService } from '../../support/service.ts';
import { upload } from '../../support/upload.ts';

const service = useTestService();
let picture: Buffer;
beforeAll(async () => {
  picture = await halves().png().toBuffer();
});

async function developer() {
  const user = await service.createUser();
  const { clientId } = await service.createApplication({ ownerId: user.userId });
  const browser = await signedInBrowser(service, user);
  const { hidden } = await browser.get(at(clientId, '/logo'));
  const logo = async () =>
    (await findOwnApplication(service.parts.database, user.userId, clientId))?.logo ?? undefined;
  return { user, clientId, browser, csrf: hidden.csrf ?? '', logo };
}

const send = (
  { browser, clientId, csrf }: { browser: BrowserSession; clientId: string; csrf: string },
  content: Buffer,
  fields: Record<string, string> = {},
): Promise<Visit> =>
  upload(
    browser,
    at(clientId, '/logo'),
    { csrf, ...fields },
    { name: 'logo', content, fileName: 'logo.png' },
  );

const fetchPicture = (path: string, headers = {}) =>
  httpRequest(service.parts.config.port, path, { headers });

describe('a logo', () => {
  test('is encoded anew, shown on the page, and served at an address of its own', async () => {
    const one = await developer();
    const answer = await send(one, picture);
    expect([answer.status, answer.location?.search]).toEqual([303, '?done=logo']);
    const { body } = await one.browser.follow(answer);
    const src = elementsOf(body).find(({ attributes }) => attributes.class === 'logo')?.attributes.src ?? '';
    expect(src).toBe(`/pictures/${await one.logo()}`);
    const file = await fetch(new URL(src, service.baseUrl));
    expect(file.status).toBe(200);
    expect(file.headers.get('content-type')).toBe('image/webp');
    expect(file.headers.get('cache-control')).toBe('public, no-cache');
    expect(file.headers.get('x-content-type-options')).toBe('nosniff');
    expect(file.headers.get('content-security-policy')).toBe("default-src 'none'");
    const { width, height } = await sharp(await file.arrayBuffer()).metadata();
    expect([width, height]).toEqual([256, 256]);
  });

  test('is replaced by the next one and taken away', async () => {
    const one = await developer();
    await send(one, picture);
    const first = await one.logo();
    await send(one, await sharp(picture).negate().png().toBuffer());
    expect(await one.logo()).not.toBe(first);
    const answer = await send(one, Buffer.alloc(0), { remove: 'yes' });
    expect([answer.status, answer.location?.search]).toEqual([303, '?done=logo-removed']);
    expect(await one.logo()).toBeUndefined();
  });

  test('is not found where there is none', async () => {
    for (const hash of ['', 'x', 'A'.repeat(43), `${'A'.repeat(42)}%00`, '..%2f..%2fetc%2fpasswd'])
      expect([hash, (await fetchPicture(`/pictures/${hash}`)).status]).toEqual([hash, 404]);
  });
});

describe('what is no picture', () => {
  test('is refused in words, and the logo stays', async () => {
    const one = await developer();
    await send(one, picture);
    const before = await one.logo();
    const refused = await send(one, Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'));
    expect(refused.status).toBe(400);
    expect(fieldError(refused.body, 'logo')).toContain('We cannot read this picture');
    const none = await send(one, Buffer.alloc(0));
    expect([none.status, fieldError(none.body, 'logo')]).toEqual([400, 'Choose a file.']);
    expect(await one.logo()).toBe(before);
  });

  test('beyond 2 MB it is refused with 413 and a page that says so, once all of it was sent', async () => {
    const one = await developer();
    const refused = await send(one, randomBytes(5 * 1024 * 1024));
    expect([refused.status, headingOf(refused.body)]).toEqual([413, 'This file is too large']);
    expect(await one.logo()).toBeUndefined();
  });
});

const BOUNDARY = 'boundary-of-the-tests-0123456789';

describe('the form', () => {
  const multipart = (fields: [string, string][], boundary = BOUNDARY) =>
    `${fields
      .map(
        ([name, value]) =>
          `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
      )
      .join('')}--${boundary}--\r\n`;
  const raw = (
    { browser, clientId }: { browser: BrowserSession; clientId: string },
    body: string,
    { type = `multipart/form-data; boundary=${BOUNDARY}`, below = '/logo' } = {},
  ) =>
    browser.send(at(clientId, below), {
      method: 'POST',
      body,
      headers: { 'content-type': type, 'sec-fetch-site': 'same-origin' },
    });

  test('without a token, or with a made-up one, a file is refused with 403', async () => {
    const one = await developer();
    for (const csrf of ['', 'A'.repeat(43)]) expect((await send(one, picture, { csrf })).status).toBe(403);
    expect(await one.logo()).toBeUndefined();
  });

  test('a token that is sent twice, or in the query, is none', async () => {
    const one = await developer();
    const twice = multipart([
      ['csrf', one.csrf],
      ['csrf', one.csrf],
      ['remove', 'yes'],
    ]);
    expect((await raw(one, twice)).status).toBe(403);
    const inQuery = await one.browser.send(`${at(one.clientId, '/logo')}?csrf=${one.csrf}`, {
      method: 'POST',
      body: multipart([['remove', 'yes']]),
      headers: {
        'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
        'sec-fetch-site': 'same-origin',
      },
    });
    expect(inQuery.status).toBe(403);
  });

  test('a body that cannot be read is refused with 400, never with 500', async () => {
    const one = await developer();
    const unended = '--x\r\nContent-Disposition: form-data; name="csrf"\r\n\r\nx';
    for (const [type, body] of [
      ['multipart/form-data', 'x'],
      ['multipart/form-data; boundary=x', ''],
      ['multipart/form-data; boundary=x', unended],
      ['multipart/form-data; boundary=x', '{"csrf": 1}'],
      ['application/json', '{}'],
      ['multipart/mixed; boundary=x', '--x--\r\n'],
    ] as const)
      expect([body, (await raw(one, body, { type })).status]).toEqual([body, 400]);
  });

  test('other pages take no files: 400, and nothing is read', async () => {
    const one = await developer();
    expect((await raw(one, multipart([['csrf', one.csrf]]), { below: '/delete' })).status).toBe(400);
  });
});
