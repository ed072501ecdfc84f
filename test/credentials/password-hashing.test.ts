// Responses to sign-in and sign-up requests while the password hashing queue is full.
import { availableParallelism } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowserSession } from '../support/browser-session.ts';
import { readHeading } from '../support/markup.ts';
import { startTestService, type TestUser } from '../support/service.ts';

const service = await startTestService();
afterAll(() => service.close());

describe('while the password hashing queue is full,', () => {
  let user: TestUser;
  beforeAll(async () => {
    user = await service.createUser();
  });

  /** Keeps the queue full while `work` runs. */
  async function runWhileQueueFull<Result>(work: () => Promise<Result>): Promise<Result> {
    let isDone = false;
    const keepBusy = async () => {
      while (!isDone)
        try {
          await service.services.hasher.hash('another password');
        } catch {
          return;
        }
    };
    const crowd = Array.from({ length: availableParallelism() + 60 }, keepBusy);
    try {
      return await work();
    } finally {
      isDone = true;
      await Promise.all(crowd);
    }
  }

  test('the sign-in form returns 503 with Retry-After', async () => {
    const browser = openBrowserSession(service.baseUrl);
    const page = await browser.get('/signin');
    const fields = { ...page.hidden, email: user.email, password: user.password };
    const [visit, json] = await runWhileQueueFull(async () => [
      await browser.post('/signin', fields),
      await browser.post('/signin', fields, { accept: 'application/json' }),
    ]);
    expect(visit?.status).toBe(503);
    expect(Number(visit?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(readHeading(visit?.body ?? '')).toBe('We’re very busy at the moment');
    expect(JSON.parse(json?.body ?? '').error).toBe('temporarily_unavailable');
    expect((await browser.post('/signin', fields)).status).toBe(303);
  });

  test('the sign-up form returns 503 with Retry-After', async () => {
    const browser = openBrowserSession(service.baseUrl);
    const page = await browser.get('/signup');
    const fields = { ...page.hidden, name: 'Ada', email: 'crowd@example.org', password: 'a good password 1' };
    const visit = await runWhileQueueFull(() => browser.post('/signup', fields));
    expect(visit.status).toBe(503);
    expect(Number(visit.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await browser.post('/signup', fields)).status).toBe(303);
  });
});
