// The audit log: filters, pages, words in both languages, the download, and that it tells what really happened.
import { beforeAll, describe, expect, test } from 'vitest';
import { messagesFor } from '../../../src/i18n/index.ts';
import { type EventKind, recordEvent } from '../../../src/store/events.ts';
import { NO_USER } from '../../../src/store/no-user.ts';
import { openBrowserSession } from '../../support/browser-session.ts';
import { fieldError, formErrors, inputOf, mainOf, textIn } from '../../support/markup.ts';
import { accountPath, type Operator, signedInOperator } from '../../support/operator.ts';
import { type TestApplication, type TestUser, useTestService } from '../../support/service.ts';

const service = useTestService();
let operator: Operator;
let ada: TestUser;
let bob: TestUser;
let application: TestApplication;
const DAY = (day: number, time = '12:00:00') => new Date(`2026-03-0${day}T${time}Z`);

beforeAll(async () => {
  operator = await signedInOperator(service);
  [ada, bob] = [await service.createUser({ email: 'ada@exemple.fr' }), await service.createUser()];
  application = await service.createApplication({ ownerId: bob.userId });
  const { clientId } = application;
  const { database } = service.parts;
  const own = { actorId: ada.userId, userId: ada.userId };
  await recordEvent(database, { kind: 'signed_in', ...own, address: '192.0.2.1' }, DAY(1));
  await recordEvent(database, { kind: 'password_changed', ...own, address: '192.0.2.2' }, DAY(2));
  await recordEvent(
    database,
    { kind: 'sign_in_failed', userId: ada.userId, address: '2001:db8:1:2::' },
    DAY(3),
  );
  const secret = { kind: 'secret_rotated', actorId: bob.userId, clientId } as const;
  await recordEvent(database, { ...secret, detail: { name: '<b>"Carnet"' } }, DAY(4, '23:59:59.999'));
  await recordEvent(database, { kind: 'account_suspended', actorId: bob.userId, userId: ada.userId }, DAY(5));
});

const LOG = '/console/operations/audit';
const json = async (query: Record<string, string>) => {
  const answer = await operator.browser.get(`${LOG}.json?${new URLSearchParams(query)}`);
  return {
    answer,
    body: JSON.parse(answer.body) as { events: Record<string, unknown>[]; next: string | null },
  };
};
/** The kinds of March, which is when the events above took place. */
const kinds = async (query: Record<string, string>) =>
  (await json({ until: '2026-03-31', ...query })).body.events.map(({ kind }) => kind);

describe('filters', () => {
  test('by what, by whom and about whom, by application, from where and when; all at once', async () => {
    expect(await kinds({})).toEqual([
      'account_suspended',
      'secret_rotated',
      'sign_in_failed',
      'password_changed',
      'signed_in',
    ]);
    expect(await kinds({ kind: 'secret_rotated' })).toEqual(['secret_rotated']);
    const ofAda = ['account_suspended', 'sign_in_failed', 'password_changed', 'signed_in'];
    for (const account of [ada.userId, ada.email, 'ADA@exemple.fr'])
      expect(await kinds({ account })).toEqual(ofAda);
    expect(await kinds({ account: bob.userId }), 'who did it counts too').toEqual([
      'account_suspended',
      'secret_rotated',
    ]);
    expect(await kinds({ client_id: application.clientId })).toEqual(['secret_rotated']);
    expect(await kinds({ address: '192.0.2.2' })).toEqual(['password_changed']);
    expect(await kinds({ address: '2001:DB8:1:2:3:4:5:6' }), 'any address of the network').toEqual([
      'sign_in_failed',
    ]);
    expect(await kinds({ from: '2026-03-02', until: '2026-03-04' }), 'both days belong').toEqual([
      'secret_rotated',
      'sign_in_failed',
      'password_changed',
    ]);
    expect(
      await kinds({ account: ada.email, kind: 'signed_in', address: '192.0.2.1', from: '2026-03-01' }),
    ).toEqual(['signed_in']);
    expect(await kinds({ account: ada.email, kind: 'signed_in', address: '192.0.2.2' })).toEqual([]);
  });

  test('take what is typed as what it is, and nothing for SQL', async () => {
    for (const text of [`' or true --`, '%', '\\', 'x'.repeat(5000), '\u{1f4a9}']) {
      for (const name of ['kind', 'client_id', 'address'])
        expect([name, await kinds({ [name]: text })]).toEqual([name, []]);
    }
  });

  test('say what cannot be looked for, keep what was typed, and list nothing', async () => {
    const query = { account: 'nobody@exemple.fr"><i>', from: '2026-02-30', until: 'tomorrow' };
    const { status, body } = await operator.browser.get(`${LOG}?${new URLSearchParams(query)}`);
    expect(status).toBe(400);
    expect(fieldError(body, 'account')).toContain('No account has this email address');
    expect(fieldError(body, 'from')).toBe('Enter a date such as 2026-11-20.');
    expect(fieldError(body, 'until')).toBe('Enter a date such as 2026-11-20.');
    expect(formErrors(body)).toHaveLength(3);
    for (const [name, value] of Object.entries(query)) expect(inputOf(mainOf(body), name)?.value).toBe(value);
    expect(body).not.toContain('<table');
    const download = `${LOG}.json?${new URLSearchParams(query)}`;
    const refused = await operator.browser.get(download, { accept: 'application/json' });
    expect([refused.status, JSON.parse(refused.body).error]).toEqual([400, 'invalid_request']);
  });

  test('are in the address, so the page can be passed on; an empty field is none', async () => {
    const { body } = await operator.browser.get(
      `${LOG}?kind=signed_in&account=&from=2026-03-01&until=2026-03-01`,
    );
    expect(body).toContain('<option value="signed_in" selected>');
    expect(body.match(/<time /g)).toHaveLength(1);
    expect(body).toContain('1\u00a0Mar\u00a02026, 12:00:00\u00a0UTC');
    const none = await operator.browser.get(`${LOG}?address=203.0.113.99`);
    expect(none.body).toContain('No event matches this filter.');
  });
});

describe('pages', () => {
  test('of twenty-five, every event once, latest first, also with many in one moment', async () => {
    const { database } = service.parts;
    for (let number = 0; number < 100; number += 1)
      await recordEvent(database, { kind: 'signed_out', userId: bob.userId, detail: { number } }, DAY(7));
    const seen: string[] = [];
    let address: string | undefined = `${LOG}?kind=signed_out`;
    for (let page = 0; address !== undefined && page < 5; page += 1) {
      const { body } = await operator.browser.get(address);
      const shown = [...textIn(body).matchAll(/number (\d+)/g)].map(([, n]) => n ?? '');
      expect(shown.length).toBe(25);
      seen.push(...shown);
      address = /href="([^"]*)" rel="next"/.exec(body)?.[1]?.replaceAll('&amp;', '&');
    }
    expect(seen).toEqual(Array.from({ length: 100 }, (_, n) => String(99 - n)));
  });
});

describe('the download', () => {
  test('is a file of its own, never kept, with names beside identifiers', async () => {
    const { answer, body } = await json({ client_id: application.clientId });
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="audit.json"');
    expect(answer.headers.get('cache-control')).toContain('no-store');
    expect(body).toEqual({
      events: [
        {
          id: expect.stringMatching(/^\d+$/),
          at: '2026-03-04T23:59:59.999Z',
          kind: 'secret_rotated',
          actor: { sub: bob.userId, email: bob.email },
          account: null,
          application: { client_id: application.clientId, name: 'Carnet' },
          api: null,
          address: null,
          detail: { name: '<b>"Carnet"' },
        },
      ],
      next: null,
    });
  });

  test('is bounded to 5,000 events, and says where to go on', async () => {
    await service.parts.database.query(
      {
        name: '',
        text: `insert into events (at, kind, user_id, detail)
          select $1::timestamptz + make_interval(secs => n), 'data_exported', '${NO_USER}', '{}' from generate_series(1, 5001) n`,
      },
      [DAY(8)],
    );
    const { body } = await json({ kind: 'data_exported' });
    expect(body.events).toHaveLength(5000);
    const rest = await operator.browser.get(body.next ?? '');
    const { events, next } = JSON.parse(rest.body);
    expect([events.length, next]).toEqual([1, null]);
    expect(body.events.map(({ id }) => id)).not.toContain(events[0].id);
  });
});

describe('what is in it', () => {
  test('signing in and failing to are, with their address; the page says them in both languages', async () => {
    const person = await service.createUser({ email: 'log@exemple.fr' });
    const browser = openBrowserSession(service.baseUrl);
    const { hidden } = await browser.get('/signin');
    await browser.post('/signin', { ...hidden, email: person.email, password: 'wrong' });
    await browser.post('/signin', { ...hidden, email: person.email, password: person.password });
    const { body } = await json({ account: person.userId });
    expect(body.events.map((event) => [event.kind, event.address])).toEqual([
      ['signed_in', '127.0.0.1'],
      ['sign_in_failed', '127.0.0.1'],
    ]);
    const english = await operator.browser.get(`${LOG}?account=${person.userId}&lang=en`);
    expect(english.body).toContain('<strong>Failed sign-in</strong>');
    const french = await operator.browser.get(`${LOG}?account=${person.userId}&lang=fr`);
    expect(french.body).toContain('<strong>Échec de connexion</strong>');
    await operator.browser.get(`${LOG}?lang=en`);
  });

  test('every kind has its own words in both languages', () => {
    for (const language of ['fr', 'en'] as const) {
      const words: Record<EventKind, string> = messagesFor(language).operations.events;
      expect(new Set(Object.values(words)).size).toBe(Object.keys(words).length);
    }
  });

  test('a kind that only a newer version knows is shown by its name, and nothing of a detail is markup', async () => {
    const kind = 'constructor' as EventKind;
    await recordEvent(service.parts.database, { kind, detail: { '<i>': '<script>' } }, DAY(9));
    const { status, body } = await operator.browser.get(`${LOG}?from=2026-03-09&until=2026-03-09`);
    expect(status).toBe(200);
    expect(body).toContain('<strong>constructor</strong>');
    expect(body).toContain('&lt;i&gt;');
    expect(body).not.toMatch(/<script>|<i>/);
  });

  test('what an operator does is, with reason and address, also about an account that is gone', async () => {
    const person = await service.createUser();
    await operator.act(accountPath(person.userId, 'delete'), { email: person.email, reason: 'asked for it' });
    const { body } = await operator.browser.get(`${LOG}?account=${person.userId}`);
    expect(body).toContain('<strong>Account deleted</strong>');
    expect(body).toContain(person.email);
    expect(body).toContain('asked for it');
    expect(body).toContain('deleted account');
  });
});
