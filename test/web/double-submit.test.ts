// Forms that must not repeat: sent twice, even at two processes at once, they do their work once, with one result.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Queryable } from '../../src/store/database.ts';
import { recordGuess } from '../../src/store/password-guesses.ts';
import { insertServiceAccess } from '../../src/store/service-access.ts';
import { runOnce } from '../../src/store/spent-tokens.ts';
import { type BrowserSession, openBrowserSession } from '../support/browser-session.ts';
import { cookieValue, type ExactAnswer, sendExactly } from '../support/exact-request.ts';
import { authorizeAddress, signedInBrowser, signIn } from '../support/flow.ts';
import { codeIn, lastMailTo, mailsTo } from '../support/mail.ts';
import { fieldError } from '../support/markup.ts';
import { sql } from '../support/populate.ts';
import { codeOf, protect, setUpFields, wordsIn } from '../support/protected-account.ts';
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
  /** The email address of its user. */
  email?: string;
  path: string;
  fields: Record<string, string>;
  leadsTo: RegExp;
  check?: () => Promise<void>;
}

async function open(browser: BrowserSession, path: string, fields: Record<string, string>) {
  return { browser, path, fields: { ...(await browser.get(path)).hidden, ...fields } };
}

/** Sends the form with the cookies that the browser has now, without following it. */
const tap = ({ browser, path, fields }: Filled, { baseUrl } = service): Promise<ExactAnswer> => {
  // Mails are leased by the clock.
  neighbour.clock.advance((service.clock.now().getTime() - neighbour.clock.now().getTime()) / 1000);
  return sendExactly(new URL(path, baseUrl), {
    method: 'POST',
    body: new URLSearchParams(fields),
    headers: { accept: 'text/html', 'sec-fetch-site': 'same-origin' },
    cookies: new Map(browser.cookies),
  });
};

function keep({ cookies }: BrowserSession, { setCookies }: ExactAnswer): void {
  for (const [name, line] of setCookies)
    if (/max-age=0/i.test(line)) cookies.delete(name);
    else cookies.set(name, cookieValue(line));
}

async function member(fields = {}) {
  const user = await service.createUser({ email: freshEmail(), emailVerified: true, ...fields });
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
  const { browser, email, userId } = await member();
  const fields = { name: 'Carnet', redirect_uris: 'https://client.example/cb', scopes: 'openid' };
  return {
    ...(await open(browser, '/console/applications/new', { ...fields, type: 'confidential' })),
    email,
    leadsTo: /^\/console\/applications\/app_[\w-]+\/secrets\/1$/,
    check: async () =>
      expect(await rowsOf('select from clients where owner_id = $1', userId)).toHaveLength(1),
  };
};

const appForm = async (): Promise<Filled> => {
  const { browser, email } = await member();
  const page = await browser.get('/account/security/app');
  const code = codeOf(service, wordsIn(page, 'key').replaceAll(' ', ''));
  const fields = { ...setUpFields(page), code };
  return { browser, email, path: '/account/security/app', fields, leadsTo: /^\/account\/security\/codes$/ };
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
    const fields = {
      name: 'Notes',
      words_fr: 'Notes',
      words_en: 'Notes',
      token_lifetime: '3600',
      admits: 'own',
    };
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
  'deletion of an API’s scope': async () => {
    const { browser, userId } = await member();
    const { apiId } = await service.createApi({ ownerId: userId });
    return {
      ...(await open(browser, `/console/apis/${apiId}/scopes/remove-read`, {})),
      leadsTo: /\/scopes\?done=removed$/,
    };
  },
  'acceptance of a transfer': async () => {
    const [giver, taker] = [await member(), await member()];
    const { clientId } = await service.createApplication({ ownerId: giver.userId });
    const page = `/console/applications/${clientId}/transfer`;
    await tap({ ...(await open(giver.browser, page, { email: taker.email })), leadsTo: /./ });
    return { ...(await open(taker.browser, `${page}/accept`, {})), leadsTo: /\?done=accepted$/ };
  },
  'refusal of access to an API': async () => {
    const { browser, userId } = await member();
    const api = await service.createApi({ ownerId: userId });
    const { clientId } = await service.createApplication();
    const access = { apiId: api.apiId, clientId, scopes: ['read'], granted: false };
    await insertServiceAccess(service.parts.database, access, service.clock.now());
    const path = `/console/apis/${api.apiId}/requests/answer?client_id=${clientId}`;
    return { ...(await open(browser, path, { decision: 'end' })), leadsTo: /\/requests\?done=ended$/ };
  },
  'deletion of an account': async () => {
    const { browser, email } = await member();
    return { ...(await open(browser, '/account/delete', { email })), leadsTo: /^\/\?deleted=1$/ };
  },
  'deletion of an account by an administrator': async () => {
    const { browser } = await member({ operator: true });
    const { userId, email } = await service.createUser();
    const path = `/console/operations/accounts/${userId}/delete`;
    return {
      ...(await open(browser, path, { email })),
      leadsTo: /^\/console\/operations\/accounts\?done=delete$/,
    };
  },
  'new recovery codes': async () => {
    const { user, browser } = await protect(service);
    // The two processes need the same time, because emails are leased.
    neighbour.clock.advance(30);
    return {
      ...(await open(browser, '/account/security/codes/new', {})),
      email: user.email,
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
      email,
      leadsTo: /\/secrets\/2$/,
      async check() {
        expect(await rowsOf('select from secrets where holder = $1', clientId)).toHaveLength(2);
        const mails = [...(await mailsTo(service, email)), ...(await mailsTo(neighbour, email))];
        expect(mails.filter(({ subject }) => subject.startsWith('Nouveau secret'))).toHaveLength(1);
      },
    };
  },
  'a new secret, re-authenticated by a code': async () => {
    const { user, browser, secret } = await protect(service);
    const { clientId } = await service.createApplication({ ownerId: user.userId });
    service.clock.advance(16 * 60);
    const proof = { current_password: PASSWORD, confirmation_code: codeOf(service, secret) };
    const path = `/console/applications/${clientId}/secrets`;
    return {
      ...(await open(browser, path, { overlap: '0', ...proof })),
      leadsTo: /\/secrets\/2$/,
      check: async () => expect(wordsIn(await browser.get(`${path}/2`), 'client-secret')).not.toBe(''),
    };
  },
};

const ONE_AFTER_THE_OTHER: typeof FORMS = {
  'the emailed code of a sign-in': async () => {
    const user = await service.createUser({ email: freshEmail() });
    const guessed = { userId: user.userId, emptyKey: '', address: '192.0.2.1', wrong: 100 };
    await recordGuess(service.parts.database, guessed, service.clock.now());
    const browser = openBrowserSession(service.baseUrl);
    const { hidden } = await signIn(browser, user);
    const code = codeIn(await lastMailTo(service, user.email));
    return {
      ...{ browser, path: '/signin/code', fields: { ...hidden, code }, leadsTo: /^\/account$/ },
      check: async () => expect((await browser.get('/account')).status).toBe(200),
    };
  },
};

describe.each(Object.entries({ ...FORMS, ...ONE_AFTER_THE_OTHER }))('%s', (name, fill) => {
  const expectOneResult = (answers: ExactAnswer[], { leadsTo }: Filled) => {
    for (const { status, location } of answers)
      expect([status, location]).toEqual([303, expect.stringMatching(leadsTo)]);
    if (name !== 'consent') expect(answers[0]?.location).toBe(answers[1]?.location);
  };

  const atOnce = async () => {
    const form = await fill();
    const answers = await Promise.all([tap(form), tap(form, neighbour)]);
    expectOneResult(answers, form);
    for (const answer of answers) keep(form.browser, answer);
    await form.check?.();
  };
  if (name in FORMS) test('two taps at once, at two processes', atOnce);

  test('one tap after the other', async () => {
    const form = await fill();
    const answers = [await tap(form), await tap(form)];
    expectOneResult(answers, form);
    for (const answer of answers) keep(form.browser, answer);
    await form.check?.();
  });
});

const ALERT = /^Nouveau secret|^Nouveaux codes de secours|^Application d’authentification ajoutée/;
test.each([
  ['a new secret', FORMS['a new secret']],
  ['registration', registrationForm],
  ['recovery codes', FORMS['new recovery codes']],
  ['an authenticator app', appForm],
] as const)('%s is not made without its security alert', async (_, fill) => {
  const form = await (fill ?? appForm)();
  await rowsOf('alter table mails rename to mails_away');
  const failed = await tap(form);
  await rowsOf('alter table mails_away rename to mails');
  expect(failed.status).toBe(500);
  const answer = await tap(form);
  expect([answer.status, answer.location]).toEqual([303, expect.stringMatching(form.leadsTo)]);
  const mails = [service, neighbour].map((process) => mailsTo(process, form.email ?? ''));
  const subjects = (await Promise.all(mails)).flat().map(({ subject }) => subject);
  expect(subjects.filter((subject) => ALERT.test(subject))).toHaveLength(1);
});

test.each([
  ['result', 'update of result on spent_tokens'],
  ['email', 'insert on mails'],
])('a deletion whose %s cannot be written is not done, and can be sent again', async (_, event) => {
  const { browser, userId, email } = await member();
  const { clientId } = await service.createApplication({ ownerId: userId, name: 'Carnet' });
  const path = `/console/applications/${clientId}/delete`;
  const form = { ...(await open(browser, path, { name: 'Carnet' })), leadsTo: /deleted/ };
  await rowsOf("create function fail() returns trigger as $$ begin raise 'full'; end $$ language plpgsql");
  await rowsOf(`create trigger fail before ${event} for each row execute function fail()`);
  const first = await tap(form);
  await rowsOf('drop function fail cascade');
  expect(first.status).toBe(500);
  expect((await tap(form)).location).toBe('/console/applications?done=deleted');
  expect(await rowsOf('select from clients where owner_id = $1', userId)).toHaveLength(0);
  const mails = await mailsTo(service, email);
  expect(mails.filter(({ text }) => text.includes('Carnet'))).toHaveLength(1);
});

test('the result of a form is not pruned while a later use of it reads it', async () => {
  const { database } = service.parts;
  const form = { userId: randomUUID(), key: Buffer.from('form'), until: new Date() };
  const use = (transaction: Queryable) => runOnce(transaction, form, form.until, async () => 'done');
  await database.transaction(use);
  const later = await database.transaction(async (transaction) => ({
    ...(await use(transaction)),
    prunable: await rowsOf('select from spent_tokens where key = $1 for update skip locked', form.key),
  }));
  expect(later).toMatchObject({ result: 'done', again: true, prunable: [] });
});

test('a registration sent again after its session has ended leads to sign-in', async () => {
  const form = await registrationForm();
  await tap(form);
  await rowsOf('delete from sessions');
  expect((await tap(form)).location).toMatch(/^\/signin\?next=/);
});

describe('a deletion sent again', () => {
  const deleted = async () => {
    const { browser, userId } = await member();
    const { clientId } = await service.createApplication({ ownerId: userId, name: 'Carnet' });
    const path = `/console/applications/${clientId}/delete`;
    const form = { ...(await open(browser, path, { name: 'Carnet' })), leadsTo: /deleted/ };
    expect((await tap(form)).location).toBe('/console/applications?done=deleted');
    return form;
  };

  test('after switching to another account leads where the first use led', async () => {
    const form = await deleted();
    const { cookies } = form.browser;
    cookies.set('sesame-others', cookies.get('sesame') ?? '');
    cookies.set('sesame', (await member()).browser.cookies.get('sesame') ?? '');
    expect((await tap(form)).location).toBe('/console/applications?done=deleted');
  });

  test('in the session of another account is refused, like the form of any other session', async () => {
    const form = await deleted();
    const { browser } = await member();
    const unsent = { ...form, browser, path: '/console/applications/app_x/delete' };
    const [again, never] = [await tap({ ...form, browser }), await tap(unsent)];
    expect([again.status, never.status]).toEqual([403, 403]);
  });

  test('after signing out leads to sign-in', async () => {
    const form = await deleted();
    form.browser.cookies.delete('sesame');
    expect((await tap(form)).location).toMatch(/^\/signin\?next=/);
  });
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
