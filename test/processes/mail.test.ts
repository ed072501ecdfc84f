// Two processes send emails through an SMTP server with TLS.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowserSession } from '../support/browser-session.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { databaseContent } from '../support/database-content.ts';
import { readLink } from '../support/emails.ts';
import {
  createSelfSignedCertificate,
  type SelfSignedCertificate,
} from '../support/self-signed-certificate.ts';
import { findFreePort } from '../support/service.ts';
import { killProcesses, type ServiceProcess, startService } from '../support/service-process.ts';
import { startSmtp, type TestSmtp } from '../support/smtp.ts';
import { waitUntil } from '../support/wait-until.ts';

const LOGIN = { user: 'sesame', password: 'only-the-mail-server-knows' };
const PASSWORD = 'horse-battery-staple-42';
const CONCURRENT_REQUESTS = 10;
const SETTINGS = { BASE_URL: 'http://localhost:3000', MAIL_FROM: 'Sésame <no-reply@signin.example>' };

let database: TestDatabase;
let certificate: SelfSignedCertificate;
let smtp: TestSmtp;
let processes: ServiceProcess[];
beforeAll(async () => {
  [database, certificate] = await Promise.all([createTestDatabase(), createSelfSignedCertificate()]);
  smtp = await startSmtp({ security: 'starttls', certificate, login: LOGIN });
  const environment = {
    ...SETTINGS,
    DATABASE_URL: database.url,
    SMTP_URL: `smtp://${LOGIN.user}:${LOGIN.password}@localhost:${smtp.port}?requireTLS=true`,
    NODE_EXTRA_CA_CERTS: certificate.certFile,
    LOG_LEVEL: 'trace',
    HOURLY_LIMITS: 'on',
  };
  processes = await Promise.all([startService(environment), startService(environment)]);
});
afterAll(async () => {
  await killProcesses();
  await smtp.close();
  await certificate.remove();
  await database.drop();
});

const getProcessUrl = (index: number) => processes[index % 2]?.url ?? '';

async function send(baseUrl: string, path: string, fields: Record<string, string>): Promise<number> {
  const browser = openBrowserSession(baseUrl);
  return (await browser.post(path, { ...(await browser.get(path)).hidden, ...fields })).status;
}

const signUp = (email: string, baseUrl = getProcessUrl(0)) =>
  send(baseUrl, '/signup', { name: 'Zoé Müller', email, password: PASSWORD });

const findEmailsTo = (email: string) => smtp.emails.filter(({ recipients }) => recipients.includes(email));

test('concurrent uses of a password reset link set only one password', async () => {
  const email = 'reset@example.org';
  expect(await signUp(email)).toBe(303);
  expect(await send(getProcessUrl(1), '/password/forgot', { email })).toBe(303);
  const mail = await waitUntil('the email', () =>
    findEmailsTo(email).find(({ subject }) => subject?.includes('new password')),
  );
  expect([mail.secure, mail.from?.address]).toEqual([true, 'no-reply@signin.example']);
  const link = readLink({ text: mail.text ?? '' });
  const browsers = await Promise.all(
    Array.from({ length: CONCURRENT_REQUESTS }, async (_, index) => {
      const browser = openBrowserSession(getProcessUrl(index));
      return { browser, page: await browser.get(link) };
    }),
  );
  const responses = await Promise.all(
    browsers.map(({ browser, page }, index) =>
      browser.post('/password/reset', { ...page.hidden, new_password: `new password number ${index}` }),
    ),
  );
  const winner = responses.findIndex(({ status }) => status === 303);
  expect(responses.filter(({ status }) => status === 303)).toHaveLength(1);
  expect(browsers.filter(({ browser }) => browser.cookies.has('sesame'))).toHaveLength(1);
  const signIn = (password: string) => send(getProcessUrl(1), '/signin', { email, password });
  expect(await signIn(`new password number ${winner}`)).toBe(303);
  expect(await signIn(PASSWORD)).toBe(401);
});

test('all processes share the limit on emails per recipient', async () => {
  const email = 'counted@example.org';
  expect(await signUp(email)).toBe(303);
  for (let index = 0; index < 8; index++)
    expect(await send(getProcessUrl(index), '/password/forgot', { email })).toBe(303);
  await waitUntil('the limit to be reached', () => findEmailsTo(email).length === 5);
  // The process sends its remaining emails before it exits.
  expect((await processes[0]?.stop())?.code).toBe(0);
  expect(findEmailsTo(email)).toHaveLength(5);
});

test('emails from a killed process are sent once by the next process', async () => {
  const email = 'killed@example.org';
  const port = await findFreePort();
  const settings = { ...SETTINGS, DATABASE_URL: database.url, SMTP_URL: `smtp://127.0.0.1:${port}` };
  await Promise.all(processes.map((process) => process.stop()));
  const killed = await startService(settings);
  expect(await signUp(email, killed.url)).toBe(303);
  expect(await send(killed.url, '/password/forgot', { email })).toBe(303);
  killed.signal('SIGKILL');
  await killed.waitForExit();
  const newSmtp = await startSmtp({ port });
  try {
    const next = await startService(settings);
    await waitUntil('both emails', () => newSmtp.emails.length === 2, 40_000);
    expect((await next.stop()).code).toBe(0);
    expect(newSmtp.emails.map(({ subject }) => subject ?? '').toSorted()).toEqual([
      'Choose a new password for Sésame',
      'Confirm your email address for Sésame',
    ]);
    expect((await databaseContent(database.url)).outbox).toBe('[]');
  } finally {
    await newSmtp.close();
  }
});

test('the logs contain no secrets or email addresses at any level', () => {
  const logs = processes.map((process) => process.output()).join('\n');
  expect(logs).toContain('"listening"');
  const links = smtp.emails.flatMap(({ text }) => text?.match(/token=(\S+)/)?.[1] ?? []);
  const codes = smtp.emails.flatMap(({ text }) => text?.match(/^\d{8}$/m)?.[0] ?? []);
  expect([links.length > 0, codes.length > 0]).toEqual([true, true]);
  for (const secret of [LOGIN.password, PASSWORD, 'new password number', '@example.org', ...links])
    expect(logs).not.toContain(secret);
  for (const code of codes) expect(logs).not.toContain(`"${code}"`);
});
