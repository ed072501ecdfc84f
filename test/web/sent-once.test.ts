// Impatience is harmless: a form that is sent twice at once does what it asks for once, and both answers are its success.
import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findUserByEmail } from '../../src/store/users.ts';
import { type BrowserSession, openBrowserSession } from '../support/browser-session.ts';
import { at, NEW, REGISTRATION } from '../support/console.ts';
import { cookieValue, type ExactAnswer, sendExactly } from '../support/exact-request.ts';
import { signedInBrowser } from '../support/flow.ts';
import { codeIn, lastMailTo, linkIn, mailsTo } from '../support/mail.ts';
import { fieldError } from '../support/markup.ts';
import { accountPath, signedInOperator } from '../support/operator.ts';
import { sql } from '../support/populate.ts';
import { CROWD, PASSWORD, startTestService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

let service: TestService;
/** Another process on the same database. */
let neighbour: TestService;
beforeAll(async () => {
  service = await startTestService(CROWD);
  neighbour = await startTestService(CROWD, { databaseUrl: service.databaseUrl });
});
afterAll(async () => {
  await neighbour.close();
  await service.close();
});

let counter = 0;
const freshEmail = () => `impatient${++counter}@example.org`;

/** A form, opened and filled in, and what is to be once it was sent. */
interface Filled {
  browser: BrowserSession;
  path: string;
  fields: Record<string, string>;
  leadsTo: string | RegExp;
  once?: () => Promise<void>;
}

/** Sends a form with the cookies that the browser has now, whatever another answer does to them meanwhile. */
const tap = ({ browser, path, fields }: Filled, { baseUrl } = service): Promise<ExactAnswer> =>
  sendExactly(new URL(path, baseUrl), {
    method: 'POST',
    body: new URLSearchParams(fields),
    headers: { accept: 'text/html', 'sec-fetch-site': 'same-origin' },
    cookies: new Map(browser.cookies),
  });

/** What an answer does to the cookies of its browser. */
function keep({ cookies }: BrowserSession, { setCookies }: ExactAnswer): void {
  for (const [name, line] of setCookies)
    if (/max-age=0/i.test(line)) cookies.delete(name);
    else cookies.set(name, cookieValue(line));
}

async function rowsOf(text: string, ...values: unknown[]): Promise<number> {
  return (await sql(service.parts.database, text, values)).length;
}
const sessionsOf = (email: string) =>
  rowsOf('select from sessions s join users u on u.id = s.user_id where u.email = $1::text', email);

async function open(browser: BrowserSession, path: string, fields: Record<string, string>) {
  return { browser, path, fields: { ...(await browser.get(path)).hidden, ...fields } };
}

const mailsEverywhere = async (email: string) => [
  ...(await mailsTo(service, email)),
  ...(await mailsTo(neighbour, email)),
];

/** Forms that have been sent and not yet answered, and those that are good for one use. */
const claims = () => rowsOf('select from used_forms where answer is null');

const stranger = () => openBrowserSession(service.baseUrl);

async function member() {
  const user = await service.createUser({ email: freshEmail(), emailVerified: true });
  return { ...user, browser: await signedInBrowser(service, user) };
}

const FORMS: Record<string, () => Promise<Filled>> = {
  'sign-up': async () => {
    const email = freshEmail();
    return {
      ...(await open(stranger(), '/signup', { name: 'Ada', email, password: PASSWORD })),
      leadsTo: /^\/account/,
      once: async () => expect(await sessionsOf(email)).toBe(1),
    };
  },
  'sign-in': async () => {
    const { email, password } = await service.createUser({ email: freshEmail() });
    return {
      ...(await open(stranger(), '/signin', { email, password })),
      leadsTo: '/account',
      once: async () => {
        expect(await sessionsOf(email)).toBe(1);
        expect(await mailsEverywhere(email)).toHaveLength(1);
      },
    };
  },
  'a forgotten password': async () => {
    const { email } = await service.createUser({ email: freshEmail() });
    return {
      ...(await open(stranger(), '/password/forgot', { email })),
      leadsTo: /^\/password\/forgot\?.*done=sent/,
      once: async () => expect(await mailsEverywhere(email)).toHaveLength(1),
    };
  },
  'a new password by the link of a mail': async () => {
    const { email } = await service.createUser({ email: freshEmail() });
    const browser = stranger();
    const forgot = await open(browser, '/password/forgot', { email });
    await browser.post('/password/forgot', forgot.fields);
    const link = linkIn(await lastMailTo(service, email));
    const form = await open(browser, link, { new_password: 'another good password' });
    return {
      ...form,
      path: '/password/reset',
      leadsTo: '/account?done=reset',
      once: async () => expect(await sessionsOf(email)).toBe(1),
    };
  },
  'the link that verifies an address': async () => {
    const { email, browser } = await member();
    await sql(service.parts.database, 'update users set email_verified = false where email = $1::text', [
      email,
    ]);
    await browser.post('/account/verify/send', (await browser.get('/account/verify')).hidden);
    const form = await open(browser, linkIn(await lastMailTo(service, email)), {});
    return { ...form, path: '/security/confirm', leadsTo: '/security/confirm?done=verified' };
  },
  'the code that verifies an address': async () => {
    const { email, browser } = await member();
    await sql(service.parts.database, 'update users set email_verified = false where email = $1::text', [
      email,
    ]);
    await browser.post('/account/verify/send', (await browser.get('/account/verify')).hidden);
    const code = codeIn(await lastMailTo(service, email));
    return {
      ...(await open(browser, '/account/verify', { code })),
      leadsTo: '/account/email?done=verified',
    };
  },
  'another mail address': async () => {
    const { browser } = await member();
    const email = freshEmail();
    return {
      ...(await open(browser, '/account/email', { new_email: email })),
      leadsTo: '/account/email?done=sent',
      once: async () => expect(await mailsEverywhere(email)).toHaveLength(1),
    };
  },
  'a new password': async () => {
    const { email, browser } = await member();
    const fields = { current_password: PASSWORD, new_password: 'another good password' };
    return {
      ...(await open(browser, '/account/password', fields)),
      leadsTo: '/account/password?done=changed',
      once: async () => {
        expect(await sessionsOf(email)).toBe(1);
        expect((await browser.get('/account')).status).toBe(200);
      },
    };
  },
  'the profile': async () => {
    const { browser } = await member();
    return {
      ...(await open(browser, '/account/profile', { name: 'Ada Byron', phone: '', language: 'fr' })),
      leadsTo: '/account/profile?done=saved',
    };
  },
  'the end of an account': async () => {
    const { email, browser } = await member();
    return { ...(await open(browser, '/account/delete', { email })), leadsTo: '/?deleted=1' };
  },
  'sign-out': async () => {
    const { browser } = await member();
    return { ...(await open(browser, '/signout', {})), leadsTo: '/?signed-out=1' };
  },
  'an offer of an application': async () => {
    const [{ browser, userId }, other] = [await member(), await member()];
    const { clientId } = await service.createApplication({ ownerId: userId });
    const path = at(clientId, '/transfer');
    return {
      ...(await open(browser, path, { email: other.email })),
      leadsTo: `${at(clientId)}?done=offered`,
      once: async () =>
        expect(await rowsOf('select from transfer_offers where client_id = $1::text', clientId)).toBe(1),
    };
  },
  'what an operator does': async () => {
    const [{ email, userId }, { browser }] = [await member(), await signedInOperator(service)];
    const before = (await mailsEverywhere(email)).length;
    return {
      ...(await open(browser, accountPath(userId, 'suspend'), { reason: 'Spam.' })),
      leadsTo: new RegExp(`^${accountPath(userId)}`),
      once: async () => expect((await mailsEverywhere(email)).length).toBe(before + 1),
    };
  },
};

describe.each(Object.entries(FORMS))('%s', (_, fill) => {
  const expectSuccess = (answers: ExactAnswer[], { leadsTo }: Filled) => {
    for (const { status, location, body } of answers)
      expect([status, location, body]).toEqual([
        303,
        typeof leadsTo === 'string' ? leadsTo : expect.stringMatching(leadsTo),
        '',
      ]);
    const [one, other] = answers.map(({ setCookies }) => setCookies.get('sesame'));
    expect(other).toEqual(one);
  };

  test('two taps at once, at two processes', async () => {
    const form = await fill();
    const answers = await Promise.all([tap(form), tap(form, neighbour)]);
    expectSuccess(answers, form);
    for (const answer of answers) keep(form.browser, answer);
    await form.once?.();
  });

  test('one tap after the other, whose answer the browser has taken in', async () => {
    const form = await fill();
    const first = await tap(form);
    keep(form.browser, first);
    expectSuccess([first, await tap(form)], form);
    await form.once?.();
  });
});

test('an application: one, and the second tap leads to it', async () => {
  const { userId, browser } = await member();
  const { fields } = await open(browser, NEW, {});
  const form = { browser, path: NEW, fields: { ...REGISTRATION, ...fields }, leadsTo: '' } as Filled;
  const body = new URLSearchParams(
    Object.entries(form.fields).flatMap(([name, value]) => [value].flat().map((one) => [name, one])),
  );
  const send = () =>
    sendExactly(new URL(NEW, service.baseUrl), { method: 'POST', body, cookies: new Map(browser.cookies) });
  const statuses = (await Promise.all([send(), send()])).map(({ status }) => status);
  for (const status of statuses) expect([200, 303]).toContain(status);
  expect(await rowsOf('select from clients where owner_id = $1::uuid', userId)).toBe(1);
});

describe('the first answer is given again', () => {
  const filled = () => (FORMS['sign-up'] as () => Promise<Filled>)();

  test('though the browser hung up before the first one came', async () => {
    const form = await filled();
    const before = await claims();
    const first = httpRequest(new URL(form.path, service.baseUrl), {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        cookie: [...form.browser.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      },
    });
    first.on('error', () => {});
    first.end(String(new URLSearchParams(form.fields)));
    await until('the first one is at work', async () => (await claims()) > before);
    first.destroy();
    expect((await tap(form)).location).toMatch(/^\/account/);
    await form.once?.();
  });

  test('to nobody with another browser, however much of the form they know', async () => {
    const form = await filled();
    await tap(form);
    const browser = stranger();
    await browser.get('/signup');
    const answer = await tap({ ...form, browser });
    expect([answer.status, answer.location, answer.setCookies.has('sesame')]).toEqual([403, null, false]);
    const nothing = await tap({ ...form, browser: stranger() });
    expect([nothing.status, nothing.setCookies.has('sesame')]).toEqual([403, false]);
  });

  test('only for the very same form: another page, or other fields, is another wish', async () => {
    const form = await filled();
    await tap(form);
    const { csrf = '' } = (await form.browser.get('/signup')).hidden;
    const answer = await form.browser.post('/signup', { ...form.fields, csrf });
    expect(fieldError(answer.body, 'email')).toContain('already exists');
    const other = freshEmail();
    await tap({ ...form, fields: { ...form.fields, email: other } });
    expect(await findUserByEmail(service.parts.database, other)).toBeDefined();
  });

  test('for seconds: then it is asked anew', async () => {
    const form = await filled();
    await tap(form);
    service.clock.advance(16);
    const answer = await form.browser.post(form.path, form.fields);
    expect(fieldError(answer.body, 'email')).toContain('already exists');
  });

  test('not where the form was refused: it may be sent again as it is', async () => {
    const { email } = await service.createUser({ email: freshEmail() });
    const form = await open(stranger(), '/signin', { email, password: 'wrong' });
    const before = await claims();
    const answers = await Promise.all([tap(form as Filled), tap(form as Filled)]);
    for (const { location } of answers) expect(location).toBe('/signin');
    expect(await claims()).toBe(before);
  });

  test('and lies in the database so that nobody can open it, and not for long', async () => {
    const form = await filled();
    const { setCookies } = await tap(form);
    const rows = await sql(service.parts.database, 'select answer from used_forms where answer is not null');
    expect(JSON.stringify(rows)).not.toContain(cookieValue(setCookies.get('sesame')));
    for (const { answer } of rows)
      for (const purpose of ['answer', 'form answer'])
        expect(service.parts.sealer.open(purpose, String(answer))).toBeUndefined();
  });
});

test('however often it is sent meanwhile, few wait, one look-out asks for all of them, and one does the work', async () => {
  const { parts } = service;
  const form = await (FORMS['the profile'] as () => Promise<Filled>)();
  await tap(form);
  // The first one is still at work.
  const [row] = await sql(
    parts.database,
    'update used_forms set answer = null where key = (select key from used_forms where answer is not null order by expires_at desc limit 1) returning key',
  );
  const times = (name: string) => parts.database.usage().statements.get(name) ?? 0;
  const before = { looks: times('find_kept_answer'), works: times('change_profile') };
  const answers: ExactAnswer[] = [];
  const taps = Array.from({ length: 12 }, () => tap(form).then((answer) => answers.push(answer)));
  await until('those for whom there is no place to be answered', () => answers.length >= 4);
  for (const { status, headers } of answers) expect([status, headers.get('retry-after')]).toEqual([503, '2']);
  // What had taken it comes to nothing.
  await sql(parts.database, 'delete from used_forms where key = $1::bytea', [row?.key]);
  await Promise.all(taps);
  expect(answers.slice(4).map(({ status, location }) => [status, location])).toEqual(
    Array(8).fill([303, form.leadsTo]),
  );
  expect(times('change_profile') - before.works).toBe(1);
  expect(times('find_kept_answer') - before.looks).toBeLessThan(40);
});
