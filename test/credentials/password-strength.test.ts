// Concurrency limits and lifetime of the password strength worker.
import { afterAll, expect, test, vi } from 'vitest';
import { estimateStrength, extractWords } from '../../src/credentials/password-strength.ts';
import { openBrowserSession } from '../support/browser-session.ts';
import { readFieldError, readFormErrors, readHeading } from '../support/markup.ts';
import { openSignedInBrowser } from '../support/oauth-flow.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
afterAll(() => service.close());

const STRONG_PASSWORD = 'bleuet orage tuile lampe';

test('extractWords returns at most ten words', () => {
  for (const text of ['x'.repeat(60_000), 'é@'.repeat(30_000), 'mot '.repeat(15_000), createWords(15_000)]) {
    const extracted = extractWords(text);
    expect(extracted.length).toBeLessThanOrEqual(10);
    for (const word of extracted) expect(word.length).toBeLessThanOrEqual(254);
  }
  expect(extractWords('Zoé Müller')).toEqual(['Zoé Müller', 'Zoe Muller', 'Zoé', 'Zoe', 'Müller', 'Muller']);
});

const createWords = (count: number) => Array.from({ length: count }, (_, i) => `w${i}w`).join(' ');

/** Maximum number of requests in flight, by source. */
const MAX_IN_FLIGHT = { form: 128, signedInPage: 8, anonymousPage: 4 };

/**
 * Keeps the maximum number of requests in flight while `work` runs.
 */
async function runAtLimit<Result>(
  requester: keyof typeof MAX_IN_FLIGHT,
  work: () => Promise<Result>,
): Promise<Result> {
  let isDone = false;
  let rejections = 0;
  const keepBusy = async () => {
    while (!isDone)
      try {
        await estimateStrength(STRONG_PASSWORD, [], requester);
      } catch (error) {
        expect(error).toMatchObject({ status: 503, error: 'temporarily_unavailable' });
        rejections += 1;
        return;
      }
  };
  const crowd = Array.from({ length: MAX_IN_FLIGHT[requester] + 8 }, keepBusy);
  try {
    return await work();
  } finally {
    isDone = true;
    await Promise.all(crowd);
    expect(rejections).toBe(8);
  }
}

test('the sign-up form returns 503 while too many password strength estimates are running', async () => {
  const browser = openBrowserSession(service.baseUrl);
  const page = await browser.get('/signup');
  const fields = { ...page.hidden, name: 'Ada', email: 'ada@example.org', password: STRONG_PASSWORD };
  const visit = await runAtLimit('form', () => browser.post('/signup', fields));
  expect([visit.status, visit.headers.get('retry-after')]).toEqual([503, '2']);
  expect(readHeading(visit.body)).toBe('We’re very busy at the moment');
  expect((await browser.post('/signup', fields)).status).toBe(303);
});

test('password strength estimates for anonymous users do not affect other users', async () => {
  const anonymous = openBrowserSession(service.baseUrl);
  const { csrf = '' } = (await anonymous.get('/password/forgot')).hidden;
  const requestStrength = (password: string) => anonymous.post('/password/strength', { csrf, password });
  const forms = await Promise.all(
    Array.from({ length: 17 }, async (_, i) => {
      const browser = openBrowserSession(service.baseUrl);
      const { hidden } = await browser.get('/signup');
      return () =>
        browser.post('/signup', {
          ...hidden,
          name: 'Ada',
          email: `new${i}@example.org`,
          password: STRONG_PASSWORD,
        });
    }),
  );
  const signedIn = await openSignedInBrowser(service, await service.createUser());
  const { hidden } = await signedIn.get('/account/password');
  const flood = Array.from({ length: 100 }, (_, i) =>
    requestStrength(`${i} ${createWords(200)}`.slice(0, 1000)),
  );
  const [estimate, ...signUps] = await Promise.all([
    signedIn.post('/password/strength', { csrf: hidden.csrf ?? '', password: STRONG_PASSWORD }),
    ...forms.map((send) => send()),
  ]);
  expect(estimate?.status).toBe(200);
  expect(signUps.map(({ status }) => status)).toEqual(forms.map(() => 303));
  const statuses = (await Promise.all(flood)).map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([200, 503]));
});

test('signed-in users get password strength estimates after anonymous users reach their limit', async () => {
  const { score } = await runAtLimit('anonymousPage', () =>
    estimateStrength(STRONG_PASSWORD, [], 'signedInPage'),
  );
  expect(score).toBeGreaterThan(2);
});

test('an invalid sign-up name is rejected before the password strength is estimated', async () => {
  const browser = openBrowserSession(service.baseUrl);
  const page = await browser.get('/signup');
  const fields = { ...page.hidden, name: 'x'.repeat(60_000), email: 'ada@example.org' };
  const visit = await runAtLimit('form', () =>
    browser.post('/signup', { ...fields, password: STRONG_PASSWORD }),
  );
  expect(visit.status).toBe(400);
  expect(readFieldError(visit.body, 'name')).toContain('100 characters or fewer');
  expect(readFormErrors(visit.body)).toHaveLength(1);
});

test('a password strength estimate succeeds while an idle worker terminates', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const first = await estimateStrength('Sesame123', []);
    vi.advanceTimersByTime(60_000);
    expect((await estimateStrength('Sesame123', [])).score).toBe(first.score);
  } finally {
    vi.useRealTimers();
  }
});
