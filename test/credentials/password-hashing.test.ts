// The queue for passwords to be hashed: who finds it full is told so, and comes in afterwards.
import { availableParallelism } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowserSession } from '../support/browser-session.ts';
import { headingOf } from '../support/markup.ts';
import { startTestService, type TestUser } from '../support/service.ts';

const service = await startTestService();
afterAll(() => service.close());

describe('the password queue is full', () => {
  let user: TestUser;
  beforeAll(async () => {
    user = await service.createUser();
  });

  /** Keeps every turn and every place in the queue taken while `work` goes on. */
  async function whileFull<Result>(work: () => Promise<Result>): Promise<Result> {
    let done = false;
    const occupy = async () => {
      // One that is refused has found the queue full and goes; the others take a new place the moment they leave one.
      while (!done)
        try {
          await service.parts.hasher.hash('somebody else');
        } catch {
          return;
        }
    };
    const crowd = Array.from({ length: availableParallelism() + 60 }, occupy);
    try {
      return await work();
    } finally {
      done = true;
      await Promise.all(crowd);
    }
  }

  test('signing in is 503 with Retry-After, as a page and as JSON, and works again afterwards', async () => {
    const browser = openBrowserSession(service.baseUrl);
    const page = await browser.get('/signin');
    const fields = { ...page.hidden, email: user.email, password: user.password };
    const [visit, json] = await whileFull(async () => [
      await browser.post('/signin', fields),
      await browser.post('/signin', fields, { accept: 'application/json' }),
    ]);
    expect(visit?.status).toBe(503);
    expect(Number(visit?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(headingOf(visit?.body ?? '')).toBe('We’re very busy at the moment');
    expect(JSON.parse(json?.body ?? '').error).toBe('temporarily_unavailable');
    expect((await browser.post('/signin', fields)).status).toBe(303);
  });

  test('so is signing up, and no account is made', async () => {
    const browser = openBrowserSession(service.baseUrl);
    const page = await browser.get('/signup');
    const fields = { ...page.hidden, name: 'Ada', email: 'crowd@example.org', password: 'a good password 1' };
    const visit = await whileFull(() => browser.post('/signup', fields));
    expect(visit.status).toBe(503);
    expect(Number(visit.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await browser.post('/signup', fields)).status).toBe(303);
  });
});
