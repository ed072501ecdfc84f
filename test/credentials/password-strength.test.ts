// The thread that judges passwords is one for all: what a stranger can make it do, and what happens when it has enough to do.
import { afterAll, expect, test, vi } from 'vitest';
import { strengthOf, wordsOf } from '../../src/credentials/password-strength.ts';
import { openBrowserSession } from '../support/browser-session.ts';
import { signedInBrowser } from '../support/flow.ts';
import { fieldError, formErrors, headingOf } from '../support/markup.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
afterAll(() => service.close());

const GOOD = 'bleuet orage tuile lampe';

test('of a text, however long, a few short words are looked at', () => {
  for (const text of ['x'.repeat(60_000), 'é@'.repeat(30_000), 'mot '.repeat(15_000), words(15_000)]) {
    const looked = wordsOf(text);
    expect(looked.length).toBeLessThanOrEqual(10);
    for (const word of looked) expect(word.length).toBeLessThanOrEqual(254);
  }
  expect(wordsOf('Zoé Müller')).toEqual(['Zoé Müller', 'Zoe Muller', 'Zoé', 'Zoe', 'Müller', 'Muller']);
});

const words = (count: number) => Array.from({ length: count }, (_, i) => `w${i}w`).join(' ');

/** As many as may ask at a time. */
const SHARES = { form: 128, signedInPage: 8, anonymousPage: 4 };

/** Asks as much as that asker may at a time while `work` goes on; eight find no place. */
async function whileFull<Result>(asker: keyof typeof SHARES, work: () => Promise<Result>): Promise<Result> {
  let done = false;
  let refused = 0;
  const occupy = async () => {
    // One that is refused has found no place and goes; the others ask again the moment they are answered.
    while (!done)
      try {
        await strengthOf(GOOD, [], asker);
      } catch (error) {
        expect(error).toMatchObject({ status: 503, error: 'temporarily_unavailable' });
        refused += 1;
        return;
      }
  };
  const crowd = Array.from({ length: SHARES[asker] + 8 }, occupy);
  try {
    return await work();
  } finally {
    done = true;
    await Promise.all(crowd);
    expect(refused).toBe(8);
  }
}

test('too many forms: 503 with Retry-After, and it works again afterwards', async () => {
  const browser = openBrowserSession(service.baseUrl);
  const page = await browser.get('/signup');
  const fields = { ...page.hidden, name: 'Ada', email: 'ada@example.org', password: GOOD };
  const visit = await whileFull('form', () => browser.post('/signup', fields));
  expect([visit.status, visit.headers.get('retry-after')]).toEqual([503, '2']);
  expect(headingOf(visit.body)).toBe('We’re very busy at the moment');
  expect((await browser.post('/signup', fields)).status).toBe(303);
});

test('anonymous users who ask without end take nothing from sign-ups or from signed-in users', async () => {
  const asking = openBrowserSession(service.baseUrl);
  const { csrf = '' } = (await asking.get('/password/forgot')).hidden;
  const ask = (password: string) => asking.post('/password/strength', { csrf, password });
  const forms = await Promise.all(
    Array.from({ length: 17 }, async (_, i) => {
      const browser = openBrowserSession(service.baseUrl);
      const { hidden } = await browser.get('/signup');
      return () =>
        browser.post('/signup', { ...hidden, name: 'Ada', email: `new${i}@example.org`, password: GOOD });
    }),
  );
  const member = await signedInBrowser(service, await service.createUser());
  const { hidden } = await member.get('/account/password');
  const flood = Array.from({ length: 100 }, (_, i) => ask(`${i} ${words(200)}`.slice(0, 1000)));
  const [own, ...signUps] = await Promise.all([
    member.post('/password/strength', { csrf: hidden.csrf ?? '', password: GOOD }),
    ...forms.map((send) => send()),
  ]);
  expect(own?.status).toBe(200);
  expect(signUps.map(({ status }) => status)).toEqual(forms.map(() => 303));
  const answers = (await Promise.all(flood)).map(({ status }) => status);
  expect(new Set(answers)).toEqual(new Set([200, 503]));
});

test('the page of a signed-in user is answered while anonymous users have their whole share', async () => {
  const { score } = await whileFull('anonymousPage', () => strengthOf(GOOD, [], 'signedInPage'));
  expect(score).toBeGreaterThan(2);
});

test('where something else is wrong the thread is not asked: sign-up says so while it is busy', async () => {
  const browser = openBrowserSession(service.baseUrl);
  const page = await browser.get('/signup');
  const fields = { ...page.hidden, name: 'x'.repeat(60_000), email: 'ada@example.org' };
  const visit = await whileFull('form', () => browser.post('/signup', { ...fields, password: GOOD }));
  expect(visit.status).toBe(400);
  expect(fieldError(visit.body, 'name')).toContain('100 characters or fewer');
  expect(formErrors(visit.body)).toHaveLength(1);
});

test('a password that is asked about while the thread ends for want of questions is answered', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const first = await strengthOf('Sesame123', []);
    vi.advanceTimersByTime(60_000);
    expect((await strengthOf('Sesame123', [])).score).toBe(first.score);
  } finally {
    vi.useRealTimers();
  }
});
