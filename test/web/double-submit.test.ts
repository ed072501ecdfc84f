// Forms that must not repeat: sent twice, even at two processes at once, they do their work once, with one result.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type BrowserSession, openBrowserSession } from '../support/browser-session.ts';
import { cookieValue, type ExactAnswer, sendExactly } from '../support/exact-request.ts';
import { authorizeAddress, signedInBrowser } from '../support/flow.ts';
import { mailsTo } from '../support/mail.ts';
import { fieldError } from '../support/markup.ts';
import { sql } from '../support/populate.ts';
import { protect, wordsIn } from '../support/protected-account.ts';
import { CROWD, PASSWORD, startTestService, type TestService, useTestService } from '../support/service.ts';

const service = useTestService(CROWD);
/** Another process on the same database. */
let neighbour: TestService;
beforeAll(async () => {
  neighbour = await startTestService(CROWD, { databaseUrl: service.databaseUrl });
});
afterAll(() => neighbour.close());

let counter = 0;
const freshEmail = () => `impatient${++counter}@example.org`;
const rowsOf = (text: string, ...values: unknown[]) => sql(service.parts.database, text, values);

/** A form, opened and filled in, with what is true once it was sent. */
interface Filled {
  browser: BrowserSession;
  path: string;
  fields: Record<string, string>;
  leadsTo: RegExp;
  check?: () => Promise<void>;
}

async function open(browser: BrowserSession, path: string, fields: Record<string, string>) {
  return { browser, path, fields: { ...(await browser.get(path)).hidden, ...fields } };
}

/** Sends the form with the cookies that the browser has now, without following it. */
const tap = ({ browser, path, fields }: Filled, { baseUrl } = service): Promise<ExactAnswer> =>
  sendExactly(new URL(path, baseUrl), {
    method: 'POST',
    body: new URLSearchParams(fields),
    headers: { accept: 'text/html', 'sec-fetch-site': 'same-origin' },
    cookies: new Map(browser.cookies),
  });

function keep({ cookies }: BrowserSession, { setCookies }: ExactAnswer): void {
  for (const [name, line] of setCookies)
    if (/max-age=0/i.test(line)) cookies.delete(name);
    else cookies.set(name, cookieValue(line));
}

async function member() {
  const user = await service.createUser({ email: freshEmail(), emailVerified: true });
  return { ...user, browser: await signedInBrowser(service, user) };
}

const signUpForm = async (): Promise<Filled> => {
  const email = freshEmail();
  const browser = openBrowserSession(service.baseUrl);
  return {
    ...(await open(browser, '/signup', { name: 'Ada', email, password: PASSWORD })),
    leadsTo: /^\/account\/verify\?done=welcome/,
    async check() {
      expect((await browser.get('/account')).status).toBe(200);
      const events = await rowsOf(
        'select kind from events e join users u on u.id = e.user_id where u.email = $1 order by e.id',
        email,
      );
      expect(events.filter(({ kind }) => kind === 'signed_up')).toHaveLength(1);
    },
  };
};

const registrationForm = async (): Promise<Filled> => {
  const { browser, userId } = await member();
  const fields = { name: 'Carnet', redirect_uris: 'https://client.example/cb', scopes: 'openid' };
  return {
    ...(await open(browser, '/console/applications/new', { ...fields, type: 'confidential' })),
    leadsTo: /^\/console\/applications\/app_[\w-]+\/secrets\/1$/,
    check: async () =>
      expect(await rowsOf('select from clients where owner_id = $1', userId)).toHaveLength(1),
  };
};

const FORMS: Record<string, () => Promise<Filled>> = {
  'sign-up': signUpForm,
  'sign-in': async () => {
    const { email, password } = await service.createUser({ email: freshEmail() });
    const browser = openBrowserSession(service.baseUrl);
    return {
      ...(await open(browser, '/signin', { email, password })),
      leadsTo: /^\/account$/,
      check: async () => expect((await browser.get('/account')).status).toBe(200),
    };
  },
  consent: async () => {
    const { browser, userId } = await member();
    const application = await service.createApplication();
    const asked = await browser.get(authorizeAddress(service, application));
    const { hidden } = await browser.get(asked.location ?? '');
    return {
      ...{ browser, path: '/consent', fields: { ...hidden, decision: 'allow' } },
      leadsTo: /[?&]code=/,
      async check() {
        const given = "select from events where user_id = $1 and kind = 'consent_given'";
        expect(await rowsOf(given, userId)).toHaveLength(1);
      },
    };
  },
  'registration of an application': registrationForm,
  'registration of an API': async () => {
    const { browser, userId } = await member();
    const fields = { name: 'Notes', words_fr: 'Notes', words_en: 'Notes', lifetime: '3600', admits: 'own' };
    const identifier = `https://notes${++counter}.example/`;
    return {
      ...(await open(browser, '/console/apis/new', { ...fields, identifier })),
      leadsTo: /^\/console\/apis\/api_[\w-]+\?done=created$/,
      check: async () => expect(await rowsOf('select from apis where owner_id = $1', userId)).toHaveLength(1),
    };
  },
  'deletion of an application': async () => {
    const { browser, userId } = await member();
    const { clientId } = await service.createApplication({ ownerId: userId, name: 'Carnet' });
    return {
      ...(await open(browser, `/console/applications/${clientId}/delete`, { name: 'Carnet' })),
      leadsTo: /^\/console\/applications\?done=deleted$/,
    };
  },
  'deletion of an account': async () => {
    const { browser, email } = await member();
    return { ...(await open(browser, '/account/delete', { email })), leadsTo: /^\/\?deleted=1$/ };
  },
  'new recovery codes': async () => {
    const { user, browser } = await protect(service);
    return {
      ...(await open(browser, '/account/security/codes/new', {})),
      leadsTo: /^\/account\/security\/codes$/,
      async check() {
        const shown = await browser.get('/account/security/codes');
        expect(wordsIn(shown, 'codes').split('\n')).toHaveLength(10);
        const made = "select from events where user_id = $1 and kind = 'recovery_codes_made'";
        expect(await rowsOf(made, user.userId)).toHaveLength(1);
      },
    };
  },
  'a new secret': async () => {
    const { browser, userId, email } = await member();
    const { clientId } = await service.createApplication({ ownerId: userId });
    return {
      ...(await open(browser, `/console/applications/${clientId}/secrets`, { overlap: '3600' })),
      leadsTo: /\/secrets\/2$/,
      async check() {
        expect(await rowsOf('select from secrets where holder = $1', clientId)).toHaveLength(2);
        const mails = [...(await mailsTo(service, email)), ...(await mailsTo(neighbour, email))];
        expect(mails.filter(({ subject }) => subject.startsWith('Nouveau secret'))).toHaveLength(1);
      },
    };
  },
};

describe.each(Object.entries(FORMS))('%s', (name, fill) => {
  const expectOneResult = (answers: ExactAnswer[], { leadsTo }: Filled) => {
    for (const { status, location } of answers)
      expect([status, location]).toEqual([303, expect.stringMatching(leadsTo)]);
    if (name !== 'consent') expect(answers[0]?.location).toBe(answers[1]?.location);
  };

  test('two taps at once, at two processes', async () => {
    const form = await fill();
    const answers = await Promise.all([tap(form), tap(form, neighbour)]);
    expectOneResult(answers, form);
    for (const answer of answers) keep(form.browser, answer);
    await form.check?.();
  });

  test('one tap after the other', async () => {
    const form = await fill();
    const answers = [await tap(form), await tap(form)];
    expectOneResult(answers, form);
    for (const answer of answers) keep(form.browser, answer);
    await form.check?.();
  });
});

test('a registration sent again after its session has ended leads to sign-in', async () => {
  const form = await registrationForm();
  await tap(form);
  await rowsOf('delete from sessions');
  expect((await tap(form)).location).toMatch(/^\/signin\?next=/);
});

describe('the second use of a sign-up form', () => {
  test('signs nobody in who doesn’t know the password, in another browser least of all', async () => {
    const form = await signUpForm();
    await tap(form);
    const wrong = await tap({ ...form, fields: { ...form.fields, password: 'another good password' } });
    expect(wrong.setCookies.has('sesame')).toBe(false);
    const browser = openBrowserSession(service.baseUrl);
    await browser.get('/signup');
    expect((await tap({ ...form, browser })).status).toBe(403);
  });

  test('with another email address is another sign-up; the form of another page is refused', async () => {
    const form = await signUpForm();
    await tap(form);
    const email = freshEmail();
    await tap({ ...form, fields: { ...form.fields, email } });
    expect(await rowsOf('select from users where email = $1', email)).toHaveLength(1);
    const { csrf = '' } = (await form.browser.get('/signup')).hidden;
    const answer = await form.browser.post('/signup', { ...form.fields, csrf });
    expect(fieldError(answer.body, 'email')).toContain('already exists');
  });
});
