import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, test } from 'vitest';
import { messagesFor } from '../../../src/i18n/index.ts';
import { formatCsvLine, startExport } from '../../../src/pages/admin/audit-export.ts';
import { type EventKind, recordEvent } from '../../../src/store/audit-log.ts';
import { NIL_USER_ID } from '../../../src/store/nil-user-id.ts';
import { adminAccountPath, createSignedInAdmin, type TestAdmin } from '../../support/admin.ts';
import { openBrowserSession } from '../../support/browser-session.ts';
import { findInput, readFieldError, readFormErrors, readMain, readText } from '../../support/markup.ts';
import { createSignedInUser } from '../../support/oauth-flow.ts';
import { type TestClient, type TestUser, useTestService } from '../../support/service.ts';

const service = useTestService();
let admin: TestAdmin;
let ada: TestUser;
let bob: TestUser;
let application: TestClient;
const createMarchDate = (day: number, time = '12:00:00') => new Date(`2026-03-0${day}T${time}Z`);

beforeAll(async () => {
  admin = await createSignedInAdmin(service);
  [ada, bob] = [await service.createUser({ email: 'ada@exemple.fr' }), await service.createUser()];
  application = await service.createClient({ ownerId: bob.userId });
  const { clientId } = application;
  const { database } = service.services;
  const adaIds = { actorId: ada.userId, userId: ada.userId };
  await recordEvent(database, { kind: 'signed_in', ...adaIds, ip: '192.0.2.1' }, createMarchDate(1));
  await recordEvent(database, { kind: 'password_changed', ...adaIds, ip: '192.0.2.2' }, createMarchDate(2));
  await recordEvent(
    database,
    { kind: 'sign_in_failed', userId: ada.userId, ip: '2001:db8:1:2::' },
    createMarchDate(3),
  );
  const rotation = { kind: 'secret_rotated', actorId: bob.userId, clientId } as const;
  await recordEvent(
    database,
    { ...rotation, detail: { name: '<b>"Carnet"' } },
    createMarchDate(4, '23:59:59.999'),
  );
  await recordEvent(
    database,
    { kind: 'account_suspended', actorId: bob.userId, userId: ada.userId },
    createMarchDate(5),
  );
});

const LOG_PATH = '/console/operations/audit';
const downloadEvents = async (query: Record<string, string>) => {
  const response = await admin.browser.get(`${LOG_PATH}.json?${new URLSearchParams(query)}`);
  return {
    response,
    body: JSON.parse(response.body) as { events: Record<string, unknown>[]; next: string | null },
  };
};
const listEventKinds = async (query: Record<string, string>) =>
  (await downloadEvents({ until: '2026-03-31', ...query })).body.events.map(({ kind }) => kind);

describe('the audit log filters', () => {
  test('select events by kind, account, application, IP address and date', async () => {
    expect(await listEventKinds({})).toEqual([
      'account_suspended',
      'secret_rotated',
      'sign_in_failed',
      'password_changed',
      'signed_in',
    ]);
    expect(await listEventKinds({ kind: 'secret_rotated' })).toEqual(['secret_rotated']);
    const ofAda = ['account_suspended', 'sign_in_failed', 'password_changed', 'signed_in'];
    for (const search of [ada.userId, ada.email, 'ADA@exemple.fr', 'ada@'])
      expect(await listEventKinds({ search })).toEqual(ofAda);
    expect(await listEventKinds({ search: bob.userId }), 'the account can also be the actor').toEqual([
      'account_suspended',
      'secret_rotated',
    ]);
    expect(await listEventKinds({ search: application.clientId })).toEqual(['secret_rotated']);
    expect(await listEventKinds({ search: '192.0.2.2' })).toEqual(['password_changed']);
    expect(
      await listEventKinds({ search: '2001:DB8:1:2:3:4:5:6' }),
      'any IP address in the network matches',
    ).toEqual(['sign_in_failed']);
    expect(
      await listEventKinds({ from: '2026-03-02', until: '2026-03-04' }),
      'both days are included',
    ).toEqual(['secret_rotated', 'sign_in_failed', 'password_changed']);
    const ofKind = { search: ada.email, kind: 'signed_in' };
    expect(await listEventKinds({ ...ofKind, from: '2026-03-01', until: '2026-03-01' })).toEqual([
      'signed_in',
    ]);
    expect(await listEventKinds({ ...ofKind, from: '2026-03-02' })).toEqual([]);
    expect(await listEventKinds({ search: '192.0.2.2', kind: 'signed_in' })).toEqual([]);
    expect(await listEventKinds({ search: 'suspended', kind: 'signed_in' })).toEqual([]);
  });

  test('match values literally, without wildcards', async () => {
    for (const text of [`' or true --`, '%', '\\', 'x'.repeat(5000), '\u{1f4a9}', 'fe80::1%eth0', '\u202e']) {
      for (const name of ['kind', 'search'])
        expect([name, await listEventKinds({ [name]: text })]).toEqual([name, []]);
    }
  });

  test('show errors for invalid values', async () => {
    const query = { search: 'nobody@exemple.fr"><i>', from: '2026-02-30', until: 'tomorrow' };
    const { status, body } = await admin.browser.get(`${LOG_PATH}?${new URLSearchParams(query)}`);
    expect(status).toBe(400);
    expect(readFieldError(body, 'from')).toBe('Enter a valid date, such as 2026-11-20.');
    expect(readFieldError(body, 'until')).toBe('Enter a valid date, such as 2026-11-20.');
    expect(readFormErrors(body)).toHaveLength(2);
    for (const [name, value] of Object.entries(query))
      expect(findInput(readMain(body), name)?.value).toBe(value);
    expect(body).not.toContain('<table');
    const download = `${LOG_PATH}.json?${new URLSearchParams(query)}`;
    const rejected = await admin.browser.get(download, { accept: 'application/json' });
    expect([rejected.status, JSON.parse(rejected.body).error]).toEqual([400, 'invalid_request']);
  });

  test('are rejected if they are repeated or malformed', async () => {
    for (const query of ['search=%00', 'search=a&search=b', 'kind=%ff'])
      for (const format of ['', '.csv', '.json'])
        expect((await admin.browser.get(`${LOG_PATH}${format}?${query}`)).status, query + format).toBe(400);
  });

  test('have no effect if they are empty', async () => {
    const { body } = await admin.browser.get(
      `${LOG_PATH}?kind=signed_in&search=&from=2026-03-01&until=2026-03-01`,
    );
    expect(body).toContain('<option value="signed_in" selected>');
    expect(body.match(/<li class="event">/g)).toHaveLength(1);
    expect(body).toContain('1\u00a0Mar\u00a02026, 12:00:00\u00a0UTC');
    const emptyPage = await admin.browser.get(`${LOG_PATH}?search=203.0.113.99`);
    expect(emptyPage.body).toContain('No event matches.');
  });
});

describe('the audit log search', () => {
  test('finds clients and APIs by name prefix or ID, even after deletion', async () => {
    const { database } = service.services;
    const client = await service.createClient({ ownerId: bob.userId, name: 'Zinnia Notes' });
    const api = await service.createApi({ name: 'Zinnia API', identifier: 'https://zinnia.example/v1' });
    await recordEvent(
      database,
      { kind: 'application_changed', clientId: client.clientId },
      createMarchDate(6),
    );
    await recordEvent(database, { kind: 'api_changed', apiId: api.apiId }, createMarchDate(6, '13:00:00'));
    expect(await listEventKinds({ search: 'zinnia' })).toEqual(['api_changed', 'application_changed']);
    expect(await listEventKinds({ search: 'Zinnia n' })).toEqual(['application_changed']);
    expect(await listEventKinds({ search: 'https://zinnia.example/v1' })).toEqual(['api_changed']);
    expect(await listEventKinds({ search: api.apiId })).toEqual(['api_changed']);
    await recordEvent(database, { kind: 'application_deleted', clientId: 'app_gone' }, createMarchDate(6));
    await recordEvent(database, { kind: 'api_deleted', apiId: 'api_gone' }, createMarchDate(6));
    expect(await listEventKinds({ search: 'app_gone' })).toEqual(['application_deleted']);
    expect(await listEventKinds({ search: 'api_gone' })).toEqual(['api_deleted']);
  });

  test('prefers an ID match to a name match', async () => {
    const { database } = service.services;
    const impostor = await service.createClient({ ownerId: bob.userId, name: application.clientId });
    await recordEvent(
      database,
      { kind: 'application_changed', clientId: impostor.clientId },
      createMarchDate(6),
    );
    expect(await listEventKinds({ search: application.clientId })).toEqual(['secret_rotated']);
  });

  test('finds event kinds by name or by their label in either language', async () => {
    for (const search of ['password', 'PASSWORD chang', 'passe change', 'mot de passe', 'password_changed'])
      expect([search, await listEventKinds({ search })]).toEqual([search, ['password_changed']]);
    expect(await listEventKinds({ search: 'echec' }), 'without accents').toEqual(['sign_in_failed']);
    expect(await listEventKinds({ search: 'password suspended' })).toEqual([]);
    expect(await listEventKinds({ search: 'pa' }), 'too short').toEqual([]);
  });

  test('finds an incident by its code', async () => {
    const url = `/oauth/authorize?client_id=${application.clientId}&redirect_uri=https%3A%2F%2Fevil.example`;
    const incident = /<code>([2-9A-Z]{10})<\/code>/.exec((await admin.browser.get(url)).body)?.[1] ?? '';
    expect(await listEventKinds({ search: incident })).toEqual(['secret_rotated']);
    const { body } = await admin.browser.get(`${LOG_PATH}?search=${incident.toLowerCase()}`);
    expect(body).toContain(`/console/applications/${application.clientId}/diagnostics?incident=${incident}`);
  });

  test('shows a notice if over ten accounts match', async () => {
    for (let number = 0; number < 11; number += 1) {
      const { userId } = await service.createUser({ email: `many${number}@exemple.fr` });
      await recordEvent(service.services.database, { kind: 'session_ended', userId }, createMarchDate(6));
    }
    expect(await listEventKinds({ search: 'many' })).toHaveLength(10);
    const { body } = await admin.browser.get(`${LOG_PATH}?search=many`);
    expect(body).toContain('Too many results to show.');
    expect((await admin.browser.get(`${LOG_PATH}?search=many1@`)).body).not.toContain('Too many results');
  });

  test('lists an event that matches twice only once', async () => {
    const { userId } = await service.createUser({ email: 'password@exemple.fr' });
    const event = { kind: 'password_changed', actorId: userId, userId } as const;
    await recordEvent(service.services.database, event, createMarchDate(6));
    expect(await listEventKinds({ search: 'password', from: '2026-03-06' })).toEqual(['password_changed']);
  });
});

describe('an audit log page', () => {
  test('lists 25 events, newest first', async () => {
    const { database } = service.services;
    for (let number = 0; number < 100; number += 1)
      await recordEvent(
        database,
        { kind: 'signed_out', userId: bob.userId, detail: { number } },
        createMarchDate(7),
      );
    const seen: string[] = [];
    let url: string | undefined = `${LOG_PATH}?kind=signed_out`;
    for (let page = 0; url !== undefined && page < 5; page += 1) {
      const { body } = await admin.browser.get(url);
      const numbers = [...readText(body).matchAll(/number: (\d+)/g)].map(([, n]) => n ?? '');
      expect(numbers.length).toBe(25);
      seen.push(...numbers);
      url = /href="([^"]*)" rel="next"/.exec(body)?.[1]?.replaceAll('&amp;', '&');
    }
    expect(seen).toEqual(Array.from({ length: 100 }, (_, n) => String(99 - n)));
  });
});

describe('the audit log in JSON', () => {
  test('includes names and identifiers', async () => {
    const { response, body } = await downloadEvents({ search: application.clientId });
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

  test('is limited to 5,000 events', async () => {
    await service.services.database.query(
      {
        name: '',
        text: `insert into events (at, kind, user_id, detail)
          select $1::timestamptz + make_interval(secs => n), 'data_exported', '${NIL_USER_ID}', '{}' from generate_series(1, 5001) n`,
      },
      [createMarchDate(8)],
    );
    const { body } = await downloadEvents({ kind: 'data_exported' });
    expect(body.events).toHaveLength(5000);
    const nextPart = await admin.browser.get(body.next ?? '');
    const { events, next } = JSON.parse(nextPart.body);
    expect([events.length, next]).toEqual([1, null]);
    expect(body.events.map(({ id }) => id)).not.toContain(events[0].id);
  });
});

describe('the audit log in CSV', () => {
  const downloadCsv = async (query: Record<string, string>) =>
    admin.browser.get(`${LOG_PATH}.csv?${new URLSearchParams(query)}`);

  test('contains the filtered events with identifiers and names', async () => {
    const response = await downloadCsv({ search: application.clientId, kind: 'secret_rotated' });
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="audit.csv"');
    expect(response.headers.get('cache-control')).toContain('no-store');
    const [head, line, end] = response.body.split('\r\n');
    expect(head).toBe(
      '"at","kind","actor_sub","actor_email","account_sub","account_email","client_id","application_name","api_id","api_name","ip","detail","id"',
    );
    const detail = '{""name"":""<b>\\""Carnet\\""""}';
    expect(line?.replace(/"\d+"$/, '"ID"')).toBe(
      `"2026-03-04T23:59:59.999Z","secret_rotated","${bob.userId}","${bob.email}","","","${application.clientId}","Carnet","","","","${detail}","ID"`,
    );
    expect(end).toBe('');
  });

  test('escapes names that a spreadsheet would execute as formulas', async () => {
    const name = '=HYPERLINK("https://evil.example")';
    const { clientId } = await service.createClient({ ownerId: bob.userId, name });
    await recordEvent(
      service.services.database,
      { kind: 'application_changed', clientId },
      createMarchDate(6),
    );
    const { body } = await downloadCsv({ search: clientId, until: '2026-03-31' });
    expect(body).toContain(`,"'=HYPERLINK(""https://evil.example"")",`);
    for (const start of ['=', '+', '-', '@', '\t', '\r', '\n', '\uff1d'])
      expect(formatCsvLine([`${start}1;"2"`, 'a=1', null])).toBe(`"'${start}1;""2""","a=1",""\r\n`);
  });

  test('is limited to 5,000 events, newest first', async () => {
    const { body } = await downloadCsv({ kind: 'data_exported' });
    const times = body
      .split('\r\n')
      .slice(1, -1)
      .map((line) => line.slice(1, 25));
    expect(times).toHaveLength(5000);
    expect(times).toEqual(times.toSorted().reverse());
  });

  test('is available only to administrators', async () => {
    const refused = await admin.browser.get(`${LOG_PATH}.csv?from=1`, { accept: 'application/json' });
    expect([refused.status, JSON.parse(refused.body).error]).toEqual([400, 'invalid_request']);
    const { browser } = await createSignedInUser(service);
    for (const format of ['csv', 'json'])
      expect((await browser.get(`${LOG_PATH}.${format}`)).status).toBe(404);
  });

  test('is cut off if the session ends during the download', async () => {
    let reads = 0;
    const stream = await startExport('csv', {
      database: service.services.database,
      filter: { kind: 'data_exported' },
      before: undefined,
      urlAfter: () => '',
      mayContinue: async () => {
        reads += 1;
        return reads <= 2;
      },
    });
    await expect(text(stream)).rejects.toThrow('aborted');
    expect(reads).toBe(3);
  });
});

describe('an audit log event', () => {
  test('has an IP address and a label in both languages', async () => {
    const user = await service.createUser({ email: 'log@exemple.fr' });
    const browser = openBrowserSession(service.baseUrl);
    const { hidden } = await browser.get('/signin');
    await browser.post('/signin', { ...hidden, email: user.email, password: 'wrong' });
    await browser.post('/signin', { ...hidden, email: user.email, password: user.password });
    const { body } = await downloadEvents({ search: user.userId });
    expect(body.events.map((event) => [event.kind, event.ip])).toEqual([
      ['signed_in', '127.0.0.1'],
      ['sign_in_failed', '127.0.0.1'],
    ]);
    const english = await admin.browser.get(`${LOG_PATH}?search=${user.userId}&lang=en`);
    expect(english.body).toContain('<strong>Failed sign-in</strong>');
    const french = await admin.browser.get(`${LOG_PATH}?search=${user.userId}&lang=fr`);
    expect(french.body).toContain('<strong>Échec de connexion</strong>');
    await admin.browser.get(`${LOG_PATH}?lang=en`);
  });

  test('has a different label for each kind', () => {
    for (const language of ['fr', 'en'] as const) {
      const labels: Record<EventKind, string> = messagesFor(language).operations.events;
      expect(new Set(Object.values(labels)).size).toBe(Object.keys(labels).length);
    }
  });

  test('is shown with its raw kind if the kind is unknown', async () => {
    const kind = 'constructor' as EventKind;
    const detail: object = { '<i>': '<script>' };
    await recordEvent(service.services.database, { kind, detail }, createMarchDate(9));
    const { status, body } = await admin.browser.get(`${LOG_PATH}?from=2026-03-09&until=2026-03-09`);
    expect(status).toBe(200);
    expect(body).toContain('<strong>constructor</strong>');
    expect(body).toContain('&lt;i&gt;');
    expect(body).not.toMatch(/<script>|<i>/);
  });

  test('names the deleted resource and shows a dash for the missing actor', async () => {
    const clientId = 'app_deleted-a-moment-ago';
    await recordEvent(
      service.services.database,
      { kind: 'application_deleted', clientId, detail: { name: 'Carnet & Cie' } },
      service.clock.now(),
    );
    const { body } = await admin.browser.get(`/console/operations/audit?search=${clientId}`);
    expect(readText(body)).toMatch(
      /Application deleted\s+By –\s+Target Carnet & Cie app_deleted-a-moment-ago/,
    );
  });

  test('includes the reason for an administrator’s action', async () => {
    const user = await service.createUser();
    await admin.submit(adminAccountPath(user.userId, 'delete'), {
      email: user.email,
      reason: 'asked for it',
    });
    const { body } = await admin.browser.get(`${LOG_PATH}?search=${user.userId}`);
    expect(body).toContain('<strong>Account deleted</strong>');
    expect(body).toContain(user.email);
    expect(body).toContain('asked for it');
    expect(body).toContain('deleted account');
  });
});

test('an audit log event is shown as a row with collapsed details', async () => {
  const { body } = await admin.browser.get(`${LOG_PATH}?from=2026-03-03&until=2026-03-05`);
  const rows = body.split('<li class="event">').slice(1);
  const [suspended = '', rotated = '', failed = ''] = rows.map((row) => row.split('</li>')[0] ?? '');
  expect(readText(suspended.split('<details>')[0] ?? '')).toMatch(
    new RegExp(`12:00.*Account suspended.*By ${bob.email}.*Target ada@exemple.fr`, 's'),
  );
  expect(readText(suspended.split('<details>')[1] ?? ''), 'the exact time').toContain('12:00:00');
  const [row = '', details = ''] = rotated.split('<details>');
  expect(readText(row)).not.toContain('"Carnet"');
  expect(readText(details)).toContain('Name: <b>"Carnet"');
  expect(details).toContain('<span class="visually-hidden">Details: ');
  expect(readText(failed.split('<details>')[0] ?? '')).toContain('IP address 2001:db8:1:2::');
});
