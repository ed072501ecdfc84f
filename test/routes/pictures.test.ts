import { createHash } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { moderateAccount } from '../../src/accounts/moderation.ts';
import { encodePicture } from '../../src/accounts/pictures.ts';
import type { BrowserSession } from '../support/browser-session.ts';
import { submitForm } from '../support/console-forms.ts';
import { sendExactRequest } from '../support/exact-response.ts';
import { parseElements } from '../support/markup.ts';
import { openSignedInBrowser } from '../support/oauth-flow.ts';
import { startTestService } from '../support/service.ts';
import { sql } from '../support/store-fixtures.ts';
import { createPicture, upload } from '../support/upload.ts';

const service = await startTestService();
afterAll(() => service.close());

interface SignedInUser {
  browser: BrowserSession;
  userId: string;
  email: string;
  csrf: string;
}

async function signInNewUser(): Promise<SignedInUser> {
  const user = await service.createUser();
  const browser = await openSignedInBrowser(service, user);
  const { csrf = '' } = (await browser.get('/account')).hidden;
  return { browser, userId: user.userId, email: user.email, csrf };
}

async function uploadPicture({ browser, csrf }: SignedInUser, color: string): Promise<string> {
  const file = { name: 'picture', content: await createPicture(color), fileName: 'me.png' };
  const { body } = await browser.follow(await upload(browser, '/account/picture', { csrf }, file));
  const { attributes } =
    parseElements(body).find(({ attributes: { class: name } }) => name?.startsWith('avatar')) ?? {};
  return attributes?.src ?? '';
}

async function uploadLogo({ browser }: SignedInUser, clientId: string, color = '#000000'): Promise<string> {
  const page = `/console/applications/${clientId}/logo`;
  const file = { name: 'logo', content: await createPicture(color), fileName: 'logo.png' };
  await upload(browser, page, (await browser.get(page)).hidden, file);
  const [client] = await sql(service.services.database, 'select logo from clients where client_id = $1', [
    clientId,
  ]);
  return `/pictures/${client?.logo}`;
}

const get = (path: string, headers: Record<string, string> = {}) =>
  sendExactRequest(service.baseUrl + path, { headers });
const fetchStatus = async (path: string) => (await get(path)).status;

describe('a picture', () => {
  test('is no longer served after its deletion', async () => {
    const owner = await signInNewUser();
    const path = await uploadPicture(owner, '#ff0000');
    const { headers } = await get(path);
    await owner.browser.post('/account/picture/remove', { csrf: owner.csrf });
    expect(await fetchStatus(path)).toBe(404);
    expect((await get(path, { 'if-none-match': headers.get('etag') ?? '' })).status).toBe(404);
    expect((await get(path)).headers.get('cache-control')).toBe('no-store');
  });

  test('is deleted when its account is deleted', async () => {
    const owner = await signInNewUser();
    const path = await uploadPicture(owner, '#ffff00');
    const response = await owner.browser.post('/account/delete', { csrf: owner.csrf, email: owner.email });
    expect(response.location?.search).toBe('?deleted=1');
    expect(await fetchStatus(path)).toBe(404);
  });

  test('is deleted with the owner’s logos when an administrator deletes the account', async () => {
    const owner = await signInNewUser();
    const path = await uploadPicture(owner, '#00ff00');
    const { clientId } = await service.createClient({ ownerId: owner.userId });
    const logo = await uploadLogo(owner, clientId);
    expect([await fetchStatus(path), await fetchStatus(logo)]).toEqual([200, 200]);
    await moderateAccount(service.services, 'delete', owner.userId, {}, service.clock.now());
    expect([await fetchStatus(path), await fetchStatus(logo)]).toEqual([404, 404]);
  });

  test('is deleted when it is replaced or its client is deleted', async () => {
    const owner = await signInNewUser();
    const name = 'Herbier';
    const { clientId } = await service.createClient({ ownerId: owner.userId, name });
    const [firstLogo, secondLogo] = [
      await uploadLogo(owner, clientId),
      await uploadLogo(owner, clientId, '#ffffff'),
    ];
    expect([await fetchStatus(firstLogo), await fetchStatus(secondLogo)]).toEqual([404, 200]);
    await submitForm(owner.browser, `/console/applications/${clientId}/delete`, { name });
    expect(await fetchStatus(secondLogo)).toBe(404);
    expect(
      await sql(service.services.database, 'select from pictures where hash = any ($1)', [
        [firstLogo, secondLogo].map((url) => url.split('/').at(-1)),
      ]),
    ).toEqual([]);
  });

  test('has a different URL for each owner', async () => {
    const [firstOwner, secondOwner] = [await signInNewUser(), await signInNewUser()];
    const [firstPath, secondPath] = [
      await uploadPicture(firstOwner, '#00ffff'),
      await uploadPicture(secondOwner, '#00ffff'),
    ];
    expect(secondPath).not.toBe(firstPath);
    await firstOwner.browser.post('/account/picture/remove', { csrf: firstOwner.csrf });
    expect([await fetchStatus(firstPath), await fetchStatus(secondPath)]).toEqual([404, 200]);
    // Resubmitting a form within 15 seconds returns the first response again.
    service.clock.advance(16);
    expect(await uploadPicture(firstOwner, '#00ffff'), 'the same picture after another upload').toBe(
      firstPath,
    );
    expect(await fetchStatus(firstPath)).toBe(200);
  });

  test('is deleted if a concurrent upload replaces it', async () => {
    const owner = await signInNewUser();
    await Promise.all(
      ['#111111', '#222222', '#111111', '#333333'].map((color) => uploadPicture(owner, color)),
    );
    const [account] = await sql(service.services.database, 'select picture_hash from users where id = $1', [
      owner.userId,
    ]);
    const hashes = ['#111111', '#222222', '#333333'].map(async (color) =>
      createHash('sha256')
        .update(`${owner.userId}:`)
        .update((await encodePicture(await createPicture(color))) ?? '')
        .digest('base64url'),
    );
    expect(
      await sql(
        service.services.database,
        'select hash as picture_hash from pictures where hash = any ($1)',
        [await Promise.all(hashes)],
      ),
    ).toEqual([account]);
  });
});

test('a cached picture is revalidated with 304 (RFC 9111 §5.2.2.4)', async () => {
  const path = await uploadPicture(await signInNewUser(), '#808080');
  const { headers } = await get(path);
  expect(headers.get('cache-control')).toBe('public, no-cache');
  const revalidated = await get(path, { 'if-none-match': headers.get('etag') ?? '' });
  expect([revalidated.status, revalidated.body]).toEqual([304, '']);
  expect([revalidated.headers.get('etag'), revalidated.headers.get('cache-control')]).toEqual([
    headers.get('etag'),
    'public, no-cache',
  ]);
});

test('a generated logo shows the initials and the shape from its URL', async () => {
  const { body } = await get('/avatars/initials/C-3-5.svg');
  expect(body).toContain('>C</text>');
  expect(body).toContain('fill-opacity');
  expect((await get('/avatars/initials/ZL-3.svg')).body).not.toContain('fill-opacity');
});
