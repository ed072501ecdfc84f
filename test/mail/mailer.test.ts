// The mailer against real SMTP servers: encrypted, demanding, refusing, slow, away; and what the log says of it.
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Letter } from '../../src/mail/letter.ts';
import { createMailer, type Mailer } from '../../src/mail/mailer.ts';
import { greetingName } from '../../src/mail/names.ts';
import { type SelfSigned, selfSigned } from '../support/self-signed.ts';
import { freePort } from '../support/service.ts';
import { refusal, startSmtp, type TestSmtp } from '../support/smtp.ts';
import { until } from '../support/until.ts';

const NOW = new Date('2026-11-20T12:00:00Z');
const LOGIN = { user: 'sésame@mail.example', password: 'p@ss/w:ord?' };
const CREDENTIALS = `${encodeURIComponent(LOGIN.user)}:${encodeURIComponent(LOGIN.password)}`;

let certificate: SelfSigned;
beforeAll(async () => {
  certificate = await selfSigned();
});
afterAll(() => certificate.remove());

const open: (Mailer | TestSmtp)[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

async function smtp(options: Parameters<typeof startSmtp>[0] = {}): Promise<TestSmtp> {
  const server = await startSmtp(options);
  open.push(server);
  return server;
}

function mailer(smtpUrl: string, { wait = async () => {} }: { wait?: () => Promise<void> } = {}) {
  let log = '';
  const stream = new Writable({
    write: (chunk, _encoding, done) => {
      log += chunk;
      done();
    },
  });
  const config = {
    smtpUrl,
    mailFrom: 'Sésame <no-reply@signin.example>',
    production: true,
    baseUrl: 'https://signin.example',
    serviceName: 'Sésame',
  };
  const made = createMailer(config, pino(stream), { now: () => NOW, wait });
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

describe('what arrives', () => {
  test('text and HTML, the person’s language, the right headers, an envelope of one', async () => {
    const server = await smtp();
    const { mailer: one } = mailer(`smtp://127.0.0.1:${server.port}`);
    one.send(letter());
    await one.idle();
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
    expect(headers.get('message-id')).toMatch(/@signin\.example>$/);
    expect(mail?.attachments).toEqual([]);
  });

  test.each([
    ['a line break and a header', 'Zoé\r\nBcc: evil\r\nX-Evil: 1'],
    ['a bare line feed', 'Zoé\nBcc: evil'],
    ['quotes, brackets and commas', '"Zoé" <evil>, Eve'],
    ['other scripts', '日本語 — Ζωή 👩‍🚀'],
    ['a very long name', 'Zoé '.repeat(60).trim()],
  ])('a name with %s stays a name (no header injection)', async (_, name) => {
    const server = await smtp();
    const { mailer: one } = mailer(`smtp://127.0.0.1:${server.port}`);
    one.send(letter({ name }));
    await one.idle();
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
    one.send(letter());
    await one.idle();
    expect(log()).toBe('');
    expect(server.mails).toMatchObject([{ secure: true, recipients: ['zoe@example.org'] }]);
  });

  test('smtp:// goes over to TLS where the server offers it', async () => {
    const server = await smtp({ security: 'starttls', certificate, login: LOGIN });
    const { mailer: one } = mailer(
      `smtp://${CREDENTIALS}@localhost:${server.port}?tls.rejectUnauthorized=false`,
    );
    one.send(letter());
    await one.idle();
    expect(server.mails).toMatchObject([{ secure: true }]);
  });

  test('a certificate that nobody vouches for is refused', async () => {
    const server = await smtp({ security: 'tls', certificate });
    const { mailer: one, log } = mailer(`smtps://localhost:${server.port}`);
    one.send(letter());
    await one.idle();
    expect(server.offered()).toBe(0);
    expect(log()).toContain('a mail could not be sent');
  });

  test('requireTLS sends nothing where TLS is not offered', async () => {
    const server = await smtp();
    const { mailer: one } = mailer(`smtp://127.0.0.1:${server.port}?requireTLS=true`);
    one.send(letter());
    await one.idle();
    expect(server.offered()).toBe(0);
  });
});

describe('when it does not get there', () => {
  test('refused for now: tried again, three times at most, then given up', async () => {
    const server = await smtp({
      judge: () => {
        throw refusal(451, 'greylisted zoe@example.org');
      },
    });
    const { mailer: one, log } = mailer(`smtp://127.0.0.1:${server.port}`);
    one.send(letter());
    await one.idle();
    expect(server.offered()).toBe(4);
    expect(log().match(/it is tried again/g)).toHaveLength(3);
    expect(log()).toContain('"a mail could not be sent"');
  });

  test('refused once: arrives the second time', async () => {
    const server = await smtp({
      judge: (count) => {
        if (count === 1) throw refusal(451, 'come back');
      },
    });
    const { mailer: one } = mailer(`smtp://127.0.0.1:${server.port}`);
    one.send(letter());
    await one.idle();
    expect([server.offered(), server.mails.length]).toEqual([2, 1]);
  });

  test('refused for good: not tried again', async () => {
    const server = await smtp({
      judge: () => {
        throw refusal(550, 'no such user zoe@example.org');
      },
    });
    const { mailer: one } = mailer(`smtp://127.0.0.1:${server.port}`);
    one.send(letter());
    await one.idle();
    expect(server.offered()).toBe(1);
  });

  test('the server is away, and comes back: the mail arrives', async () => {
    const port = await freePort();
    let server: TestSmtp | undefined;
    const { mailer: one } = mailer(`smtp://127.0.0.1:${port}`, {
      wait: async () => {
        server ??= await smtp({ port });
      },
    });
    one.send(letter());
    await one.idle();
    expect(server?.mails).toHaveLength(1);
  });

  test('wrong user name or password', async () => {
    const server = await smtp({ login: LOGIN });
    const { mailer: one, log } = mailer(`smtp://somebody:hunter2@127.0.0.1:${server.port}`);
    one.send(letter());
    await one.idle();
    expect(server.offered()).toBe(0);
    expect(log()).toContain('EAUTH 535');
  });

  test('the log holds nothing of the mail, nor of the settings', async () => {
    const server = await smtp({
      login: LOGIN,
      judge: (count) => {
        throw refusal(count === 1 ? 451 : 550, 'no zoe@example.org here');
      },
    });
    const { mailer: one, log } = mailer(`smtp://${CREDENTIALS}@127.0.0.1:${server.port}`);
    one.send(letter());
    await one.idle();
    expect(log()).toContain('a mail could not be sent');
    for (const secret of ['SECRETTOKEN', 'zoe', 'Zoé', 'p@ss', 'p%40ss', LOGIN.user])
      expect(log()).not.toContain(secret);
  });

  test('a letter that cannot be prepared says so in the log, and holds up no other', async () => {
    const server = await smtp();
    const { mailer: one, log } = mailer(`smtp://127.0.0.1:${server.port}`);
    one.send(() => Promise.reject(new Error('the database is away')));
    one.send(async () => undefined);
    one.send(async () => letter());
    await one.idle();
    expect(log()).toContain('the database is away');
    expect(server.mails).toHaveLength(1);
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
    one.send(letter());
    await until('the mail to be offered', () => server.offered() === 1);
    await one.close();
    expect(log()).toContain('mails that were not sent yet are lost');
    letGo();
  });

  test('closing sends what waits', async () => {
    const server = await smtp();
    const { mailer: one } = mailer(`smtp://127.0.0.1:${server.port}`);
    for (let i = 0; i < 20; i++) one.send(letter());
    await one.close();
    expect(server.mails).toHaveLength(20);
  });

  test('closing does not wait for a pause to be over', async () => {
    const server = await smtp({
      judge: (count) => {
        if (count === 1) throw refusal(451, 'come back');
      },
    });
    let pauses = 0;
    const wait = () => {
      pauses += 1;
      return new Promise<void>(() => {});
    };
    const { mailer: one } = mailer(`smtp://127.0.0.1:${server.port}`, { wait });
    one.send(letter());
    await until('the pause', () => pauses === 1);
    await one.close();
    expect(server.mails).toHaveLength(1);
  });

  test('a thousand may wait, no more', async () => {
    let letGo: (() => void)[] = [];
    const { mailer: one, log } = mailer('smtp://127.0.0.1:1');
    let prepared = 0;
    for (let i = 0; i < 1100; i++)
      one.send(() => {
        prepared += 1;
        return new Promise((resolve) => letGo.push(() => resolve(undefined)));
      });
    expect(log().match(/one was dropped/g)?.length).toBe(100);
    await until('all of them to be prepared', () => {
      for (const go of letGo.splice(0)) go();
      return prepared === 1000;
    });
    for (const go of letGo) go();
    letGo = [];
    await one.idle();
  });
});

describe('without SMTP_URL', () => {
  const without = (production: boolean) =>
    createMailer(
      { smtpUrl: undefined, mailFrom: undefined, production, baseUrl: 'http://localhost', serviceName: 'S' },
      pino({ level: 'silent' }),
      { now: () => NOW, wait: async () => {} },
    );

  test('outside production the last hundred mails are kept, latest first', async () => {
    const one = without(false);
    expect(one.available).toBe(true);
    for (let i = 0; i < 105; i++) one.send(letter({ name: `Person ${i}` }));
    await one.idle();
    const names = one.outbox?.list().map(({ to }) => to.name) ?? [];
    expect([names.length, names[0], names.at(-1)]).toEqual([100, 'Person 104', 'Person 5']);
  });

  test('in production nothing is sent or kept', async () => {
    const one = without(true);
    expect([one.available, one.outbox]).toEqual([false, undefined]);
    let prepared = false;
    one.send(async () => {
      prepared = true;
      return letter();
    });
    await one.idle();
    expect(prepared).toBe(false);
  });
});
