// The mailer against real SMTP servers: encrypted, demanding, refusing, slow, away; what the log says, and the database.
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { sealContent } from '../../src/mail/envelope.ts';
import type { Letter } from '../../src/mail/letter.ts';
import { createMailer, type Mailer } from '../../src/mail/mailer.ts';
import { greetingName } from '../../src/mail/names.ts';
import { DeliveryFault } from '../../src/mail/smtp.ts';
import { createSealer } from '../../src/oauth/seal.ts';
import { insertMail } from '../../src/store/mails.ts';
import { NO_USER } from '../../src/store/no-user.ts';
import { openTestDatabase, sql } from '../support/populate.ts';
import { selfSigned } from '../support/self-signed.ts';
import { freePort } from '../support/service.ts';
import { refusal, startSmtp, type TestSmtp } from '../support/smtp.ts';
import { until } from '../support/until.ts';

const NOW = new Date('2026-11-20T12:00:00Z');
const LOGIN = { user: 'sésame@mail.example', password: 'p@ss/w:ord?' };
const CREDENTIALS = `${encodeURIComponent(LOGIN.user)}:${encodeURIComponent(LOGIN.password)}`;

const [certificate, { database, close: closeDatabase }] = await Promise.all([
  selfSigned(),
  openTestDatabase(),
]);
afterAll(async () => {
  await closeDatabase();
  await certificate.remove();
});

const open: (Mailer | TestSmtp)[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
  await sql(database, 'delete from mails');
  clock = NOW;
});

let clock = NOW;
const pass = (seconds: number) => {
  clock = new Date(clock.getTime() + seconds * 1000);
};
const waiting = () => sql(database, 'select * from mails order by number');
const sealer = createSealer('a secret key for tests only: 0123456789abcdef');

async function smtp(options: Parameters<typeof startSmtp>[0] = {}): Promise<TestSmtp> {
  const server = await startSmtp(options);
  open.push(server);
  return server;
}

function mailer(
  smtpUrl: string,
  parts: Partial<Parameters<typeof createMailer>[2]> = {},
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
  const made = createMailer(config, pino(stream), {
    database,
    sealer: async () => sealer,
    now: () => clock,
    write: async () => undefined,
    ...parts,
  });
  open.unshift(made);
  return { mailer: made, log: () => log };
}

const LINK = 'https://signin.example/password/reset?token=SECRETTOKEN';
const letter = (to: Partial<Letter['to']> = {}): Letter => ({
  kind: 'reset_password',
  to: { name: 'Zoé Müller', email: 'zoe@example.org', ...to },
  locale: 'fr',
  link: LINK,
});
/** Sends one mail through a test server. */
async function sendOne(options: Parameters<typeof smtp>[0] = {}, to: Partial<Letter['to']> = {}) {
  const server = await smtp(options);
  const { mailer: one, log } = mailer(`smtp://127.0.0.1:${server.port}`);
  await one.send(letter(to));
  await one.idle();
  return { server, one, log };
}
const wish = {
  kind: 'wish',
  what: 'reset_password',
  email: 'zoe@example.org',
  locale: 'fr',
  returnTo: {},
} as const;
const later = new Date(NOW.getTime() + 60_000);

describe('what arrives', () => {
  test('text and HTML, the person’s language, the right headers, an envelope of one', async () => {
    const { server } = await sendOne();
    const [mail] = server.mails;
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
    // The logo, inside the mail and shown by it: nothing for the reader to open.
    expect(mail?.attachments).toMatchObject([
      { mimeType: 'image/png', disposition: 'inline', contentId: '<logo>', related: true },
    ]);
    expect(mail?.html).toContain('src="cid:logo"');
  });

  test.each([
    ['a line break and a header', 'Zoé\r\nBcc: evil\r\nX-Evil: 1'],
    ['quotes, brackets and commas', '"Zoé" <evil>, Eve'],
    ['a very long name', 'Zoé '.repeat(60).trim()],
  ])('a name with %s stays a name (no header injection)', async (_, name) => {
    const { server } = await sendOne({}, { name });
    const [mail] = server.mails;
    expect(mail?.recipients).toEqual(['zoe@example.org']);
    expect(mail?.to?.map(({ address }) => address)).toEqual(['zoe@example.org']);
    expect(mail?.bcc).toBeUndefined();
    const keys = mail?.headers.map(({ key }) => key) ?? [];
    expect(keys.filter((key) => key === 'bcc' || key === 'x-evil')).toEqual([]);
    const [head = ''] = (mail?.raw ?? '').split('\r\n\r\n');
    expect(head.split('\r\n').every((line) => line.length <= 998)).toBe(true);
    expect(mail?.to?.[0]?.name).toBe(greetingName(name));
  });
});

describe('how it gets there', () => {
  test('smtps:// with user name and password, special characters in both', async () => {
    const server = await smtp({ security: 'tls', certificate, login: LOGIN });
    const { mailer: one, log } = mailer(
      `smtps://${CREDENTIALS}@localhost:${server.port}?tls.rejectUnauthorized=false`,
    );
    await one.send(letter());
    await one.idle();
    expect(log()).toBe('');
    expect(server.mails).toMatchObject([{ secure: true, recipients: ['zoe@example.org'] }]);
  });

  test('smtp:// goes over to TLS where the server offers it', async () => {
    const server = await smtp({ security: 'starttls', certificate, login: LOGIN });
    const { mailer: one } = mailer(
      `smtp://${CREDENTIALS}@localhost:${server.port}?tls.rejectUnauthorized=false`,
    );
    await one.send(letter());
    await one.idle();
    expect(server.mails).toMatchObject([{ secure: true }]);
  });

  test('EHLO names the host of BASE_URL', async () => {
    const server = await smtp();
    const { mailer: one } = mailer(`smtp://127.0.0.1:${server.port}`);
    await one.send(letter());
    await one.idle();
    expect(server.mails).toMatchObject([{ greeting: 'signin.example' }]);
  });

  test('a self-signed certificate is refused, with smtps:// and with STARTTLS, and the log says so', async () => {
    for (const [security, scheme] of [
      ['tls', 'smtps'],
      ['starttls', 'smtp'],
    ] as const) {
      const server = await smtp({ security, certificate });
      const { mailer: one, log } = mailer(`${scheme}://localhost:${server.port}`);
      await one.send(letter());
      await one.idle();
      expect(server.offered()).toBe(0);
      expect(log()).toContain('DEPTH_ZERO_SELF_SIGNED_CERT');
      expect(log()).toContain('is not trusted: see NODE_EXTRA_CA_CERTS');
      await sql(database, 'delete from mails');
    }
  });

  test('a certificate that has expired, or is for another host name, is no matter of trust', () => {
    for (const originalCode of ['CERT_HAS_EXPIRED', 'ERR_TLS_CERT_ALTNAME_INVALID'])
      expect(new DeliveryFault({ code: 'ESOCKET', originalCode }).reason).toContain('has expired or is for');
    expect(new DeliveryFault({ code: 'CERT_UNTRUSTED' }).reason).toContain('is not trusted');
  });
});

describe('when it does not get there', () => {
  const refusing = (code: number, times = Number.POSITIVE_INFINITY) => ({
    judge: (count: number) => {
      if (count <= times) throw refusal(code, 'not zoe@example.org');
    },
  });

  test('refused for now: tried again later and later, until its link is dead', async () => {
    const server = await smtp(refusing(451));
    const { mailer: one, log } = mailer(`smtp://127.0.0.1:${server.port}`);
    await one.send(letter());
    const offered: number[] = [];
    for (const pause of [0, 1, 1, 15, 60, 300, 900, 3600, 3600]) {
      pass(pause);
      await one.idle();
      offered.push(server.offered());
    }
    expect(offered, 'after 0, 2, 17, 77 … seconds').toEqual([1, 1, 2, 3, 4, 5, 6, 6, 6]);
    expect(log().match(/it is tried again/g)).toHaveLength(5);
    expect(log()).toContain('"a mail could not be sent"');
    expect(await waiting()).toEqual([]);
  });

  test('refused once: arrives the second time, with the same Message-ID', async () => {
    const { server, one } = await sendOne(refusing(451, 1));
    pass(2);
    await one.idle();
    expect([server.offered(), server.mails.length]).toEqual([2, 1]);
    expect(await waiting()).toEqual([]);
  });

  test('refused for good: not tried again', async () => {
    const { server } = await sendOne(refusing(550));
    expect(server.offered()).toBe(1);
    expect(await waiting()).toEqual([]);
  });

  test.each([
    [550, '5.1.1 no such mailbox'],
    [550, 'no such user here'],
    [552, '5.2.2 the mailbox is full'],
  ])('a refused recipient (%i %s) is final', async (code, text) => {
    const { log } = await sendOne({ refuseRecipient: refusal(code, text) });
    expect(await waiting()).toEqual([]);
    expect(log()).toContain(`EENVELOPE ${code} RCPT TO`);
  });

  test.each([
    [530, '5.7.0 Authentication required', 'wants a user name and a password'],
    [550, '5.7.1 Client was not authenticated', 'wants a user name and a password'],
    [554, '5.7.1 <zoe@example.org>: Relay access denied', 'does not relay mail from this client'],
    [550, '5.7.1 Client host rejected', undefined],
  ])('refusing the client or the sender at RCPT TO (%i %s) is not final', async (code, text, reason) => {
    const { log } = await sendOne({ refuseRecipient: refusal(code, text) });
    expect(await waiting()).toHaveLength(1);
    expect(log()).toContain('it is tried again');
    expect(log()).not.toContain('zoe@example.org');
    if (reason !== undefined) expect(log()).toContain(reason);
  });

  test('the server is away, and comes back: the mail arrives', async () => {
    const port = await freePort();
    const { mailer: one, log } = mailer(`smtp://127.0.0.1:${port}`);
    await one.send(letter());
    await one.idle();
    expect(log()).toContain('ECONNREFUSED');
    expect(log()).toContain('nothing answers on this host and port');
    const server = await smtp({ port });
    pass(2);
    await one.idle();
    expect(server.mails).toHaveLength(1);
  });

  test('wrong user name or password: it waits until an operator has mended that', async () => {
    const server = await smtp({ login: LOGIN });
    const { mailer: one, log } = mailer(`smtp://somebody:hunter2@127.0.0.1:${server.port}`);
    await one.send(letter());
    await one.idle();
    expect(server.offered()).toBe(0);
    expect(log()).toContain('EAUTH 535');
    pass(2);
    const { mailer: other } = mailer(`smtp://${CREDENTIALS}@127.0.0.1:${server.port}`);
    await other.idle();
    expect(server.mails).toHaveLength(1);
  });

  test('the log holds nothing of the mail, nor of the settings', async () => {
    const server = await smtp({
      login: LOGIN,
      judge: (count) => {
        throw refusal(count === 1 ? 451 : 550, 'no zoe@example.org here');
      },
    });
    const { mailer: one, log } = mailer(`smtp://${CREDENTIALS}@127.0.0.1:${server.port}`);
    await one.send(letter());
    await one.idle();
    pass(2);
    await one.idle();
    expect(log()).toContain('a mail could not be sent');
    for (const secret of ['SECRETTOKEN', 'zoe', 'Zoé', 'p@ss', 'p%40ss', LOGIN.user])
      expect(log()).not.toContain(secret);
  });

  test('a letter that cannot be written says so in the log, holds up no other, and is tried again', async () => {
    const server = await smtp();
    let away = true;
    const { mailer: one, log } = mailer(`smtp://127.0.0.1:${server.port}`, {
      write: async () => {
        if (away) throw new Error('the database is away');
        return async () => letter({ email: 'wished@example.org' });
      },
    });
    await one.send(wish);
    await one.send(letter());
    await one.idle();
    expect(log()).toContain('the database is away');
    expect(server.mails).toHaveLength(1);
    away = false;
    pass(2);
    await one.idle();
    expect(server.mails.map(({ recipients }) => recipients[0])).toEqual([
      'zoe@example.org',
      'wished@example.org',
    ]);
  });

  test('what was wished for is written once, however often it is sent', async () => {
    const server = await smtp(refusing(451, 2));
    let written = 0;
    const { mailer: one } = mailer(`smtp://127.0.0.1:${server.port}`, {
      write: async () => async () => {
        written += 1;
        return letter();
      },
    });
    await one.send(wish);
    for (const pause of [0, 2, 15]) {
      pass(pause);
      await one.idle();
    }
    expect([written, server.mails.length]).toEqual([1, 1]);
  });
});

describe('in the database', () => {
  test('nothing of a mail can be read or used, and every row looks different (D32)', async () => {
    const { mailer: one } = mailer('smtp://127.0.0.1:1', { now: () => later });
    await one.send(letter());
    await one.send(letter());
    const rows = await waiting();
    expect(new Set(rows.map(({ sealed }) => sealed)).size).toBe(2);
    const stored = JSON.stringify(rows);
    const decoded = rows
      .map(({ sealed }) => Buffer.from(String(sealed), 'base64url').toString('latin1'))
      .join();
    // Long enough not to come about by chance.
    for (const secret of ['SECRETTOKEN', 'zoe@', 'reset'])
      expect([stored.includes(secret), decoded.includes(secret)]).toEqual([false, false]);
  });

  test('a content opens in its own row only', async () => {
    const server = await smtp();
    const { mailer: one } = mailer(`smtp://127.0.0.1:${server.port}`);
    const row = (id: string, sealed: string) => ({
      userId: NO_USER,
      id,
      sealed,
      createdAt: NOW,
      expiresAt: later,
    });
    const [own, other] = [crypto.randomUUID(), crypto.randomUUID()];
    await insertMail(database, row(other, sealContent(sealer, own, letter())));
    await one.idle();
    expect([server.offered(), (await waiting()).length]).toEqual([0, 1]);
    await insertMail(database, row(own, sealContent(sealer, own, letter())));
    await one.idle();
    expect(server.offered()).toBe(1);
  });

  test('SECRET_KEY_PREVIOUS opens what waits; a process that knows neither leaves it to the others', async () => {
    const server = await smtp();
    const at = `smtp://127.0.0.1:${server.port}`;
    const newer = 'another secret key for tests: 0123456789abcdef';
    const { mailer: old } = mailer('smtp://127.0.0.1:1');
    await old.send(letter());
    await old.idle();
    pass(2);
    const { mailer: stranger, log } = mailer(at, { sealer: async () => createSealer(newer) });
    await stranger.idle();
    expect([server.offered(), (await waiting()).length]).toEqual([0, 1]);
    expect(log()).toContain('another SECRET_KEY');
    pass(15);
    const knows = createSealer(newer, ['a secret key for tests only: 0123456789abcdef']);
    await mailer(at, { sealer: async () => knows }).mailer.idle();
    expect([server.mails.length, await waiting()]).toEqual([1, []]);
  });

  test('is there only if what it tells of is', async () => {
    const server = await smtp();
    const { mailer: one } = mailer(`smtp://127.0.0.1:${server.port}`);
    await database
      .transaction(async (transaction) => {
        await one.send(letter(), undefined, transaction);
        throw new Error('on purpose');
      })
      .catch(() => {});
    await one.idle();
    expect([server.offered(), await waiting()]).toEqual([0, []]);
  });

  test('what one has begun and not ended, another takes after ten seconds, not before', async () => {
    let letGo = () => {};
    const server = await smtp({
      judge: (count) =>
        count === 1
          ? new Promise((resolve) => {
              letGo = resolve;
            })
          : undefined,
    });
    const at = `smtp://127.0.0.1:${server.port}`;
    const { mailer: dead } = mailer(at);
    await dead.send(letter());
    await until('the mail to be offered', () => server.offered() === 1);
    const { mailer: next } = mailer(at);
    await next.idle();
    expect(server.offered()).toBe(1);
    pass(11);
    await next.idle();
    expect([server.offered(), await waiting()]).toEqual([2, []]);
    letGo();
  });
});

describe('many, and slowly', () => {
  test('a server that does not answer holds up neither the sender nor, for long, the end', async () => {
    let letGo = () => {};
    const server = await smtp({
      judge: () =>
        new Promise((resolve) => {
          letGo = resolve;
        }),
    });
    const { mailer: one, log } = mailer(`smtp://127.0.0.1:${server.port}`);
    await one.send(letter());
    await until('the mail to be offered', () => server.offered() === 1);
    await one.close();
    expect(log()).toContain('wait for the next process');
    expect(await waiting()).toHaveLength(1);
    letGo();
  });

  test('closing sends what waits', async () => {
    const server = await smtp();
    const { mailer: one } = mailer(`smtp://127.0.0.1:${server.port}`);
    for (let i = 0; i < 20; i++) await one.send(letter());
    await one.close();
    expect(server.mails).toHaveLength(20);
  });

  test('several processes share what is due: each email is sent once', async () => {
    const server = await smtp();
    const { mailer: down } = mailer('smtp://127.0.0.1:1');
    for (let i = 0; i < 50; i++) await down.send(letter({ email: `${i}@example.org` }), crypto.randomUUID());
    await down.idle();
    pass(2);
    const processes = Array.from({ length: 3 }, () => mailer(`smtp://127.0.0.1:${server.port}`));
    await Promise.all(processes.map((process) => process.mailer.idle()));
    expect(new Set(server.mails.map(({ recipients }) => recipients[0])).size).toBe(50);
    expect([server.mails.length, await waiting()]).toEqual([50, []]);
  });
});

describe('without SMTP_URL', () => {
  const without = (production: boolean) =>
    createMailer({ ...readConfig({}), production }, pino({ level: 'silent' }), {
      database,
      sealer: async () => sealer,
      now: () => NOW,
      write: async () => undefined,
    });

  test('outside production the last hundred mails are kept, latest first', async () => {
    const one = without(false);
    expect(one.available).toBe(true);
    for (let i = 0; i < 105; i++) await one.send(letter({ name: `Person ${i}` }));
    await one.idle();
    const names = one.kept?.list().map(({ to }) => to.name) ?? [];
    expect([names.length, names[0], names.at(-1)]).toEqual([100, 'Person 104', 'Person 5']);
  });

  test('in production nothing is sent or kept', async () => {
    const one = without(true);
    expect([one.available, one.kept]).toEqual([false, undefined]);
    await one.send(letter());
    expect(await waiting()).toEqual([]);
  });
});
