// Requests that must never be answered by redirect: application or callback cannot be trusted (D1).
import { afterAll, describe, expect, test } from 'vitest';
import { openBrowserSession } from '../support/browser-session.ts';
import { withDatabase } from '../support/database-content.ts';
import { sendExactly } from '../support/exact-request.ts';
import { authorizeAddress } from '../support/flow.ts';
import { addressesOf, headingOf, markupFaults } from '../support/markup.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
const application = await service.createApplication();
afterAll(() => service.close());

const EVIL = 'https://evil.example/steal';
const INCIDENT = /<p class="incident-code"><code>([2-9A-HJ-NP-Z]{10})<\/code><\/p>/;

const CASES: [name: string, status: number, error: string, change: (query: URLSearchParams) => void][] = [
  ['unknown client_id', 401, 'invalid_client', (q) => q.set('client_id', 'app_nobody')],
  ['client_id of no possible shape', 401, 'invalid_client', (q) => q.set('client_id', "app' or 1=1 --")],
  [
    'unknown client_id with an unknown callback',
    401,
    'invalid_client',
    (q) => {
      q.set('client_id', 'app_nobody');
      q.set('redirect_uri', EVIL);
    },
  ],
  ['missing client_id', 400, 'invalid_request', (q) => q.delete('client_id')],
  ['empty client_id', 400, 'invalid_request', (q) => q.set('client_id', '')],
  ['repeated client_id', 400, 'invalid_request', (q) => q.append('client_id', q.get('client_id') ?? '')],
  ['client_id with NUL', 400, 'invalid_request', (q) => q.set('client_id', `${q.get('client_id')}\0`)],
  ['missing redirect_uri', 400, 'invalid_request', (q) => q.delete('redirect_uri')],
  ['empty redirect_uri', 400, 'invalid_request', (q) => q.set('redirect_uri', '')],
  ['unregistered redirect_uri', 400, 'invalid_request', (q) => q.set('redirect_uri', EVIL)],
  ['redirect_uri with NUL', 400, 'invalid_request', (q) => q.set('redirect_uri', `${EVIL}\0`)],
  [
    'repeated redirect_uri, the same',
    400,
    'invalid_request',
    (q) => q.append('redirect_uri', q.get('redirect_uri') ?? ''),
  ],
  ['repeated redirect_uri, another', 400, 'invalid_request', (q) => q.append('redirect_uri', EVIL)],
  [
    'unregistered redirect_uri among other faults',
    400,
    'invalid_request',
    (q) => {
      q.set('redirect_uri', EVIL);
      q.delete('scope');
      q.delete('state');
      q.set('prompt', 'none');
    },
  ],
];

function unsafeAddress(change: (query: URLSearchParams) => void): URL {
  const address = authorizeAddress(service, application);
  const query = new URLSearchParams(address.searchParams);
  change(query);
  address.search = query.toString();
  return address;
}

describe.each(CASES)('%s (D1)', (_, status, error, change) => {
  test('is a page for a browser: no redirect, no way to the offered URL, an incident code', async () => {
    const visit = await openBrowserSession(service.baseUrl).get(unsafeAddress(change));
    expect(visit.status).toBe(status);
    expect(visit.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(visit.headers.get('location')).toBeNull();
    expect(visit.headers.get('refresh')).toBeNull();
    expect(visit.body).toMatch(INCIDENT);
    expect(markupFaults(visit.body)).toEqual([]);
    for (const address of addressesOf(visit.body))
      expect(new URL(address, service.baseUrl).origin).toBe(service.baseUrl);
    expect(visit.body).not.toContain('http-equiv');
  });

  test.each([
    ['*/*', { accept: '*/*' }],
    ['application/json', { accept: 'application/json' }],
    ['nothing', { accept: '' }],
  ])('is JSON where Accept names %s', async (__, headers) => {
    const answer = await sendExactly(unsafeAddress(change), { headers });
    expect(answer.status).toBe(status);
    expect(answer.location).toBeNull();
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('pragma')).toBe('no-cache');
    expect(JSON.parse(answer.body)).toEqual({
      error,
      error_description: expect.stringMatching(/^[\x20-\x7e]+$/),
    });
    expect(answer.body).not.toContain('evil.example');
  });
});

describe('the page', () => {
  test('says in plain words what went wrong, differently for each', async () => {
    const browser = openBrowserSession(service.baseUrl);
    const headings = [];
    for (const change of [
      (query: URLSearchParams) => query.set('client_id', 'app_nobody'),
      (query: URLSearchParams) => query.delete('client_id'),
      (query: URLSearchParams) => query.set('redirect_uri', EVIL),
    ])
      headings.push(headingOf((await browser.get(unsafeAddress(change))).body));
    expect(headings).toEqual([
      'Unknown application',
      'This sign-in request is incomplete',
      'This sign-in request is not safe',
    ]);
  });
});

describe('a suspended application', () => {
  test('is answered like an unknown one (D1, D2)', async () => {
    const suspended = await service.createApplication();
    await withDatabase(service.databaseUrl, (client) =>
      client.query('update clients set suspended_at = $2 where client_id = $1', [
        suspended.clientId,
        service.clock.now(),
      ]),
    );
    const visit = await openBrowserSession(service.baseUrl).get(authorizeAddress(service, suspended));
    expect(visit.status).toBe(401);
    expect(visit.location).toBeUndefined();
  });
});
