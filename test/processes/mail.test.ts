// Two processes of the service and a real SMTP server: one link, one winner; limits held together; nothing in the logs.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type BrowserSession, openBrowserSession, type Visit } from '../support/browser-session.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { databaseContent } from '../support/database-content.ts';
import { linkIn } from '../support/mail.ts';
import { endProcesses, type ServiceProcess, startService } from '../support/process.ts';
import { type SelfSigned, selfSigned } from '../support/self-signed.ts';
import { freePort } from '../support/service.ts';
import { type ReceivedMail, startSmtp, type TestSmtp } from '../support/smtp.ts';
import { until } from '../support/until.ts';

const LOGIN = { user: 'sesame', password: 'only-the-mail-server-knows' };
const PASSWORD = 'horse-battery-staple-42';
const CROWD = 20;

let database: TestDatabase;
let certificate: SelfSigned;
let smtp: TestSmtp;
let processes: ServiceProcess[];
beforeAll(async () => {
  [database, certificate] = await Promise.all([createTestDatabase(), selfSigned()]);
  smtp = await startSmtp({ security: 'starttls', certificate, login: LOGIN });
  const environment = {
    DATABASE_URL: database.url,
    BASE_URL: 'http://localhost:3000',
    SMTP_URL: `smtp://${LOGIN.user}:${LOGIN.password}@localhost:${smtp.port}?requireTLS=true`,
    MAIL_FROM: 'Sésame <no-reply@signin.example>',
    NODE_EXTRA_CA_CERTS: certificate.certFile,
    LOG_LEVEL: 'trace',
    HOURLY_LIMITS: 'on',
  };
  processes = await Promise.all([startService(environment), startService(environment)]);
});
afterAll(async () => {
  await endProcesses();
  await smtp.close();
  await certificate.remove();
  await database.drop();
});

let counter = 0;
const freshEmail = () => `person${++counter}@example.org`;
const addressOf = (index: number) => processes[index % 2]?.address ?? '';

async function mailTo(email: string, subject: string): Promise<ReceivedMail> {
  return until(`a mail to ${email}`, () =>
    smtp.mails.find((mail) => mail.recipients.includes(email) && mail.subject?.includes(subject)),
  );
}

/** Browsers at both processes, each with a page open. @param like whose cookies they have */
const crowd = (link: string, like?: BrowserSession): Promise<{ browser: BrowserSession; page: Visit }[]> =>
  Promise.all(
    Array.from({ length: CROWD }, async (_, index) => {
      const browser = openBrowserSession(addressOf(index));
      for (const [name, value] of like?.cookies ?? []) browser.cookies.set(name, value);
      return { browser, page: await browser.get(link) };
    }),
  );

async function signUp(email: string): Promise<BrowserSession> {
  const browser = openBrowserSession(addressOf(0));
  const page = await browser.get('/signup');
  const fields = { name: 'Zoé Müller', email, password: PASSWORD };
  expect((await browser.post('/signup', { ...page.hidden, ...fields })).status).toBe(303);
  return browser;
}

async function forget(email: string, index = 0): Promise<number> {
  const browser = openBrowserSession(addressOf(index));
  const page = await browser.get('/password/forgot');
  return (await browser.post('/password/forgot', { ...page.hidden, email })).status;
}

describe('one link, many browsers at both processes', () => {
  test('verification: one of them confirms, the others find the link used', async () => {
    const email = freshEmail();
    const browser = await signUp(email);
    const link = linkIn({ text: (await mailTo(email, 'Confirm')).text ?? '' });
    const answers = await Promise.all(
      (await crowd(link, browser)).map((one) => one.browser.post('/security/confirm', one.page.hidden)),
    );
    expect(answers.filter(({ status }) => status === 303)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(CROWD - 1);
  });

  test('reset: one new password counts, one browser is signed in', async () => {
    const email = freshEmail();
    await signUp(email);
    expect(await forget(email)).toBe(303);
    const link = linkIn({ text: (await mailTo(email, 'new password')).text ?? '' });
    // Fewer than the queue of password hashing takes.
    const browsers = await crowd(link);
    const answers = await Promise.all(
      browsers.map(({ browser, page }, index) =>
        browser.post('/password/reset', { ...page.hidden, new_password: `new password number ${index}` }),
      ),
    );
    expect(answers.filter(({ status }) => status === 303)).toHaveLength(1);
    expect(browsers.filter(({ browser }) => browser.cookies.has('sesame'))).toHaveLength(1);
    const winner = answers.findIndex(({ status }) => status === 303);
    const opens = async (password: string) => {
      const browser = openBrowserSession(addressOf(1));
      const page = await browser.get('/signin');
      return (await browser.post('/signin', { ...page.hidden, email, password })).status;
    };
    expect(await opens(`new password number ${winner}`)).toBe(303);
    expect(await opens(`new password number ${(winner + 1) % CROWD}`)).toBe(401);
    expect(await opens(PASSWORD)).toBe(401);
  });
});

test('both processes count the mails of a mailbox together', async () => {
  const email = freshEmail();
  await signUp(email);
  await mailTo(email, 'Confirm');
  for (let i = 0; i < 8; i++) expect(await forget(email, i)).toBe(303);
  const other = freshEmail();
  await signUp(other);
  await mailTo(other, 'Confirm');
  await until('the mails of both processes', async () => {
    for (const index of [0, 1]) await forget(other, index);
    return smtp.mails.filter(({ recipients }) => recipients.includes(other)).length === 5;
  });
  expect(smtp.mails.filter(({ recipients }) => recipients.includes(email))).toHaveLength(5);
});

test('every mail went over TLS, from the right sender', () => {
  expect(smtp.mails.length).toBeGreaterThan(5);
  for (const mail of smtp.mails) {
    expect(mail.secure).toBe(true);
    expect(mail.from?.address).toBe('no-reply@signin.example');
  }
});

test('a mail on its way is sent before the process ends', async () => {
  const email = freshEmail();
  await signUp(email);
  expect((await processes[0]?.stop())?.code).toBe(0);
  expect(smtp.mails.some(({ recipients }) => recipients.includes(email))).toBe(true);
});

test('a process that is killed right after the answer loses no mail: the next one sends it, once', async () => {
  const email = freshEmail();
  const settings = {
    DATABASE_URL: database.url,
    BASE_URL: 'http://localhost:3000',
    MAIL_FROM: 'no-reply@signin.example',
  };
  const away = await freePort();
  await Promise.all(processes.map((process) => process.stop()));
  const killed = await startService({ ...settings, SMTP_URL: `smtp://127.0.0.1:${away}` });
  const ask = async (path: string, fields: Record<string, string>) => {
    const browser = openBrowserSession(killed.address);
    return (await browser.post(path, { ...(await browser.get(path)).hidden, ...fields })).status;
  };
  expect(await ask('/signup', { name: 'Zoé', email, password: PASSWORD })).toBe(303);
  expect(await ask('/password/forgot', { email })).toBe(303);
  killed.signal('SIGKILL');
  await killed.ended();
  const back = await startSmtp({ port: away });
  try {
    const next = await startService({ ...settings, SMTP_URL: `smtp://127.0.0.1:${away}` });
    const subjects = () => back.mails.map(({ subject }) => subject ?? '').toSorted();
    await until('both mails', () => subjects().length === 2, 40_000);
    expect((await next.stop()).code).toBe(0);
    expect(subjects()).toEqual(['Choose a new password for Sésame', 'Confirm your address for Sésame']);
    expect((await databaseContent(database.url)).mails).toBe('[]');
  } finally {
    await back.close();
  }
});

test('nothing secret is in the logs at any level: no link, code, password, mailbox, nor the server’s password', () => {
  const logs = processes.map((process) => process.output()).join('\n');
  expect(logs).toContain('"listening"');
  const links = smtp.mails.flatMap(({ text }) => text?.match(/token=(\S+)/)?.[1] ?? []);
  const codes = smtp.mails.flatMap(({ text }) => text?.match(/^\d{8}$/m)?.[0] ?? []);
  expect([links.length > 0, codes.length > 0]).toEqual([true, true]);
  for (const secret of [LOGIN.password, PASSWORD, 'new password number', '@example.org', ...links])
    expect(logs).not.toContain(secret);
  for (const code of codes) expect(logs).not.toContain(`"${code}"`);
});

test('npm start says where mails are read, unless they are really sent', async () => {
  expect(processes[1]?.output()).not.toContain('/dev/mail');
  const development = await startService({ DATABASE_URL: database.url });
  expect(development.output()).toMatch(/Mails +http:\/\/localhost:\d+\/dev\/mail/);
});
