// Data exports: paging, slow downloads, concurrent exports, aborted exports.
import { type IncomingMessage, request } from 'node:http';
import { afterAll, expect, test } from 'vitest';
import { NIL_USER_ID } from '../../src/store/nil-user-id.ts';
import { statement } from '../../src/store/statement.ts';
import { createApiWithSecret, grantServiceAccess, insertExclusion } from '../support/apis.ts';
import type { BrowserSession } from '../support/browser-session.ts';
import { openSignedInBrowser } from '../support/oauth-flow.ts';
import { startTestService, type TestUser } from '../support/service.ts';
import { waitUntil } from '../support/wait-until.ts';

const POOL_SIZE = 2;
/** 16 MB of audit events in total, more than the socket buffers hold. */
const LARGE_EXPORT = { events: 8_000, characters: 2_000 };

const service = await startTestService({ DATABASE_POOL_SIZE: String(POOL_SIZE) });
afterAll(() => service.close());

interface SignedInUser {
  user: TestUser;
  browser: BrowserSession;
  csrf: string;
}

async function createSignedInUser(): Promise<SignedInUser> {
  const user = await service.createUser();
  const browser = await openSignedInBrowser(service, user);
  return { user, browser, csrf: (await browser.get('/account')).hidden.csrf ?? '' };
}

const sql = (name: string, text: string, values: unknown[]) =>
  service.services.database.query(statement(`test_export_${name}`, text), values);

async function createUserWithLargeExport(): Promise<SignedInUser> {
  const account = await createSignedInUser();
  await sql(
    'many_events',
    `insert into events (at, kind, actor_id, user_id, detail)
    select now(), 'profile_changed', $1::uuid, $1::uuid, jsonb_build_object('text', repeat('x', $3::int))
    from generate_series(1, $2::int)`,
    [account.user.userId, LARGE_EXPORT.events, LARGE_EXPORT.characters],
  );
  return account;
}

const downloadExport = ({ browser, csrf }: SignedInUser) => browser.post('/account/data', { csrf });

/** Requests the export. Resolves when the headers arrive, before the body is read. */
function startDownload({ browser, csrf }: SignedInUser): Promise<IncomingMessage> {
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  return new Promise((resolve, reject) => {
    const sent = request(
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
    sent.on('error', reject);
    sent.end(String(new URLSearchParams({ csrf })));
  });
}

async function readBody(response: IncomingMessage): Promise<{ isComplete: boolean; text: string }> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of response) chunks.push(chunk as Buffer);
  } catch {
    // The connection was closed, so the body is incomplete.
  }
  return { isComplete: response.complete, text: Buffer.concat(chunks).toString() };
}

test('a data export read in batches contains every row exactly once', async () => {
  const account = await createSignedInUser();
  const { userId } = account.user;
  const COUNT = 1_203;
  await sql(
    'events_of_equal_time',
    `insert into events (at, kind, actor_id, user_id, detail)
    select timestamptz '2026-01-02 03:04:05.678901+00' + make_interval(secs => (n / 700) * 0.000001), 'profile_changed',
      case when n % 3 = 0 then null else $1::uuid end, case when n % 3 = 1 then '${NIL_USER_ID}'::uuid else $1::uuid end,
      jsonb_build_object('number', n)
    from generate_series(1, $2::int) as n`,
    [userId, COUNT],
  );
  await sql(
    'grants_of_few_sessions',
    `insert into grants (id, client_id, user_id, epoch, rotation, created_at, rotated_at, sid)
    select gen_random_uuid(), n::text, $1::uuid, 0, 1, now(), now(), lpad((n / 600)::text, 32, '0')::uuid
    from generate_series(1, $2::int) as n`,
    [userId, COUNT],
  );
  const file = JSON.parse((await downloadExport(account)).body);
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
      'linked_identities',
      'recovery_codes',
      'remembered_devices',
      'mfa_resets',
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
      'revoked_clients',
      'transfer_offers',
    ],
    ...['messages', 'events'],
  ]);
  expect(JSON.stringify(file)).not.toContain('"after"');
});

test('a data export contains no data about other users', async () => {
  const [account, otherAccount] = [await createSignedInUser(), await createSignedInUser()];
  const api = await createApiWithSecret(service, { ownerId: account.user.userId });
  const otherApi = await createApiWithSecret(service, { ownerId: otherAccount.user.userId });
  const ownClient = await service.createClient({ ownerId: account.user.userId, name: 'Robot' });
  const otherClient = await service.createClient({ ownerId: otherAccount.user.userId, name: 'Agenda' });
  const { database } = service.services;
  await grantServiceAccess(database, otherApi, ownClient);
  await grantServiceAccess(database, otherApi, otherClient);
  await grantServiceAccess(database, api, otherClient, ['read', 'write']);
  await insertExclusion(service, api, ownClient);
  await insertExclusion(service, otherApi, otherClient);
  const file = JSON.parse((await downloadExport(account)).body);
  expect(file.apis).toEqual([
    expect.objectContaining({
      ...{ api_id: api.apiId, identifier: api.identifier, name: api.name, scopes: api.scopes },
      ...{
        allowed_clients: api.allowedClients,
        token_lifetime: api.tokenLifetime,
        description_fr: api.descriptionFr,
        description_en: api.descriptionEn,
      },
      secrets: [expect.objectContaining({ number: 1 })],
    }),
  ]);
  const times = { requested_at: expect.any(String), granted_at: expect.any(String) };
  const expectedAccess = [
    { api_id: otherApi.apiId, client_id: ownClient.clientId, application: 'Robot', scopes: ['read'] },
    { api_id: api.apiId, client_id: otherClient.clientId, application: 'Agenda', scopes: ['read', 'write'] },
  ];
  expect(file.service_access).toHaveLength(2);
  for (const expected of expectedAccess)
    expect(file.service_access).toContainEqual({ ...expected, ...times, api: 'Archives' });
  expect(file.revoked_clients).toEqual([
    {
      ...{ api_id: api.apiId, api: 'Archives', client_id: ownClient.clientId, application: 'Robot' },
      ...{ excluded_at: expect.any(String), lifted_at: null },
    },
  ]);
  for (const secret of [api.secret, otherApi.secret, otherApi.identifier])
    expect(JSON.stringify(file)).not.toContain(secret);
});

test('a second data export returns 503 while the first one is in progress', async () => {
  const account = await createUserWithLargeExport();
  const response = await startDownload(account);
  const second = await downloadExport(account);
  expect([second.status, second.headers.get('retry-after')]).toEqual([503, '30']);
  response.destroy();
  await waitUntil('the export to end', async () => {
    const next = await startDownload(account);
    next.destroy();
    return next.statusCode === 200;
  });
});

test('a data export is aborted when the session or the account is deleted', async () => {
  for (const text of [
    'delete from sessions where user_id = $1::uuid',
    'delete from users where id = $1::uuid',
  ]) {
    const account = await createUserWithLargeExport();
    const response = await startDownload(account);
    await sql(text.slice(0, 18).replaceAll(' ', '_'), text, [account.user.userId]);
    const read = await readBody(response);
    expect(read.isComplete).toBe(false);
    expect(() => JSON.parse(read.text)).toThrow();
  }
});
