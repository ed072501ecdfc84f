// All data of a person as one file: written page by page, however much there is and however slowly it is taken.
import { type IncomingMessage, request } from 'node:http';
import { afterAll, expect, test } from 'vitest';
import { NO_USER } from '../../src/store/no-user.ts';
import { statement } from '../../src/store/statement.ts';
import { apiWithSecret, exclude, grantServiceAccess } from '../support/apis.ts';
import type { BrowserSession } from '../support/browser-session.ts';
import { signedInBrowser } from '../support/flow.ts';
import { startTestService, type TestUser } from '../support/service.ts';
import { until } from '../support/until.ts';

const CONNECTIONS = 2;
/** More than sockets and their buffers swallow: 16 MB. */
const MUCH = { events: 8_000, letters: 2_000 };

const service = await startTestService({ DATABASE_POOL_SIZE: String(CONNECTIONS) });
afterAll(() => service.close());

interface Person {
  user: TestUser;
  browser: BrowserSession;
  csrf: string;
}

async function enter(): Promise<Person> {
  const user = await service.createUser();
  const browser = await signedInBrowser(service, user);
  return { user, browser, csrf: (await browser.get('/account')).hidden.csrf ?? '' };
}

const sql = (name: string, text: string, values: unknown[]) =>
  service.parts.database.query(statement(`test_export_${name}`, text), values);

/** Somebody whose file is larger than what lies between the service and a peer that does not read. */
async function withMuch(): Promise<Person> {
  const person = await enter();
  await sql(
    'many_events',
    `insert into events (at, kind, actor_id, user_id, detail)
    select now(), 'profile_changed', $1::uuid, $1::uuid, jsonb_build_object('text', repeat('x', $3::int))
    from generate_series(1, $2::int)`,
    [person.user.userId, MUCH.events, MUCH.letters],
  );
  return person;
}

const take = ({ browser, csrf }: Person) => browser.post('/account/data', { csrf });

/** Asks for the file, gets the head of the answer, and reads nothing of it until it is told to. */
function takeSlowly({ browser, csrf }: Person): Promise<IncomingMessage> {
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  return new Promise((resolve, reject) => {
    const asking = request(
      new URL('/account/data', service.baseUrl),
      {
        method: 'POST',
        agent: false,
        headers: {
          cookie,
          'sec-fetch-site': 'same-origin',
          'content-type': 'application/x-www-form-urlencoded',
        },
      },
      resolve,
    );
    asking.on('error', reject);
    asking.end(String(new URLSearchParams({ csrf })));
  });
}

/** What comes of an answer from now on, and whether it came to its end. */
async function readOn(answer: IncomingMessage): Promise<{ whole: boolean; text: string }> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of answer) chunks.push(chunk as Buffer);
  } catch {
    // cut off
  }
  return { whole: answer.complete, text: Buffer.concat(chunks).toString() };
}

test('every row is there once, over however many pages, also those of one moment and one session', async () => {
  const person = await enter();
  const { userId } = person.user;
  const COUNT = 1_203;
  await sql(
    'events_of_one_moment',
    `insert into events (at, kind, actor_id, user_id, detail)
    select timestamptz '2026-01-02 03:04:05.678901+00' + make_interval(secs => (n / 700) * 0.000001), 'profile_changed',
      case when n % 3 = 0 then null else $1::uuid end, case when n % 3 = 1 then '${NO_USER}'::uuid else $1::uuid end,
      jsonb_build_object('number', n)
    from generate_series(1, $2::int) as n`,
    [userId, COUNT],
  );
  await sql(
    'grants_of_few_sessions',
    `insert into grants (id, client_id, user_id, epoch, generation, created_at, advanced_at, sid)
    select gen_random_uuid(), n::text, $1::uuid, 0, 1, now(), now(), lpad((n / 600)::text, 32, '0')::uuid
    from generate_series(1, $2::int) as n`,
    [userId, COUNT],
  );
  const file = JSON.parse((await take(person)).body);
  const changed = file.events.filter(({ kind }: { kind: string }) => kind === 'profile_changed');
  expect(changed).toHaveLength(COUNT);
  const numbers = changed.flatMap(({ detail }: { detail: { number?: number } }) => detail.number ?? []);
  expect(new Set(numbers).size).toBe(numbers.length);
  expect(new Set(file.grants.map(({ client_id: id }: { client_id: string }) => id)).size).toBe(COUNT);
  expect(file.grants).toHaveLength(COUNT);
  expect(Object.keys(file)).toEqual([
    ...[
      'issuer',
      'exported_at',
      'profile',
      'passkeys',
      'recovery_codes',
      'trusted_browsers',
      'second_factor_resets',
      'sessions',
      'consents',
      'disclosures',
      'grants',
      'devices',
    ],
    ...[
      'sign_outs',
      'applications',
      'refusals_of_apis',
      'apis',
      'service_access',
      'cut_off',
      'transfer_offers',
    ],
    ...['messages', 'events'],
  ]);
  expect(JSON.stringify(file)).not.toContain('"after"');
});

test('an API is there with all that its owner decided, an application with what it may do at APIs; nothing of other people’s', async () => {
  const [person, other] = [await enter(), await enter()];
  const api = await apiWithSecret(service, { ownerId: person.user.userId });
  const theirs = await apiWithSecret(service, { ownerId: other.user.userId });
  const own = await service.createApplication({ ownerId: person.user.userId, name: 'Robot' });
  const foreign = await service.createApplication({ ownerId: other.user.userId, name: 'Agenda' });
  const { database } = service.parts;
  await grantServiceAccess(database, theirs, own);
  await grantServiceAccess(database, theirs, foreign);
  await grantServiceAccess(database, api, foreign, ['read', 'write']);
  await exclude(service, api, own);
  await exclude(service, theirs, foreign);
  const file = JSON.parse((await take(person)).body);
  expect(file.apis).toEqual([
    expect.objectContaining({
      ...{ api_id: api.apiId, identifier: api.identifier, name: api.name, scopes: api.scopes },
      ...{
        admits: api.admits,
        token_lifetime: api.tokenLifetime,
        words_fr: api.wordsFr,
        words_en: api.wordsEn,
      },
      secrets: [expect.objectContaining({ number: 1 })],
    }),
  ]);
  const access = { asked_at: expect.any(String), granted_at: expect.any(String) };
  const accesses = [
    { api_id: theirs.apiId, client_id: own.clientId, application: 'Robot', scopes: ['read'] },
    { api_id: api.apiId, client_id: foreign.clientId, application: 'Agenda', scopes: ['read', 'write'] },
  ];
  expect(file.service_access).toHaveLength(2);
  for (const one of accesses)
    expect(file.service_access).toContainEqual({ ...one, ...access, api: 'Archives' });
  expect(file.cut_off).toEqual([
    {
      ...{ api_id: api.apiId, api: 'Archives', client_id: own.clientId, application: 'Robot' },
      ...{ excluded_at: expect.any(String), lifted_at: null },
    },
  ]);
  for (const secret of [api.secret, theirs.secret, theirs.identifier])
    expect(JSON.stringify(file)).not.toContain(secret);
});

test('one at a time for an account: the next is told to wait, until the peer has taken the file or hung up', async () => {
  const person = await withMuch();
  const answer = await takeSlowly(person);
  const second = await take(person);
  expect([second.status, second.headers.get('retry-after')]).toEqual([503, '30']);
  answer.destroy();
  await until('the place to be given back', async () => {
    const next = await takeSlowly(person);
    next.destroy();
    return next.statusCode === 200;
  });
});

test('what is cut off does not end as if it were whole: when the session is ended, or the account', async () => {
  for (const text of [
    'delete from sessions where user_id = $1::uuid',
    'delete from users where id = $1::uuid',
  ]) {
    const person = await withMuch();
    const answer = await takeSlowly(person);
    await sql(text.slice(0, 18).replaceAll(' ', '_'), text, [person.user.userId]);
    const read = await readOn(answer);
    expect(read.whole).toBe(false);
    expect(() => JSON.parse(read.text)).toThrow();
  }
});
