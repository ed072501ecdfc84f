// GET /pictures/…: a picture is there as long as an account or an application shows it, and not a moment longer.
import { afterAll, describe, expect, test } from 'vitest';
import { limitsOf } from '../../src/store/pruning.ts';
import type { BrowserSession } from '../support/browser-session.ts';
import { sendExactly } from '../support/exact-request.ts';
import { signedInBrowser } from '../support/flow.ts';
import { elementsOf } from '../support/markup.ts';
import { pruneAll, sql } from '../support/populate.ts';
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

  test('stays while somebody else shows the same one', async () => {
    const [one, other] = [await enter(), await enter()];
    const path = await show(one, '#00ffff');
    expect(await show(other, '#00ffff')).toBe(path);
    await one.browser.post('/account/picture/remove', { csrf: one.csrf });
    expect(await statusOf(path)).toBe(200);
    await other.browser.post('/account/picture/remove', { csrf: other.csrf });
    expect(await statusOf(path)).toBe(404);
    service.clock.advance(16); // by then the same form is a new wish, and no second tap
    expect(await show(one, '#00ffff'), 'and comes back with the one who shows it again').toBe(path);
    expect(await statusOf(path)).toBe(200);
  });
});

test('a picture that is shown survives pruning, and a removed one is deleted', async () => {
  const { parts, clock } = service;
  const person = await enter();
  const path = await show(person, '#123456');
  const prune = async () => {
    clock.advance(86_400);
    await pruneAll(parts.database, limitsOf(parts.config, clock.now()));
    return sql(parts.database, 'select from pictures where hash = $1', [path.split('/').at(-1)]);
  };
  expect(await prune()).toHaveLength(1);
  expect(await statusOf(path)).toBe(200);
  await person.browser.post('/account/picture/remove', { csrf: person.csrf });
  expect(await prune()).toEqual([]);
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
