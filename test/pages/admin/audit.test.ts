// The audit log: filters, paging, labels in both languages, download, and recorded events.
import { beforeAll, describe, expect, test } from 'vitest';
import { messagesFor } from '../../../src/i18n/index.ts';
import { type EventKind, recordEvent } from '../../../src/store/audit-log.ts';
import { NIL_USER_ID } from '../../../src/store/nil-user-id.ts';
import { adminAccountPath, createSignedInAdmin, type TestAdmin } from '../../support/admin.ts';
import { openBrowserSession } from '../../support/browser-session.ts';
import { findInput, readFieldError, readFormErrors, readMain, readText } from '../../support/markup.ts';
import { type TestClient, type TestUser, useTestService } from '../../support/service.ts';

const service = useTestService();
let admin: TestAdmin;
let ada: TestUser;
let bob: TestUser;
let application: TestClient;
const marchDate = (day: number, time = '12:00:00') => new Date(`2026-03-0${day}T${time}Z`);

beforeAll(async () => {
  admin = await createSignedInAdmin(service);
  [ada, bob] = [await service.createUser({ email: 'ada@exemple.fr' }), await service.createUser()];
  application = await service.createClient({ ownerId: bob.userId });
  const { clientId } = application;
  const { database } = service.services;
  const adaIds = { actorId: ada.userId, userId: ada.userId };
  await recordEvent(database, { kind: 'signed_in', ...adaIds, ip: '192.0.2.1' }, marchDate(1));
  await recordEvent(database, { kind: 'password_changed', ...adaIds, ip: '192.0.2.2' }, marchDate(2));
  await recordEvent(
    database,
    { kind: 'sign_in_failed', userId: ada.userId, ip: '2001:db8:1:2::' },
    marchDate(3),
  );
  const rotation = { kind: 'secret_rotated', actorId: bob.userId, clientId } as const;
  await recordEvent(database, { ...rotation, detail: { name: '<b>"Carnet"' } }, marchDate(4, '23:59:59.999'));
  await recordEvent(
    database,
    { kind: 'account_suspended', actorId: bob.userId, userId: ada.userId },
    marchDate(5),
  );
});

const LOG = '/console/operations/audit';
const downloadEvents = async (query: Record<string, string>) => {
  const response = await admin.browser.get(`${LOG}.json?${new URLSearchParams(query)}`);
  return {
    response,
    body: JSON.parse(response.body) as { events: Record<string, unknown>[]; next: string | null },
  };
};
/** Lists the kinds of the matching events before April. */
const listKinds = async (query: Record<string, string>) =>
  (await downloadEvents({ until: '2026-03-31', ...query })).body.events.map(({ kind }) => kind);

describe('filters', () => {
  test('select events by kind, account, application, IP address and date, alone and combined', async () => {
    expect(await listKinds({})).toEqual([
      'account_suspended',
      'secret_rotated',
      'sign_in_failed',
      'password_changed',
      'signed_in',
    ]);
    expect(await listKinds({ kind: 'secret_rotated' })).toEqual(['secret_rotated']);
    const ofAda = ['account_suspended', 'sign_in_failed', 'password_changed', 'signed_in'];
    for (const account of [ada.userId, ada.email, 'ADA@exemple.fr'])
      expect(await listKinds({ account })).toEqual(ofAda);
    expect(await listKinds({ account: bob.userId }), 'the account can also be the actor').toEqual([
      'account_suspended',
      'secret_rotated',
    ]);
    expect(await listKinds({ client_id: application.clientId })).toEqual(['secret_rotated']);
    expect(await listKinds({ ip: '192.0.2.2' })).toEqual(['password_changed']);
    expect(await listKinds({ ip: '2001:DB8:1:2:3:4:5:6' }), 'any address in the network matches').toEqual([
      'sign_in_failed',
    ]);
    expect(await listKinds({ from: '2026-03-02', until: '2026-03-04' }), 'both days are included').toEqual([
      'secret_rotated',
      'sign_in_failed',
      'password_changed',
    ]);
    expect(
      await listKinds({ account: ada.email, kind: 'signed_in', ip: '192.0.2.1', from: '2026-03-01' }),
    ).toEqual(['signed_in']);
    expect(await listKinds({ account: ada.email, kind: 'signed_in', ip: '192.0.2.2' })).toEqual([]);
  });

  test('compare values literally', async () => {
    for (const text of [`' or true --`, '%', '\\', 'x'.repeat(5000), '\u{1f4a9}']) {
      for (const name of ['kind', 'client_id', 'ip'])
        expect([name, await listKinds({ [name]: text })]).toEqual([name, []]);
    }
  });

  test('show errors for invalid values, keep the entered text, and list no events', async () => {
    const query = { account: 'nobody@exemple.fr"><i>', from: '2026-02-30', until: 'tomorrow' };
    const { status, body } = await admin.browser.get(`${LOG}?${new URLSearchParams(query)}`);
    expect(status).toBe(400);
    expect(readFieldError(body, 'account')).toContain('No account has this email address');
    expect(readFieldError(body, 'from')).toBe('Enter a date such as 2026-11-20.');
    expect(readFieldError(body, 'until')).toBe('Enter a date such as 2026-11-20.');
    expect(readFormErrors(body)).toHaveLength(3);
    for (const [name, value] of Object.entries(query))
      expect(findInput(readMain(body), name)?.value).toBe(value);
    expect(body).not.toContain('<table');
    const download = `${LOG}.json?${new URLSearchParams(query)}`;
    const rejected = await admin.browser.get(download, { accept: 'application/json' });
    expect([rejected.status, JSON.parse(rejected.body).error]).toEqual([400, 'invalid_request']);
  });

  test('are read from the URL, and have no effect if they are empty', async () => {
    const { body } = await admin.browser.get(
      `${LOG}?kind=signed_in&account=&from=2026-03-01&until=2026-03-01`,
    );
    expect(body).toContain('<option value="signed_in" selected>');
    expect(body.match(/<time /g)).toHaveLength(1);
    expect(body).toContain('1\u00a0Mar\u00a02026, 12:00:00\u00a0UTC');
    const emptyPage = await admin.browser.get(`${LOG}?ip=203.0.113.99`);
    expect(emptyPage.body).toContain('No event matches this filter.');
  });
});

describe('the pages of the audit log', () => {
  test('list 25 events each, latest first, without repeating events that have the same time', async () => {
    const { database } = service.services;
    for (let number = 0; number < 100; number += 1)
      await recordEvent(
        database,
        { kind: 'signed_out', userId: bob.userId, detail: { number } },
        marchDate(7),
      );
    const seen: string[] = [];
    let url: string | undefined = `${LOG}?kind=signed_out`;
    for (let page = 0; url !== undefined && page < 5; page += 1) {
      const { body } = await admin.browser.get(url);
      const numbers = [...readText(body).matchAll(/number (\d+)/g)].map(([, n]) => n ?? '');
      expect(numbers.length).toBe(25);
      seen.push(...numbers);
      url = /href="([^"]*)" rel="next"/.exec(body)?.[1]?.replaceAll('&amp;', '&');
    }
    expect(seen).toEqual(Array.from({ length: 100 }, (_, n) => String(99 - n)));
  });
});

describe('the download of the audit log', () => {
  test('is an uncached JSON file with names as well as identifiers', async () => {
    const { response, body } = await downloadEvents({ client_id: application.clientId });
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="audit.json"');
    expect(response.headers.get('cache-control')).toContain('no-store');
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
          ip: null,
          detail: { name: '<b>"Carnet"' },
        },
      ],
      next: null,
    });
  });

  test('is limited to 5,000 events, and contains the URL for downloading the next events', async () => {
    await service.services.database.query(
      {
        name: '',
        text: `insert into events (at, kind, user_id, detail)
          select $1::timestamptz + make_interval(secs => n), 'data_exported', '${NIL_USER_ID}', '{}' from generate_series(1, 5001) n`,
      },
      [marchDate(8)],
    );
    const { body } = await downloadEvents({ kind: 'data_exported' });
    expect(body.events).toHaveLength(5000);
    const nextPart = await admin.browser.get(body.next ?? '');
    const { events, next } = JSON.parse(nextPart.body);
    expect([events.length, next]).toEqual([1, null]);
    expect(body.events.map(({ id }) => id)).not.toContain(events[0].id);
  });
});

describe('logged events', () => {
  test('include successful and failed sign-ins with their IP address, in both languages', async () => {
    const user = await service.createUser({ email: 'log@exemple.fr' });
    const browser = openBrowserSession(service.baseUrl);
    const { hidden } = await browser.get('/signin');
    await browser.post('/signin', { ...hidden, email: user.email, password: 'wrong' });
    await browser.post('/signin', { ...hidden, email: user.email, password: user.password });
    const { body } = await downloadEvents({ account: user.userId });
    expect(body.events.map((event) => [event.kind, event.ip])).toEqual([
      ['signed_in', '127.0.0.1'],
      ['sign_in_failed', '127.0.0.1'],
    ]);
    const english = await admin.browser.get(`${LOG}?account=${user.userId}&lang=en`);
    expect(english.body).toContain('<strong>Failed sign-in</strong>');
    const french = await admin.browser.get(`${LOG}?account=${user.userId}&lang=fr`);
    expect(french.body).toContain('<strong>Échec de connexion</strong>');
    await admin.browser.get(`${LOG}?lang=en`);
  });

  test('have a distinct label for each kind of event in both languages', () => {
    for (const language of ['fr', 'en'] as const) {
      const labels: Record<EventKind, string> = messagesFor(language).operations.events;
      expect(new Set(Object.values(labels)).size).toBe(Object.keys(labels).length);
    }
  });

  test('of an unknown kind are shown with the raw kind name and escaped details', async () => {
    const kind = 'constructor' as EventKind;
    await recordEvent(service.services.database, { kind, detail: { '<i>': '<script>' } }, marchDate(9));
    const { status, body } = await admin.browser.get(`${LOG}?from=2026-03-09&until=2026-03-09`);
    expect(status).toBe(200);
    expect(body).toContain('<strong>constructor</strong>');
    expect(body).toContain('&lt;i&gt;');
    expect(body).not.toMatch(/<script>|<i>/);
  });

  test("include administrators' actions with the reason and IP address, even for deleted accounts", async () => {
    const user = await service.createUser();
    await admin.submit(adminAccountPath(user.userId, 'delete'), {
      email: user.email,
      reason: 'asked for it',
    });
    const { body } = await admin.browser.get(`${LOG}?account=${user.userId}`);
    expect(body).toContain('<strong>Account deleted</strong>');
    expect(body).toContain(user.email);
    expect(body).toContain('asked for it');
    expect(body).toContain('deleted account');
  });
});
