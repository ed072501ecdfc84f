import { afterAll, describe, expect, test } from 'vitest';
import { openBrowserSession } from '../support/browser-session.ts';
import { withDatabase } from '../support/database-content.ts';
import { sendExactRequest } from '../support/exact-response.ts';
import { findMarkupErrors, listUrls, readHeading } from '../support/markup.ts';
import { buildAuthorizeUrl } from '../support/oauth-flow.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
const client = await service.createClient();
afterAll(() => service.close());

const EVIL_URI = 'https://evil.example/steal';
const INCIDENT_CODE_PATTERN = /<p class="incident-code"><code>([2-9A-HJ-NP-Z]{10})<\/code><\/p>/;

const CASES: [name: string, status: number, error: string, change: (query: URLSearchParams) => void][] = [
  ['an unknown client_id', 401, 'invalid_client', (query) => query.set('client_id', 'app_nobody')],
  ['a malformed client_id', 401, 'invalid_client', (query) => query.set('client_id', "app' or 1=1 --")],
  [
    'an unknown client_id with an unknown redirect_uri',
    401,
    'invalid_client',
    (query) => {
      query.set('client_id', 'app_nobody');
      query.set('redirect_uri', EVIL_URI);
    },
  ],
  ['a missing client_id', 400, 'invalid_request', (query) => query.delete('client_id')],
  ['an empty client_id', 400, 'invalid_request', (query) => query.set('client_id', '')],
  [
    'a repeated client_id',
    400,
    'invalid_request',
    (query) => query.append('client_id', query.get('client_id') ?? ''),
  ],
  [
    'a client_id with a NUL character',
    400,
    'invalid_request',
    (query) => query.set('client_id', `${query.get('client_id')}\0`),
  ],
  ['a missing redirect_uri', 400, 'invalid_request', (query) => query.delete('redirect_uri')],
  ['an empty redirect_uri', 400, 'invalid_request', (query) => query.set('redirect_uri', '')],
  ['an unregistered redirect_uri', 400, 'invalid_request', (query) => query.set('redirect_uri', EVIL_URI)],
  [
    'a redirect_uri with a NUL character',
    400,
    'invalid_request',
    (query) => query.set('redirect_uri', `${EVIL_URI}\0`),
  ],
  [
    'a redirect_uri that is repeated unchanged',
    400,
    'invalid_request',
    (query) => query.append('redirect_uri', query.get('redirect_uri') ?? ''),
  ],
  [
    'a second, different redirect_uri',
    400,
    'invalid_request',
    (query) => query.append('redirect_uri', EVIL_URI),
  ],
  [
    'an unregistered redirect_uri among other errors',
    400,
    'invalid_request',
    (query) => {
      query.set('redirect_uri', EVIL_URI);
      query.delete('scope');
      query.delete('state');
      query.set('prompt', 'none');
    },
  ],
];

function buildInvalidUrl(change: (query: URLSearchParams) => void): URL {
  const url = buildAuthorizeUrl(service, client);
  const query = new URLSearchParams(url.searchParams);
  change(query);
  url.search = query.toString();
  return url;
}

describe.each(CASES)('a request with %s', (_, status, error, change) => {
  test('gets an error page with an incident code', async () => {
    const visit = await openBrowserSession(service.baseUrl).get(buildInvalidUrl(change));
    expect(visit.status).toBe(status);
    expect(visit.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(visit.headers.get('location')).toBeNull();
    expect(visit.headers.get('refresh')).toBeNull();
    expect(visit.body).toMatch(INCIDENT_CODE_PATTERN);
    expect(findMarkupErrors(visit.body)).toEqual([]);
    for (const url of listUrls(visit.body))
      expect(new URL(url, service.baseUrl).origin).toBe(service.baseUrl);
    expect(visit.body).not.toContain('http-equiv');
  });

  test.each([
    ['*/*', { accept: '*/*' }],
    ['application/json', { accept: 'application/json' }],
    ['empty', { accept: '' }],
  ])('gets a JSON error with Accept: %s', async (__, headers) => {
    const response = await sendExactRequest(buildInvalidUrl(change), { headers });
    expect(response.status).toBe(status);
    expect(response.location).toBeNull();
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('pragma')).toBe('no-cache');
    expect(JSON.parse(response.body)).toEqual({
      error,
      error_description: expect.stringMatching(/^[\x20-\x7e]+$/),
    });
    expect(response.body).not.toContain('evil.example');
  });
});

describe('the error page', () => {
  test('has a different heading for each type of error', async () => {
    const browser = openBrowserSession(service.baseUrl);
    const headings = [];
    for (const change of [
      (query: URLSearchParams) => query.set('client_id', 'app_nobody'),
      (query: URLSearchParams) => query.delete('client_id'),
      (query: URLSearchParams) => query.set('redirect_uri', EVIL_URI),
    ])
      headings.push(readHeading((await browser.get(buildInvalidUrl(change))).body));
    expect(headings).toEqual([
      'Unknown application',
      'This sign-in request is incomplete',
      'This sign-in request is not safe',
    ]);
  });
});

describe('a suspended client', () => {
  test('gets the same error page as an unknown client', async () => {
    const suspended = await service.createClient();
    await withDatabase(service.databaseUrl, (client) =>
      client.query('update clients set suspended_at = $2 where client_id = $1', [
        suspended.clientId,
        service.clock.now(),
      ]),
    );
    const visit = await openBrowserSession(service.baseUrl).get(buildAuthorizeUrl(service, suspended));
    expect(visit.status).toBe(401);
    expect(visit.location).toBeUndefined();
  });
});
