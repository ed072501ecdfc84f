// Two processes of the service and a real SMTP server over TLS.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowserSession } from '../support/browser-session.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { databaseContent } from '../support/database-content.ts';
import { linkIn } from '../support/mail.ts';
import { endProcesses, type ServiceProcess, startService } from '../support/process.ts';
import { type SelfSigned, selfSigned } from '../support/self-signed.ts';
import { freePort } from '../support/service.ts';
import { startSmtp, type TestSmtp } from '../support/smtp.ts';
import { until } from '../support/until.ts';

const LOGIN = { user: 'sesame', password: 'only-the-mail-server-knows' };
const PASSWORD = 'horse-battery-staple-42';
const CROWD = 10;
const BASE = { BASE_URL: 'http://localhost:3000', MAIL_FROM: 'Sésame <no-reply@signin.example>' };

let database: TestDatabase;
let certificate: SelfSigned;
let smtp: TestSmtp;
let processes: ServiceProcess[];
beforeAll(async () => {
  [database, certificate] = await Promise.all([createTestDatabase(), selfSigned()]);
  smtp = await startSmtp({ security: 'starttls', certificate, login: LOGIN });
  const environment = {
    ...BASE,
    DATABASE_URL: database.url,
    SMTP_URL: `smtp://${LOGIN.user}:${LOGIN.password}@localhost:${smtp.port}?requireTLS=true`,
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

const urlOf = (index: number) => processes[index % 2]?.address ?? '';

async function send(baseUrl: string, path: string, fields: Record<string, string>): Promise<number> {
  const browser = openBrowserSession(baseUrl);
  return (await browser.post(path, { ...(await browser.get(path)).hidden, ...fields })).status;
}

const signUp = (email: string, baseUrl = urlOf(0)) =>
  send(baseUrl, '/signup', { name: 'Zoé Müller', email, password: PASSWORD });

const mailsTo = (email: string) => smtp.mails.filter(({ recipients }) => recipients.includes(email));

test('a reset link raced at both processes sets one password and signs one browser in', async () => {
  const email = 'reset@example.org';
  expect(await signUp(email)).toBe(303);
  expect(await send(urlOf(1), '/password/forgot', { email })).toBe(303);
  const mail = await until('the email', () =>
    mailsTo(email).find(({ subject }) => subject?.includes('new password')),
  );
  expect([mail.secure, mail.from?.address]).toEqual([true, 'no-reply@signin.example']);
  const link = linkIn({ text: mail.text ?? '' });
  const browsers = await Promise.all(
    Array.from({ length: CROWD }, async (_, index) => {
      const browser = openBrowserSession(urlOf(index));
      return { browser, page: await browser.get(link) };
    }),
  );
  const answers = await Promise.all(
    browsers.map(({ browser, page }, index) =>
      browser.post('/password/reset', { ...page.hidden, new_password: `new password number ${index}` }),
    ),
  );
  const winner = answers.findIndex(({ status }) => status === 303);
  expect(answers.filter(({ status }) => status === 303)).toHaveLength(1);
  expect(browsers.filter(({ browser }) => browser.cookies.has('sesame'))).toHaveLength(1);
  const signIn = (password: string) => send(urlOf(1), '/signin', { email, password });
  expect(await signIn(`new password number ${winner}`)).toBe(303);
  expect(await signIn(PASSWORD)).toBe(401);
});

test('both processes count the emails of a mailbox together', async () => {
  const email = 'counted@example.org';
  expect(await signUp(email)).toBe(303);
  for (let i = 0; i < 8; i++) expect(await send(urlOf(i), '/password/forgot', { email })).toBe(303);
  await until('the limit', () => mailsTo(email).length === 5);
  expect((await processes[0]?.stop())?.code).toBe(0); // what is being sent is sent before the end
  expect(mailsTo(email)).toHaveLength(5);
});

test('a process killed right after its response loses no email: the next process sends it once', async () => {
  const email = 'killed@example.org';
  const port = await freePort();
  const settings = { ...BASE, DATABASE_URL: database.url, SMTP_URL: `smtp://127.0.0.1:${port}` };
  await Promise.all(processes.map((process) => process.stop()));
  const killed = await startService(settings);
  expect(await signUp(email, killed.address)).toBe(303);
  expect(await send(killed.address, '/password/forgot', { email })).toBe(303);
  killed.signal('SIGKILL');
  await killed.ended();
  const back = await startSmtp({ port });
  try {
    const next = await startService(settings);
    await until('both emails', () => back.mails.length === 2, 40_000);
    expect((await next.stop()).code).toBe(0);
    expect(back.mails.map(({ subject }) => subject ?? '').toSorted()).toEqual([
      'Choose a new password for Sésame',
      'Confirm your address for Sésame',
    ]);
    expect((await databaseContent(database.url)).mails).toBe('[]');
  } finally {
    await back.close();
  }
});

test('the logs hold no link, code, password, mailbox or SMTP password at any level', () => {
  const logs = processes.map((process) => process.output()).join('\n');
  expect(logs).toContain('"listening"');
  const links = smtp.mails.flatMap(({ text }) => text?.match(/token=(\S+)/)?.[1] ?? []);
  const codes = smtp.mails.flatMap(({ text }) => text?.match(/^\d{8}$/m)?.[0] ?? []);
  expect([links.length > 0, codes.length > 0]).toEqual([true, true]);
  for (const secret of [LOGIN.password, PASSWORD, 'new password number', '@example.org', ...links])
    expect(logs).not.toContain(secret);
  for (const code of codes) expect(logs).not.toContain(`"${code}"`);
});
