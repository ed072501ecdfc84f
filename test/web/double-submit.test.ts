// A form that is submitted twice, even to two processes, takes effect once.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Queryable } from '../../src/store/database.ts';
import { recordPasswordAttempt } from '../../src/store/password-failures.ts';
import { insertServiceAccess } from '../../src/store/service-access.ts';
import { runOnce } from '../../src/store/used-tokens.ts';
import { type BrowserSession, openBrowserSession } from '../support/browser-session.ts';
import { findLastEmailTo, listEmailsTo, readCode } from '../support/emails.ts';
import { type ExactResponse, readCookieValue, sendExactRequest } from '../support/exact-response.ts';
import { readFieldError } from '../support/markup.ts';
import {
  createMfaAccount,
  createTotpCode,
  readElementText,
  readSetUpFields,
} from '../support/mfa-account.ts';
import { buildAuthorizeUrl, openSignedInBrowser, signIn } from '../support/oauth-flow.ts';
import {
  LARGE_POOL,
  PASSWORD,
  startTestService,
  type TestService,
  useTestService,
} from '../support/service.ts';
import { sql } from '../support/store-fixtures.ts';

const service = useTestService(LARGE_POOL);
let otherProcess: TestService;
beforeAll(async () => {
  otherProcess = await startTestService(LARGE_POOL, { databaseUrl: service.databaseUrl });
});
afterAll(() => otherProcess.close());

let emailCount = 0;
const newEmail = () => `impatient${++emailCount}@example.org`;
const queryRows = (text: string, ...values: unknown[]) => sql(service.services.database, text, values);

interface FilledForm {
  browser: BrowserSession;
  email?: string;
  path: string;
  fields: Record<string, string>;
  redirectsTo: RegExp;
  check?: () => Promise<void>;
}

async function openForm(browser: BrowserSession, path: string, fields: Record<string, string>) {
  return { browser, path, fields: { ...(await browser.get(path)).hidden, ...fields } };
}

const submit = ({ browser, path, fields }: FilledForm, { baseUrl } = service): Promise<ExactResponse> => {
  // Email leases expire by the clock, so both processes need the same time.
  otherProcess.clock.advance((service.clock.now().getTime() - otherProcess.clock.now().getTime()) / 1000);
  return sendExactRequest(new URL(path, baseUrl), {
    method: 'POST',
    body: new URLSearchParams(fields),
    headers: { accept: 'text/html', 'sec-fetch-site': 'same-origin' },
    cookies: new Map(browser.cookies),
  });
};

function saveCookies({ cookies }: BrowserSession, { setCookies }: ExactResponse): void {
  for (const [name, line] of setCookies)
    if (/max-age=0/i.test(line)) cookies.delete(name);
    else cookies.set(name, readCookieValue(line));
}

async function signInNewUser(fields = {}) {
  const user = await service.createUser({ email: newEmail(), emailVerified: true, ...fields });
  return { ...user, browser: await openSignedInBrowser(service, user) };
}

const fillSignUpForm = async (): Promise<FilledForm> => {
  const email = newEmail();
  const browser = openBrowserSession(service.baseUrl);
  return {
    ...(await openForm(browser, '/signup', { name: 'Ada', email, password: PASSWORD })),
    redirectsTo: /^\/account\/verify\?done=welcome/,
    async check() {
      expect((await browser.get('/account')).status).toBe(200);
      const events = await queryRows(
        'select kind from events e join users u on u.id = e.user_id where u.email = $1 order by e.id',
        email,
      );
      expect(events.filter(({ kind }) => kind === 'signed_up')).toHaveLength(1);
    },
  };
};

const fillRegistrationForm = async (): Promise<FilledForm> => {
  const { browser, email, userId } = await signInNewUser();
  const fields = { name: 'Carnet', redirect_uris: 'https://client.example/cb' };
  return {
    ...(await openForm(browser, '/console/applications/new', { ...fields, type: 'web' })),
    email,
    redirectsTo: /^\/console\/applications\/app_[\w-]+\/secrets\/1\?done=registered$/,
    check: async () =>
      expect(await queryRows('select from clients where owner_id = $1', userId)).toHaveLength(1),
  };
};

const fillAppForm = async (): Promise<FilledForm> => {
  const { browser, email } = await signInNewUser();
  const page = await browser.get('/account/security/app');
  const code = createTotpCode(service, readElementText(page, 'key').replaceAll(' ', ''));
  const fields = { ...readSetUpFields(page), code };
  return {
    browser,
    email,
    path: '/account/security/app',
    fields,
    redirectsTo: /^\/account\/security\/codes$/,
  };
};

const FORMS: Record<string, () => Promise<FilledForm>> = {
  'sign-up': fillSignUpForm,
  'sign-in': async () => {
    const { email, password } = await service.createUser({ email: newEmail() });
    const browser = openBrowserSession(service.baseUrl);
    return {
      ...(await openForm(browser, '/signin', { email, password })),
      redirectsTo: /^\/account$/,
      check: async () => expect((await browser.get('/account')).status).toBe(200),
    };
  },
  consent: async () => {
    const { browser, userId } = await signInNewUser();
    const application = await service.createClient();
    const authorization = await browser.get(buildAuthorizeUrl(service, application));
    const { hidden } = await browser.get(authorization.location ?? '');
    return {
      ...{ browser, path: '/consent', fields: { ...hidden, decision: 'allow' } },
      redirectsTo: /[?&]code=/,
      async check() {
        const consentEvents = "select from events where user_id = $1 and kind = 'consent_given'";
        expect(await queryRows(consentEvents, userId)).toHaveLength(1);
      },
    };
  },
  'registering an application': fillRegistrationForm,
  'registering an API': async () => {
    const { browser, userId } = await signInNewUser();
    const fields = {
      name: 'Notes',
      description_fr: 'Notes',
      description_en: 'Notes',
      token_lifetime: '3600',
      allowed_clients: 'own',
    };
    const identifier = `https://notes${++emailCount}.example/`;
    return {
      ...(await openForm(browser, '/console/apis/new', { ...fields, identifier })),
      redirectsTo: /^\/console\/apis\/api_[\w-]+\?done=created$/,
      check: async () =>
        expect(await queryRows('select from apis where owner_id = $1', userId)).toHaveLength(1),
    };
  },
  'deleting an application': async () => {
    const { browser, userId } = await signInNewUser();
    const { clientId } = await service.createClient({ ownerId: userId, name: 'Carnet' });
    return {
      ...(await openForm(browser, `/console/applications/${clientId}/delete`, { name: 'Carnet' })),
      redirectsTo: /^\/console\/applications\?done=deleted$/,
    };
  },
  'deleting an API’s scope': async () => {
    const { browser, userId } = await signInNewUser();
    const { apiId } = await service.createApi({ ownerId: userId });
    return {
      ...(await openForm(browser, `/console/apis/${apiId}/scopes/remove-read`, {})),
      redirectsTo: /\/scopes\?done=removed$/,
    };
  },
  'accepting a transfer': async () => {
    const [owner, newOwner] = [await signInNewUser(), await signInNewUser()];
    const { clientId } = await service.createClient({ ownerId: owner.userId });
    const page = `/console/applications/${clientId}/transfer`;
    await submit({ ...(await openForm(owner.browser, page, { email: newOwner.email })), redirectsTo: /./ });
    return { ...(await openForm(newOwner.browser, `${page}/accept`, {})), redirectsTo: /\?done=accepted$/ };
  },
  'refusing access to an API': async () => {
    const { browser, userId } = await signInNewUser();
    const api = await service.createApi({ ownerId: userId });
    const { clientId } = await service.createClient();
    const access = { apiId: api.apiId, clientId, scopes: ['read'], granted: false };
    await insertServiceAccess(service.services.database, access, service.clock.now());
    const path = `/console/apis/${api.apiId}/requests/answer?client_id=${clientId}`;
    return {
      ...(await openForm(browser, path, { decision: 'end' })),
      redirectsTo: /\/requests\?done=ended$/,
    };
  },
  'deleting an account': async () => {
    const { browser, email } = await signInNewUser();
    return { ...(await openForm(browser, '/account/delete', { email })), redirectsTo: /^\/\?deleted=1$/ };
  },
  'deleting an account as an administrator': async () => {
    const { browser } = await signInNewUser({ isAdmin: true });
    const { userId, email } = await service.createUser();
    const path = `/console/operations/accounts/${userId}/delete`;
    return {
      ...(await openForm(browser, path, { email })),
      redirectsTo: /^\/console\/operations\/accounts\?done=delete$/,
    };
  },
  'creating recovery codes': async () => {
    const { user, browser } = await createMfaAccount(service);
    otherProcess.clock.advance(30);
    return {
      ...(await openForm(browser, '/account/security/codes/new', {})),
      email: user.email,
      redirectsTo: /^\/account\/security\/codes$/,
      async check() {
        const codesPage = await browser.get('/account/security/codes');
        expect(readElementText(codesPage, 'codes').split('\n')).toHaveLength(10);
        const creationEvents = "select from events where user_id = $1 and kind = 'recovery_codes_made'";
        expect(await queryRows(creationEvents, user.userId)).toHaveLength(1);
      },
    };
  },
  'creating a secret': async () => {
    const { browser, userId, email } = await signInNewUser();
    const { clientId } = await service.createClient({ ownerId: userId });
    return {
      ...(await openForm(browser, `/console/applications/${clientId}/secrets`, { overlap: '3600' })),
      email,
      redirectsTo: /\/secrets\/2$/,
      async check() {
        expect(await queryRows('select from secrets where holder = $1', clientId)).toHaveLength(2);
        const emails = [
          ...(await listEmailsTo(service, email)),
          ...(await listEmailsTo(otherProcess, email)),
        ];
        expect(emails.filter(({ subject }) => subject.startsWith('Nouveau secret'))).toHaveLength(1);
      },
    };
  },
  'creating a secret after re-authentication with a code': async () => {
    const { user, browser, secret } = await createMfaAccount(service);
    const { clientId } = await service.createClient({ ownerId: user.userId });
    service.clock.advance(16 * 60);
    const factors = { current_password: PASSWORD, confirmation_code: createTotpCode(service, secret) };
    const path = `/console/applications/${clientId}/secrets`;
    return {
      ...(await openForm(browser, path, { overlap: '0', ...factors })),
      redirectsTo: /\/secrets\/2$/,
      check: async () =>
        expect(readElementText(await browser.get(`${path}/2`), 'client-secret')).not.toBe(''),
    };
  },
};

const SEQUENTIAL_FORMS: typeof FORMS = {
  'signing in with an emailed code': async () => {
    const user = await service.createUser({ email: newEmail() });
    const failedAttempts = { userId: user.userId, unknownEmailKey: '', ip: '192.0.2.1', wrong: 100 };
    await recordPasswordAttempt(service.services.database, failedAttempts, service.clock.now());
    const browser = openBrowserSession(service.baseUrl);
    const { hidden } = await signIn(browser, user);
    const code = readCode(await findLastEmailTo(service, user.email));
    return {
      ...{ browser, path: '/signin/code', fields: { ...hidden, code }, redirectsTo: /^\/account$/ },
      check: async () => expect((await browser.get('/account')).status).toBe(200),
    };
  },
};

describe.each(Object.entries({ ...FORMS, ...SEQUENTIAL_FORMS }))('the form for %s', (name, fillForm) => {
  const expectSameResult = (responses: ExactResponse[], { redirectsTo }: FilledForm) => {
    for (const { status, location } of responses)
      expect([status, location]).toEqual([303, expect.stringMatching(redirectsTo)]);
    if (name !== 'consent') expect(responses[0]?.location).toBe(responses[1]?.location);
  };

  const submitConcurrently = async () => {
    const form = await fillForm();
    const responses = await Promise.all([submit(form), submit(form, otherProcess)]);
    expectSameResult(responses, form);
    for (const response of responses) saveCookies(form.browser, response);
    await form.check?.();
  };
  if (name in FORMS) test('takes effect once on two processes', submitConcurrently);

  test('takes effect once if it is submitted twice', async () => {
    const form = await fillForm();
    const responses = [await submit(form), await submit(form)];
    expectSameResult(responses, form);
    for (const response of responses) saveCookies(form.browser, response);
    await form.check?.();
  });
});

const ALERT_SUBJECT = /^Nouveau secret|^Nouveaux codes de secours|^Application d’authentification ajoutée/;
test.each([
  ['creating a secret', FORMS['creating a secret']],
  ['registering a client', fillRegistrationForm],
  ['creating recovery codes', FORMS['creating recovery codes']],
  ['setting up an authenticator app', fillAppForm],
] as const)('the form for %s can be resubmitted if storing the alert failed', async (_, fillForm) => {
  const form = await (fillForm ?? fillAppForm)();
  await queryRows('alter table outbox rename to outbox_away');
  const failed = await submit(form);
  await queryRows('alter table outbox_away rename to outbox');
  expect(failed.status).toBe(500);
  const response = await submit(form);
  expect([response.status, response.location]).toEqual([303, expect.stringMatching(form.redirectsTo)]);
  const emails = [service, otherProcess].map((process) => listEmailsTo(process, form.email ?? ''));
  const subjects = (await Promise.all(emails)).flat().map(({ subject }) => subject);
  expect(subjects.filter((subject) => ALERT_SUBJECT.test(subject))).toHaveLength(1);
});

test.each([
  ['result', 'update of result on used_tokens'],
  ['email', 'insert on outbox'],
])('a deletion is rolled back if the %s cannot be stored', async (_, event) => {
  const { browser, userId, email } = await signInNewUser();
  const { clientId } = await service.createClient({ ownerId: userId, name: 'Carnet' });
  const path = `/console/applications/${clientId}/delete`;
  const form = { ...(await openForm(browser, path, { name: 'Carnet' })), redirectsTo: /deleted/ };
  await queryRows("create function fail() returns trigger as $$ begin raise 'full'; end $$ language plpgsql");
  await queryRows(`create trigger fail before ${event} for each row execute function fail()`);
  const first = await submit(form);
  await queryRows('drop function fail cascade');
  expect(first.status).toBe(500);
  expect((await submit(form)).location).toBe('/console/applications?done=deleted');
  expect(await queryRows('select from clients where owner_id = $1', userId)).toHaveLength(0);
  const emails = await listEmailsTo(service, email);
  expect(emails.filter(({ text }) => text.includes('Carnet'))).toHaveLength(1);
});

test('the stored result of a form is kept while a repeated submission reads it', async () => {
  const { database } = service.services;
  const form = { userId: randomUUID(), key: Buffer.from('form'), until: new Date() };
  const submitOnce = (transaction: Queryable) => runOnce(transaction, form, form.until, async () => 'done');
  await database.transaction(submitOnce);
  const repeated = await database.transaction(async (transaction) => ({
    ...(await submitOnce(transaction)),
    prunable: await queryRows('select from used_tokens where key = $1 for update skip locked', form.key),
  }));
  expect(repeated).toMatchObject({ result: 'done', isRepeat: true, prunable: [] });
});

test('a registration repeated after session expiry redirects to sign-in', async () => {
  const form = await fillRegistrationForm();
  await submit(form);
  await queryRows('delete from sessions');
  expect((await submit(form)).location).toMatch(/^\/signin\?next=/);
});

describe('a repeated deletion', () => {
  const submitDeletion = async () => {
    const { browser, userId } = await signInNewUser();
    const { clientId } = await service.createClient({ ownerId: userId, name: 'Carnet' });
    const path = `/console/applications/${clientId}/delete`;
    const form = { ...(await openForm(browser, path, { name: 'Carnet' })), redirectsTo: /deleted/ };
    expect((await submit(form)).location).toBe('/console/applications?done=deleted');
    return form;
  };

  test('redirects to the same URL', async () => {
    const form = await submitDeletion();
    const { cookies } = form.browser;
    cookies.set('sesame-others', cookies.get('sesame') ?? '');
    cookies.set('sesame', (await signInNewUser()).browser.cookies.get('sesame') ?? '');
    expect((await submit(form)).location).toBe('/console/applications?done=deleted');
  });

  test("is rejected in another account's session", async () => {
    const form = await submitDeletion();
    const { browser } = await signInNewUser();
    const unsubmitted = { ...form, browser, path: '/console/applications/app_x/delete' };
    const [repeated, first] = [await submit({ ...form, browser }), await submit(unsubmitted)];
    expect([repeated.status, first.status]).toEqual([403, 403]);
  });

  test('redirects to sign-in after the user has signed out', async () => {
    const form = await submitDeletion();
    form.browser.cookies.delete('sesame');
    expect((await submit(form)).location).toMatch(/^\/signin\?next=/);
  });
});

describe('a repeated sign-up form', () => {
  test('does not sign the user in with a different password', async () => {
    const form = await fillSignUpForm();
    await submit(form);
    const wrongPassword = await submit({
      ...form,
      fields: { ...form.fields, password: 'another good password' },
    });
    expect(wrongPassword.setCookies.has('sesame')).toBe(false);
    const browser = openBrowserSession(service.baseUrl);
    await browser.get('/signup');
    expect((await submit({ ...form, browser })).status).toBe(403);
  });

  test('creates a second account for a different email address', async () => {
    const form = await fillSignUpForm();
    await submit(form);
    const email = newEmail();
    await submit({ ...form, fields: { ...form.fields, email } });
    expect(await queryRows('select from users where email = $1', email)).toHaveLength(1);
    const { csrf = '' } = (await form.browser.get('/signup')).hidden;
    const rejected = await form.browser.post('/signup', { ...form.fields, csrf });
    expect(readFieldError(rejected.body, 'email')).toContain('already exists');
  });
});
