// GET /pictures/…: a picture is there as long as an account or an application shows it, and not a moment longer.
import { createHash } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { moderateAccount } from '../../src/accounts/moderation.ts';
import { encodePicture } from '../../src/accounts/pictures.ts';
import type { BrowserSession } from '../support/browser-session.ts';
import { fill } from '../support/console.ts';
import { sendExactly } from '../support/exact-request.ts';
import { signedInBrowser } from '../support/flow.ts';
import { elementsOf } from '../support/markup.ts';
import { sql } from '../support/populate.ts';
import { startTestService } from '../support/service.ts';
import { samplePicture, upload } from '../support/upload.ts';

const service = await startTestService();
afterAll(() => service.close());

interface Person {
  browser: BrowserSession;
  userId: string;
  email: string;
  csrf: string;
}

async function enter(): Promise<Person> {
  const user = await service.createUser();
  const browser = await signedInBrowser(service, user);
  const { csrf = '' } = (await browser.get('/account')).hidden;
  return { browser, userId: user.userId, email: user.email, csrf };
}

/** Gives a person a picture of one colour. Comes back with its path. */
async function show({ browser, csrf }: Person, color: string): Promise<string> {
  const file = { name: 'picture', content: await samplePicture(color), fileName: 'me.png' };
  const { body } = await browser.follow(await upload(browser, '/account/picture', { csrf }, file));
  const { attributes } =
    elementsOf(body).find(({ attributes: { class: name } }) => name?.startsWith('avatar')) ?? {};
  return attributes?.src ?? '';
}

/** Gives a client of a person a logo. Returns its path. */
async function giveLogo({ browser }: Person, clientId: string, color = '#000000'): Promise<string> {
  const page = `/console/applications/${clientId}/logo`;
  const file = { name: 'logo', content: await samplePicture(color), fileName: 'logo.png' };
  await upload(browser, page, (await browser.get(page)).hidden, file);
  const [client] = await sql(service.parts.database, 'select logo from clients where client_id = $1', [
    clientId,
  ]);
  return `/pictures/${client?.logo}`;
}

const get = (path: string, headers: Record<string, string> = {}) =>
  sendExactly(service.baseUrl + path, { headers });
const statusOf = async (path: string) => (await get(path)).status;

describe('a picture that was taken away', () => {
  test('is gone at once, for whoever has seen it, too', async () => {
    const person = await enter();
    const path = await show(person, '#ff0000');
    const { headers } = await get(path);
    await person.browser.post('/account/picture/remove', { csrf: person.csrf });
    expect(await statusOf(path)).toBe(404);
    expect((await get(path, { 'if-none-match': headers.get('etag') ?? '' })).status).toBe(404);
    expect((await get(path)).headers.get('cache-control')).toBe('no-store');
  });

  test('is gone with the account', async () => {
    const person = await enter();
    const path = await show(person, '#ffff00');
    const answer = await person.browser.post('/account/delete', { csrf: person.csrf, email: person.email });
    expect(answer.location?.search).toBe('?deleted=1');
    expect(await statusOf(path)).toBe(404);
  });

  test('is gone with the account, also where an administrator deletes it, and so are the logos of its clients', async () => {
    const person = await enter();
    const path = await show(person, '#00ff00');
    const { clientId } = await service.createApplication({ ownerId: person.userId });
    const logo = await giveLogo(person, clientId);
    expect([await statusOf(path), await statusOf(logo)]).toEqual([200, 200]);
    await moderateAccount(service.parts, 'delete', person.userId, {}, service.clock.now());
    expect([await statusOf(path), await statusOf(logo)]).toEqual([404, 404]);
  });

  test('is gone when another one replaces it, or its client is deleted', async () => {
    const person = await enter();
    const name = 'Herbier';
    const { clientId } = await service.createApplication({ ownerId: person.userId, name });
    const [first, second] = [await giveLogo(person, clientId), await giveLogo(person, clientId, '#ffffff')];
    expect([await statusOf(first), await statusOf(second)]).toEqual([404, 200]);
    await fill(person.browser, `/console/applications/${clientId}/delete`, { name });
    expect(await statusOf(second)).toBe(404);
    expect(
      await sql(service.parts.database, 'select from pictures where hash = any ($1)', [
        [first, second].map((url) => url.split('/').at(-1)),
      ]),
    ).toEqual([]);
  });

  test('belongs to one owner: the same picture of another one has another URL, and stays', async () => {
    const [one, other] = [await enter(), await enter()];
    const [path, same] = [await show(one, '#00ffff'), await show(other, '#00ffff')];
    expect(same).not.toBe(path);
    await one.browser.post('/account/picture/remove', { csrf: one.csrf });
    expect([await statusOf(path), await statusOf(same)]).toEqual([404, 200]);
    service.clock.advance(16); // after which the same form counts as another one
    expect(await show(one, '#00ffff'), 'and comes back when it is uploaded again').toBe(path);
    expect(await statusOf(path)).toBe(200);
  });

  test('leaves nothing behind when many are uploaded at once', async () => {
    const person = await enter();
    await Promise.all(['#111111', '#222222', '#111111', '#333333'].map((color) => show(person, color)));
    const [account] = await sql(service.parts.database, 'select picture_hash from users where id = $1', [
      person.userId,
    ]);
    const hashes = ['#111111', '#222222', '#333333'].map(async (color) =>
      createHash('sha256')
        .update(`${person.userId}:`)
        .update((await encodePicture(await samplePicture(color))) ?? '')
        .digest('base64url'),
    );
    expect(
      await sql(service.parts.database, 'select hash as picture_hash from pictures where hash = any ($1)', [
        await Promise.all(hashes),
      ]),
    ).toEqual([account]);
  });
});

test('who keeps a picture asks each time whether it is still there, and is not sent it again (RFC 9111 §5.2.2.4)', async () => {
  const path = await show(await enter(), '#808080');
  const { headers } = await get(path);
  expect(headers.get('cache-control')).toBe('public, no-cache');
  const again = await get(path, { 'if-none-match': headers.get('etag') ?? '' });
  expect([again.status, again.body]).toEqual([304, '']);
  expect([again.headers.get('etag'), again.headers.get('cache-control')]).toEqual([
    headers.get('etag'),
    'public, no-cache',
  ]);
});
