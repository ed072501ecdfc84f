// Activity charts for administrators.
import { beforeAll, describe, expect, test } from 'vitest';
import { createSignedInAdmin, type TestAdmin } from '../../support/admin.ts';
import { readText } from '../../support/markup.ts';
import {
  fetchUserinfo,
  obtainTokens,
  openSignedInBrowser,
  redeemCode,
  redeemRefreshToken,
} from '../../support/oauth-flow.ts';
import { startTestService, useTestService } from '../../support/service.ts';

const ACTIVITY_PATH = '/console/operations/activity';
const DAY = 24 * 3600 * 1000;
const service = useTestService({ RETENTION: String(40 * 24 * 3600) });
let admin: TestAdmin;
beforeAll(async () => {
  admin = await createSignedInAdmin(service);
});

const loadPage = async (url = ACTIVITY_PATH) => (await admin.browser.get(url)).body;
const daysAgo = (days: number) => new Date(service.clock.now().getTime() - days * DAY);
const formatDay = (day: Date) => day.toISOString().slice(0, 10);
function readChart(body: string, title: string) {
  const chart =
    body
      .split('<section class="chart')
      .find((part) => readText(/<h3[^>]*>.*?<\/h3>/.exec(part)?.[0] ?? '') === title) ?? '';
  return {
    headline: /<strong>(.*?)<\/strong>/.exec(chart)?.[1],
    summary: /aria-label="(.*?)"/.exec(chart)?.[1],
    cells: [...chart.matchAll(/<th scope="row">(.*?)<\/th><td>(.*?)<\/td>/g)].map(([, label, cell]) => [
      label,
      cell,
    ]),
  };
}

test('the activity page shows a message if there is no data', async () => {
  const emptyService = await startTestService();
  const { browser } = await createSignedInAdmin(emptyService);
  const { body } = await browser.get(ACTIVITY_PATH);
  expect(readChart(body, 'New accounts')).toMatchObject({ headline: '0', cells: [] });
  expect(body).toContain('No activity in this period.');
  expect(body).toContain('No application was used in this period.');
  expect((await browser.get(`${ACTIVITY_PATH}/times`)).status).toBe(200);
  await emptyService.close();
});

describe('the charts of daily activity', () => {
  test('include the events of all processes', async () => {
    const { activity } = service.services;
    activity.countServiceEvent('signed_up', daysAgo(3), 30);
    activity.countServiceEvent('signed_up', daysAgo(2), 12);
    activity.countServiceEvent('sign_in_failed', daysAgo(27), 1);
    activity.countServiceEvent('sign_in_failed', daysAgo(28), 7); // before the displayed period
    activity.countServiceEvent('refused', daysAgo(0), 5);
    await activity.flush();
    const other = await startTestService({}, { databaseUrl: service.databaseUrl });
    other.services.activity.countServiceEvent('signed_up', daysAgo(2), 8);
    await other.close();
    const body = await loadPage();
    expect(readChart(body, 'New accounts').headline).toBe('50');
    expect(
      readChart(body, 'New accounts')
        .cells.slice(-4)
        .map(([, cell]) => cell),
    ).toEqual(['30', '20', '0', '0']);
    expect(readChart(body, 'New accounts').cells).toHaveLength(28);
    expect(readChart(body, 'New accounts').summary).toMatch(/: 50 in total, peak of 30 \(/);
    expect(readChart(body, 'Failed sign-ins').headline).toBe('1');
    expect(readChart(body, 'Refused requests').cells.at(-1)?.[0]).toContain('(so far)');
    expect(body).toContain('UTC');
    expect(body).toContain('kept for 40 days');
  });

  test('mark days before the first record as unknown', async () => {
    const body = await loadPage(`${ACTIVITY_PATH}?until=${formatDay(daysAgo(28))}`);
    const { headline, cells } = readChart(body, 'Failed sign-ins');
    expect(headline).toBe('7');
    expect(cells.at(-1)?.[1]).toBe('7');
    expect(cells[0]?.[1]).toBe('–');
    expect(body).toContain(`href="${ACTIVITY_PATH}?until=${formatDay(daysAgo(0))}"`);
    expect(body).not.toContain('Previous 28 days');
    expect(await loadPage()).toContain(`href="${ACTIVITY_PATH}?until=${formatDay(daysAgo(28))}"`);
    const earlierPage = await loadPage(`${ACTIVITY_PATH}?until=2020-01-01`);
    expect(earlierPage.match(/No statistics for this period\./g)).toHaveLength(1);
    expect(earlierPage).not.toMatch(/chart-title|in total/);
  });

  test('cover 14 days on the overview page', async () => {
    const body = await loadPage('/console/operations');
    const [, tile = ''] = /<li class="tile" id="activity-signed_up">(.*?)<\/li>/s.exec(body) ?? [];
    expect(readText(tile).trim()).toBe('New accounts 50');
    expect(tile.match(/<path/g)).toHaveLength(14);
    const links = [...body.matchAll(/<a class="tile-label" href="([^"]*)"/g)].map(([, href = '']) => href);
    expect(links).toHaveLength(4);
    for (const href of links) expect((await admin.browser.get(href)).status, href).toBe(200);
    expect(body).toContain(`href="${ACTIVITY_PATH}"`);
  });
});

test('the totals are compared with the previous range if it was recorded', async () => {
  const comparedService = await startTestService();
  const { activity, now } = comparedService.services;
  comparedService.clock.advance((1.5 * DAY - (now().getTime() % DAY)) / 1000);
  const noon = now().getTime();
  const { browser } = await createSignedInAdmin(comparedService);
  const addEvents = (kind: 'signed_in' | 'signed_up' | 'refused', days: number, times: number) =>
    activity.countServiceEvent(kind, new Date(noon - days * DAY), times);
  const readUnits = async (query: string) =>
    [
      ...(await browser.get(`${ACTIVITY_PATH}${query}`)).body.matchAll(
        /class="chart-head">.*?<span class="quiet">(.*?)</g,
      ),
    ].map(([, unit]) => unit);
  addEvents('signed_up', 2, 56);
  addEvents('signed_up', 9, 50);
  addEvents('refused', 3, 10);
  addEvents('refused', 13, 10);
  expect(await readUnits('?days=7'), 'sign-ins have no previous total').toEqual([
    'in total',
    'in total, +12% compared with the 7 days before',
    'in total',
    'in total, the same as the 7 days before',
  ]);
  expect(new Set(await readUnits('?days=28')), 'counting began within the previous range').toEqual(
    new Set(['in total']),
  );
  addEvents('refused', 7.4, 40);
  addEvents('refused', 6.6, 4000); // later in the day than now, so not counted
  expect((await readUnits('?days=7'))[3]).toBe('in total, \u221280% compared with the 7 days before');
  await comparedService.close();
});

test('the charts of hourly activity can show any day', async () => {
  const midnight = new Date(`${formatDay(daysAgo(5))}T00:00:00Z`);
  service.services.activity.countServiceEvent('signed_up', new Date(midnight.getTime() + 13.5 * 3600_000), 9);
  const { headline, cells } = readChart(
    await loadPage(`${ACTIVITY_PATH}?day=${formatDay(midnight)}`),
    'New accounts',
  );
  expect([headline, cells.length, cells[12], cells[13]]).toEqual(['9', 24, ['12:00', '0'], ['13:00', '9']]);
  const today = readChart(await loadPage(`${ACTIVITY_PATH}?day=${formatDay(daysAgo(0))}`), 'Sign-ins').cells;
  const hour = service.clock.now().getUTCHours();
  expect(today[hour]?.[0]).toContain('(so far)');
  expect(today.slice(hour + 1).every(([, cell]) => cell === '–')).toBe(true);
});

test('the activity page links to the busiest applications', async () => {
  const [busy, quiet] = [
    await service.createClient({ name: 'Busy & <b>' }),
    await service.createClient({ name: 'Quiet' }),
  ];
  const browser = await openSignedInBrowser(service, await service.createUser());
  let { refreshToken } = await obtainTokens(service, busy, browser);
  for (let i = 0; i < 3; i++)
    refreshToken = String((await redeemRefreshToken(service, busy, refreshToken)).body.refresh_token);
  await obtainTokens(service, quiet, browser);
  await redeemCode(service, quiet, 'sesame_no_such_code');
  // The list of busiest applications covers one week.
  const former = await service.createClient({ name: 'Former' });
  service.services.activity.countClientEvent(former.clientId, 'refreshed', daysAgo(7), 1000);
  const idle = await service.createClient({ name: 'Idle' });
  service.services.activity.countClientEvent(idle.clientId, 'refreshed', daysAgo(0), 0);
  const rows = [...(await loadPage()).matchAll(/<tr><td data-heading="Application">([\s\S]*?)<\/tr>/g)].map(
    ([row]) => row,
  );
  expect(rows).toHaveLength(2);
  expect(rows[0]).toContain(`/console/operations/applications/${busy.clientId}`);
  expect(rows[0]).toContain('Busy &amp; &lt;b&gt;');
  expect(rows[0]).toMatch(/data-heading="Refreshes"><div><span class="share">3 /);
  expect(rows[1]).toMatch(/data-heading="Refused"><div><span class="share">1 /);
});

test('the page of response times shows the median and the 95th percentile', async () => {
  for (let i = 0; i < 4; i++) await fetchUserinfo(service, 'nothing');
  const body = await loadPage(`${ACTIVITY_PATH}/times`);
  expect(readChart(body, 'Profile (/oauth/userinfo)').headline).toMatch(/^[\d.]+ ms$/);
  expect(readChart(body, 'Profile (/oauth/userinfo)').summary).toMatch(/50% of responses within .* 95%/);
  expect(body).toContain('95% of responses, in ms');
  expect(body).toContain('/metrics');
  expect(body.match(/class="chart-bars"/g)?.length).toBeGreaterThan(1);
});

test.each(['day', 'until', 'days'])('an invalid value for the %s parameter is ignored', async (name) => {
  for (const value of ['2026-02-30', '0000-01-01', '0001-01-01', '%22%3E%3Ci%3E', '9999-12-31'])
    for (const page of [ACTIVITY_PATH, `${ACTIVITY_PATH}/times`]) {
      const { status, body } = await admin.browser.get(`${page}?${name}=${value}`);
      expect([status, body.includes('<i>')]).toEqual([200, false]);
    }
});
