// Delivery to real SMTP servers, retries, and the outbox.
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { createMailer, type Mailer } from '../../src/mail/delivery.ts';
import { toGreetingName } from '../../src/mail/display-names.ts';
import type { Email } from '../../src/mail/email.ts';
import { type DeferredEmail, sealContent } from '../../src/mail/outbox-content.ts';
import { DeliveryError } from '../../src/mail/smtp.ts';
import { createSealer } from '../../src/oauth/seal.ts';
import { NIL_USER_ID } from '../../src/store/nil-user-id.ts';
import { queueEmail } from '../../src/store/outbox.ts';
import { createSelfSignedCertificate } from '../support/self-signed-certificate.ts';
import { findFreePort } from '../support/service.ts';
import { createSmtpError, startSmtp, type TestSmtp } from '../support/smtp.ts';
import { openTestDatabase, sql } from '../support/store-fixtures.ts';
import { waitUntil } from '../support/wait-until.ts';

const NOW = new Date('2026-11-20T12:00:00Z');
const SMTP_LOGIN = { user: 'sésame@mail.example', password: 'p@ss/w:ord?' };
const URL_CREDENTIALS = `${encodeURIComponent(SMTP_LOGIN.user)}:${encodeURIComponent(SMTP_LOGIN.password)}`;

const [certificate, { database, close: closeDatabase }] = await Promise.all([
  createSelfSignedCertificate(),
  openTestDatabase(),
]);
afterAll(async () => {
  await closeDatabase();
  await certificate.remove();
});

const resourcesToClose: (Mailer | TestSmtp)[] = [];
afterEach(async () => {
  for (const resource of resourcesToClose.splice(0)) await resource.close();
  await sql(database, 'delete from outbox');
  clock = NOW;
});

let clock = NOW;
const advance = (seconds: number) => {
  clock = new Date(clock.getTime() + seconds * 1000);
};
const listUnsentEmails = () => sql(database, 'select * from outbox order by number');
const sealer = createSealer('a secret key for tests only: 0123456789abcdef');

async function startServer(options: Parameters<typeof startSmtp>[0] = {}): Promise<TestSmtp> {
  const server = await startSmtp(options);
  resourcesToClose.push(server);
  return server;
}

function startMailer(
  smtpUrl: string,
  dependencies: Partial<Parameters<typeof createMailer>[2]> = {},
  baseUrl = 'https://signin.example',
) {
  let log = '';
  const stream = new Writable({
    write: (chunk, _encoding, done) => {
      log += chunk;
      done();
    },
  });
  const config = {
    ...readConfig({ BASE_URL: baseUrl }),
    smtpUrl,
    mailFrom: 'Sésame <no-reply@signin.example>',
    production: true,
  };
  const mailer = createMailer(config, pino(stream), {
    database,
    sealer: async () => sealer,
    now: () => clock,
    compose: async () => undefined,
    ...dependencies,
  });
  resourcesToClose.unshift(mailer);
  return { mailer, log: () => log };
}

const LINK = 'https://signin.example/password/reset?token=SECRETTOKEN';
const createEmail = (to: Partial<Email['to']> = {}): Email => ({
  kind: 'reset_password',
  to: { name: 'Zoé Müller', email: 'zoe@example.org', ...to },
  locale: 'fr',
  link: LINK,
});
async function sendEmail(options: Parameters<typeof startServer>[0] = {}, to: Partial<Email['to']> = {}) {
  const server = await startServer(options);
  const { mailer, log } = startMailer(`smtp://127.0.0.1:${server.port}`);
  await mailer.send(createEmail(to));
  await mailer.idle();
  return { server, mailer, log };
}
const DEFERRED_EMAIL: DeferredEmail = {
  kind: 'deferred',
  template: 'reset_password',
  email: 'zoe@example.org',
  locale: 'fr',
  returnTo: {},
};
const LATER = new Date(NOW.getTime() + 60_000);

describe('a delivered email', () => {
  test('contains text and HTML in the user’s language', async () => {
    const { server } = await sendEmail();
    const [mail] = server.emails;
    expect(mail).toMatchObject({
      from: { name: 'Sésame', address: 'no-reply@signin.example' },
      to: [{ name: 'Zoé Müller', address: 'zoe@example.org' }],
      subject: 'Choisissez un nouveau mot de passe pour Sésame',
      recipients: ['zoe@example.org'],
      date: NOW.toISOString(),
    });
    expect(mail?.text).toContain(LINK);
    expect(mail?.html).toContain(`href="${LINK}"`);
    expect(mail?.text).toContain('Bonjour Zoé Müller,');
    const headers = new Map(mail?.headers.map(({ key, value }) => [key, value]));
    expect(headers.get('auto-submitted')).toBe('auto-generated');
    expect(headers.get('message-id')).toMatch(/^<[0-9a-f]{32}@signin\.example>$/);
    expect(mail?.attachments).toMatchObject([
      { mimeType: 'image/png', disposition: 'inline', contentId: '<logo>', related: true },
    ]);
    expect(mail?.html).toContain('src="cid:logo"');
  });

  test.each([
    ['a line break and a header', 'Zoé\r\nBcc: evil\r\nX-Evil: 1'],
    ['quotes, brackets and commas', '"Zoé" <evil>, Eve'],
    ['very many words', 'Zoé '.repeat(60).trim()],
  ])('has no injected headers if the name contains %s', async (_, name) => {
    const { server } = await sendEmail({}, { name });
    const [mail] = server.emails;
    expect(mail?.recipients).toEqual(['zoe@example.org']);
    expect(mail?.to?.map(({ address }) => address)).toEqual(['zoe@example.org']);
    expect(mail?.bcc).toBeUndefined();
    const keys = mail?.headers.map(({ key }) => key) ?? [];
    expect(keys.filter((key) => key === 'bcc' || key === 'x-evil')).toEqual([]);
    const [head = ''] = (mail?.raw ?? '').split('\r\n\r\n');
    expect(head.split('\r\n').every((line) => line.length <= 998)).toBe(true);
    expect(mail?.to?.[0]?.name).toBe(toGreetingName(name));
  });
});

describe('SMTP delivery', () => {
  test('supports special characters in the username and password', async () => {
    const server = await startServer({ security: 'tls', certificate, login: SMTP_LOGIN });
    const { mailer, log } = startMailer(
      `smtps://${URL_CREDENTIALS}@localhost:${server.port}?tls.rejectUnauthorized=false`,
    );
    await mailer.send(createEmail());
    await mailer.idle();
    expect(log()).toBe('');
    expect(server.emails).toMatchObject([{ secure: true, recipients: ['zoe@example.org'] }]);
  });

  test('uses STARTTLS for an smtp: URL if the server offers it', async () => {
    const server = await startServer({ security: 'starttls', certificate, login: SMTP_LOGIN });
    const { mailer } = startMailer(
      `smtp://${URL_CREDENTIALS}@localhost:${server.port}?tls.rejectUnauthorized=false`,
    );
    await mailer.send(createEmail());
    await mailer.idle();
    expect(server.emails).toMatchObject([{ secure: true }]);
  });

  test('sends the host of BASE_URL in EHLO', async () => {
    const server = await startServer();
    const { mailer } = startMailer(`smtp://127.0.0.1:${server.port}`);
    await mailer.send(createEmail());
    await mailer.idle();
    expect(server.emails).toMatchObject([{ greeting: 'signin.example' }]);
  });

  test('fails if the certificate is self-signed', async () => {
    for (const [security, scheme] of [
      ['tls', 'smtps'],
      ['starttls', 'smtp'],
    ] as const) {
      const server = await startServer({ security, certificate });
      const { mailer, log } = startMailer(`${scheme}://localhost:${server.port}`);
      await mailer.send(createEmail());
      await mailer.idle();
      expect(server.countAttempts()).toBe(0);
      expect(log()).toContain('DEPTH_ZERO_SELF_SIGNED_CERT');
      expect(log()).toContain('is not trusted; check NODE_EXTRA_CA_CERTS');
      await sql(database, 'delete from outbox');
    }
  });

  test('reports untrusted and expired certificates differently', () => {
    for (const originalCode of ['CERT_HAS_EXPIRED', 'ERR_TLS_CERT_ALTNAME_INVALID'])
      expect(new DeliveryError({ code: 'ESOCKET', originalCode }).reason).toContain('has expired or is for');
    expect(new DeliveryError({ code: 'CERT_UNTRUSTED' }).reason).toContain('is not trusted');
  });
});

describe('a failed delivery', () => {
  const rejectEmails = (code: number, times = Number.POSITIVE_INFINITY) => ({
    acceptEmail: (count: number) => {
      if (count <= times) throw createSmtpError(code, 'not zoe@example.org');
    },
  });

  test('is retried with increasing delays until the emailed link expires', async () => {
    const server = await startServer(rejectEmails(451));
    const { mailer, log } = startMailer(`smtp://127.0.0.1:${server.port}`);
    await mailer.send(createEmail());
    const attempts: number[] = [];
    for (const seconds of [0, 1, 1, 15, 60, 300, 900, 3600, 3600]) {
      advance(seconds);
      await mailer.idle();
      attempts.push(server.countAttempts());
    }
    expect(attempts, 'attempts after 0, 1, 2, 17, 77 … seconds').toEqual([1, 1, 2, 3, 4, 5, 6, 6, 6]);
    expect(log().match(/; retrying/g)).toHaveLength(5);
    expect(log()).toContain('"could not send an email"');
    expect(await listUnsentEmails()).toEqual([]);
  });

  test('is retried after a temporary error', async () => {
    const { server, mailer } = await sendEmail(rejectEmails(451, 1));
    advance(2);
    await mailer.idle();
    expect([server.countAttempts(), server.emails.length]).toEqual([2, 1]);
    expect(await listUnsentEmails()).toEqual([]);
  });

  test('is not retried after a permanent error', async () => {
    const { server } = await sendEmail(rejectEmails(550));
    expect(server.countAttempts()).toBe(1);
    expect(await listUnsentEmails()).toEqual([]);
  });

  test.each([
    [550, '5.1.1 no such mailbox'],
    [550, 'no such user here'],
    [552, '5.2.2 the mailbox is full'],
  ])('is not retried if the server rejects the recipient (%i %s)', async (code, text) => {
    const { log } = await sendEmail({ refuseRecipient: createSmtpError(code, text) });
    expect(await listUnsentEmails()).toEqual([]);
    expect(log()).toContain(`EENVELOPE ${code} RCPT TO`);
  });

  test.each([
    [530, '5.7.0 Authentication required', 'requires a user name and a password'],
    [550, '5.7.1 Client was not authenticated', 'requires a user name and a password'],
    [554, '5.7.1 <zoe@example.org>: Relay access denied', 'does not relay mail from this client'],
    [550, '5.7.1 Client host rejected', undefined],
  ])('is retried if the server rejects the client or sender (%i %s)', async (code, text, reason) => {
    const { log } = await sendEmail({ refuseRecipient: createSmtpError(code, text) });
    expect(await listUnsentEmails()).toHaveLength(1);
    expect(log()).toContain('; retrying');
    expect(log()).not.toContain('zoe@example.org');
    if (reason !== undefined) expect(log()).toContain(reason);
  });

  test('is retried if the server is unreachable', async () => {
    const port = await findFreePort();
    const { mailer, log } = startMailer(`smtp://127.0.0.1:${port}`);
    await mailer.send(createEmail());
    await mailer.idle();
    expect(log()).toContain('ECONNREFUSED');
    expect(log()).toContain('no server is listening on this host and port');
    const server = await startServer({ port });
    advance(2);
    await mailer.idle();
    expect(server.emails).toHaveLength(1);
  });

  test('is retried if the SMTP credentials are wrong', async () => {
    const server = await startServer({ login: SMTP_LOGIN });
    const { mailer, log } = startMailer(`smtp://user:hunter2@127.0.0.1:${server.port}`);
    await mailer.send(createEmail());
    await mailer.idle();
    expect(server.countAttempts()).toBe(0);
    expect(log()).toContain('EAUTH 535');
    advance(2);
    const { mailer: corrected } = startMailer(`smtp://${URL_CREDENTIALS}@127.0.0.1:${server.port}`);
    await corrected.idle();
    expect(server.emails).toHaveLength(1);
  });

  test('is logged without the email’s content or recipient', async () => {
    const server = await startServer({
      login: SMTP_LOGIN,
      acceptEmail: (count) => {
        throw createSmtpError(count === 1 ? 451 : 550, 'no zoe@example.org here');
      },
    });
    const { mailer, log } = startMailer(`smtp://${URL_CREDENTIALS}@127.0.0.1:${server.port}`);
    await mailer.send(createEmail());
    await mailer.idle();
    advance(2);
    await mailer.idle();
    expect(log()).toContain('could not send an email');
    for (const secret of ['SECRETTOKEN', 'zoe', 'Zoé', 'p@ss', 'p%40ss', SMTP_LOGIN.user])
      expect(log()).not.toContain(secret);
  });

  test('does not block other emails', async () => {
    const server = await startServer();
    let isFailing = true;
    const { mailer, log } = startMailer(`smtp://127.0.0.1:${server.port}`, {
      compose: async () => {
        if (isFailing) throw new Error('the database is down');
        return async () => createEmail({ email: 'deferred@example.org' });
      },
    });
    await mailer.send(DEFERRED_EMAIL);
    await mailer.send(createEmail());
    await mailer.idle();
    expect(log()).toContain('the database is down');
    expect(server.emails).toHaveLength(1);
    isFailing = false;
    advance(2);
    await mailer.idle();
    expect(server.emails.map(({ recipients }) => recipients[0])).toEqual([
      'zoe@example.org',
      'deferred@example.org',
    ]);
  });

  test('is retried without composing the email again', async () => {
    const server = await startServer(rejectEmails(451, 2));
    let composed = 0;
    const { mailer } = startMailer(`smtp://127.0.0.1:${server.port}`, {
      compose: async () => async () => {
        composed += 1;
        return createEmail();
      },
    });
    await mailer.send(DEFERRED_EMAIL);
    for (const seconds of [0, 2, 15]) {
      advance(seconds);
      await mailer.idle();
    }
    expect([composed, server.emails.length]).toEqual([1, 1]);
  });
});

describe('the outbox', () => {
  test('encrypts identical emails to different ciphertexts', async () => {
    const { mailer } = startMailer('smtp://127.0.0.1:1', { now: () => LATER });
    await mailer.send(createEmail());
    await mailer.send(createEmail());
    const rows = await listUnsentEmails();
    expect(new Set(rows.map(({ sealed }) => sealed)).size).toBe(2);
    const stored = JSON.stringify(rows);
    const decoded = rows
      .map(({ sealed }) => Buffer.from(String(sealed), 'base64url').toString('latin1'))
      .join();
    // These strings are too long to occur in the ciphertext by chance.
    for (const secret of ['SECRETTOKEN', 'zoe@', 'reset'])
      expect([stored.includes(secret), decoded.includes(secret)]).toEqual([false, false]);
  });

  test('does not send content copied from a different row', async () => {
    const server = await startServer();
    const { mailer } = startMailer(`smtp://127.0.0.1:${server.port}`);
    const buildRow = (id: string, sealed: string) => ({
      userId: NIL_USER_ID,
      id,
      sealed,
      createdAt: NOW,
      expiresAt: LATER,
    });
    const [rowId, otherRowId] = [crypto.randomUUID(), crypto.randomUUID()];
    await queueEmail(database, buildRow(otherRowId, sealContent(sealer, rowId, createEmail())));
    await mailer.idle();
    expect([server.countAttempts(), (await listUnsentEmails()).length]).toEqual([0, 1]);
    await queueEmail(database, buildRow(rowId, sealContent(sealer, rowId, createEmail())));
    await mailer.idle();
    expect(server.countAttempts()).toBe(1);
  });

  test('keeps emails until a process has the right key', async () => {
    const server = await startServer();
    const url = `smtp://127.0.0.1:${server.port}`;
    const newKey = 'another secret key for tests: 0123456789abcdef';
    const { mailer: oldMailer } = startMailer('smtp://127.0.0.1:1');
    await oldMailer.send(createEmail());
    await oldMailer.idle();
    advance(2);
    const { mailer: withoutKey, log } = startMailer(url, { sealer: async () => createSealer(newKey) });
    await withoutKey.idle();
    expect([server.countAttempts(), (await listUnsentEmails()).length]).toEqual([0, 1]);
    expect(log()).toContain('another SECRET_KEY');
    advance(15);
    const sealerWithBothKeys = createSealer(newKey, ['a secret key for tests only: 0123456789abcdef']);
    await startMailer(url, { sealer: async () => sealerWithBothKeys }).mailer.idle();
    expect([server.emails.length, await listUnsentEmails()]).toEqual([1, []]);
  });

  test('contains no emails from rolled-back transactions', async () => {
    const server = await startServer();
    const { mailer } = startMailer(`smtp://127.0.0.1:${server.port}`);
    await database
      .transaction(async (transaction) => {
        await mailer.send(createEmail(), undefined, transaction);
        throw new Error('on purpose');
      })
      .catch(() => {});
    await mailer.idle();
    expect([server.countAttempts(), await listUnsentEmails()]).toEqual([0, []]);
  });

  test('lets a second process send an email after the lease expires', async () => {
    let respond = () => {};
    const server = await startServer({
      acceptEmail: (count) =>
        count === 1
          ? new Promise((resolve) => {
              respond = resolve;
            })
          : undefined,
    });
    const url = `smtp://127.0.0.1:${server.port}`;
    const { mailer: crashed } = startMailer(url);
    await crashed.send(createEmail());
    await waitUntil('the delivery to start', () => server.countAttempts() === 1);
    const { mailer: successor } = startMailer(url);
    await successor.idle();
    expect(server.countAttempts()).toBe(1);
    advance(11);
    await successor.idle();
    expect([server.countAttempts(), await listUnsentEmails()]).toEqual([2, []]);
    respond();
  });
});

describe('the mailer', () => {
  test('closes after a short wait if the SMTP server does not respond', async () => {
    let respond = () => {};
    const server = await startServer({
      acceptEmail: () =>
        new Promise((resolve) => {
          respond = resolve;
        }),
    });
    const { mailer, log } = startMailer(`smtp://127.0.0.1:${server.port}`);
    await mailer.send(createEmail());
    await waitUntil('the delivery to start', () => server.countAttempts() === 1);
    await mailer.close();
    expect(log()).toContain('unsent emails stay in the outbox');
    expect(await listUnsentEmails()).toHaveLength(1);
    respond();
  });

  test('delivers due emails on `close`', async () => {
    const server = await startServer();
    const { mailer } = startMailer(`smtp://127.0.0.1:${server.port}`);
    for (let i = 0; i < 20; i++) await mailer.send(createEmail());
    await mailer.close();
    expect(server.emails).toHaveLength(20);
  });

  test('sends each email only once, even with several processes', async () => {
    const server = await startServer();
    const { mailer: failing } = startMailer('smtp://127.0.0.1:1');
    for (let i = 0; i < 50; i++)
      await failing.send(createEmail({ email: `${i}@example.org` }), crypto.randomUUID());
    await failing.idle();
    advance(2);
    const processes = Array.from({ length: 3 }, () => startMailer(`smtp://127.0.0.1:${server.port}`));
    await Promise.all(processes.map((process) => process.mailer.idle()));
    expect(new Set(server.emails.map(({ recipients }) => recipients[0])).size).toBe(50);
    expect([server.emails.length, await listUnsentEmails()]).toEqual([50, []]);
  });
});

describe('without SMTP_URL, emails', () => {
  const createMailerWithoutSmtp = (production: boolean) =>
    createMailer({ ...readConfig({}), production }, pino({ level: 'silent' }), {
      database,
      sealer: async () => sealer,
      now: () => NOW,
      compose: async () => undefined,
    });

  test('are captured outside production', async () => {
    const mailer = createMailerWithoutSmtp(false);
    expect(mailer.available).toBe(true);
    for (let i = 0; i < 105; i++) await mailer.send(createEmail({ name: `Person ${i}` }));
    await mailer.idle();
    const names = mailer.captured?.list().map(({ to }) => to.name) ?? [];
    expect([names.length, names[0], names.at(-1)]).toEqual([100, 'Person 104', 'Person 5']);
  });

  test('are neither sent nor captured in production', async () => {
    const mailer = createMailerWithoutSmtp(true);
    expect([mailer.available, mailer.captured]).toEqual([false, undefined]);
    await mailer.send(createEmail());
    expect(await listUnsentEmails()).toEqual([]);
  });
});
