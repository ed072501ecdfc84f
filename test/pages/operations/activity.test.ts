// What operators see of what happens: right figures in pictures, words and tables, for the days that were asked for.
import { beforeAll, describe, expect, test } from 'vitest';
import { obtainTokens, redeem, renew, signedInBrowser, userinfo } from '../../support/flow.ts';
import { textIn } from '../../support/markup.ts';
import { type Operator, signedInOperator } from '../../support/operator.ts';
import { startTestService, useTestService } from '../../support/service.ts';

const ACTIVITY = '/console/operations/activity';
const DAY = 24 * 3600 * 1000;
const service = useTestService({ RETENTION: String(40 * 24 * 3600) });
let operator: Operator;
beforeAll(async () => {
  operator = await signedInOperator(service);
});

const open = async (address = ACTIVITY) => (await operator.browser.get(address)).body;
const daysAgo = (days: number) => new Date(service.clock.now().getTime() - days * DAY);
const isoDay = (day: Date) => day.toISOString().slice(0, 10);
/** A chart by its title: what it comes to, its summary in words, and its table. */
function chartOf(body: string, title: string) {
  const chart =
    body
      .split('<section class="chart')
      .find((part) => textIn(/<h3[^>]*>.*?<\/h3>/.exec(part)?.[0] ?? '') === title) ?? '';
  return {
    headline: /<strong>(.*?)<\/strong>/.exec(chart)?.[1],
    summary: /aria-label="(.*?)"/.exec(chart)?.[1],
    cells: [...chart.matchAll(/<th scope="row">(.*?)<\/th><td>(.*?)<\/td>/g)].map(([, label, cell]) => [
      label,
      cell,
    ]),
  };
}

test('before anything has happened, it says so', async () => {
  const fresh = await startTestService();
  const { browser } = await signedInOperator(fresh);
  const { body } = await browser.get(ACTIVITY);
  expect(chartOf(body, 'New accounts')).toMatchObject({ headline: '0', cells: [] });
  expect(body).toContain('Nothing in this period.');
  expect(body).toContain('No application was used in this period.');
  expect((await browser.get(`${ACTIVITY}/times`)).status).toBe(200);
  await fresh.close();
});

describe('by day', () => {
  test('sign-ins, new accounts, failures and refusals, from every process', async () => {
    const { activity } = service.parts;
    activity.happened('signed_up', daysAgo(3), 30);
    activity.happened('signed_up', daysAgo(2), 12);
    activity.happened('sign_in_failed', daysAgo(27), 1);
    activity.happened('sign_in_failed', daysAgo(28), 7); // too long ago
    activity.happened('refused', daysAgo(0), 5);
    await activity.flush();
    const other = await startTestService({}, { databaseUrl: service.databaseUrl });
    other.parts.activity.happened('signed_up', daysAgo(2), 8);
    await other.close();
    const body = await open();
    expect(chartOf(body, 'New accounts').headline).toBe('50');
    expect(
      chartOf(body, 'New accounts')
        .cells.slice(-4)
        .map(([, cell]) => cell),
    ).toEqual(['30', '20', '0', '0']);
    expect(chartOf(body, 'New accounts').cells).toHaveLength(28);
    expect(chartOf(body, 'New accounts').summary).toMatch(/: 50 in total, 30 at most \(/);
    expect(chartOf(body, 'Failed sign-ins').headline).toBe('1');
    expect(chartOf(body, 'Refused requests').cells.at(-1)?.[0]).toContain('(so far)');
    expect(body).toContain('UTC');
    expect(body).toContain('kept for 40 days');
  });

  test('the weeks before, and the way back; days before the first count are not known', async () => {
    const body = await open(`${ACTIVITY}?until=${isoDay(daysAgo(28))}`);
    const { headline, cells } = chartOf(body, 'Failed sign-ins');
    expect(headline).toBe('7');
    expect(cells.at(-1)?.[1]).toBe('7');
    expect(cells[0]?.[1]).toBe('–');
    expect(body).toContain(`href="${ACTIVITY}?until=${isoDay(daysAgo(0))}"`);
    expect(body).not.toContain('Previous 4 weeks');
    expect(await open()).toContain(`href="${ACTIVITY}?until=${isoDay(daysAgo(28))}"`);
    // What is not known comes to nothing « in total ».
    const before = await open(`${ACTIVITY}?until=2020-01-01`);
    expect(chartOf(before, 'New accounts').headline).toBe('–');
    expect(before).not.toContain('in total');
  });

  test('the overview has the last two weeks of it', async () => {
    const body = await open('/console/operations');
    expect(chartOf(body, 'New accounts')).toMatchObject({ headline: '50' });
    expect(chartOf(body, 'New accounts').cells).toHaveLength(14);
    expect(body).toContain(`href="${ACTIVITY}"`);
  });
});

test('by hour: of any day; what is yet to come is not zero', async () => {
  const midnight = new Date(`${isoDay(daysAgo(5))}T00:00:00Z`);
  service.parts.activity.happened('signed_up', new Date(midnight.getTime() + 13.5 * 3600_000), 9);
  const { headline, cells } = chartOf(await open(`${ACTIVITY}?day=${isoDay(midnight)}`), 'New accounts');
  expect([headline, cells.length, cells[12], cells[13]]).toEqual(['9', 24, ['12:00', '0'], ['13:00', '9']]);
  const today = chartOf(await open(`${ACTIVITY}?day=${isoDay(daysAgo(0))}`), 'Sign-ins').cells;
  const hour = service.clock.now().getUTCHours();
  expect(today[hour]?.[0]).toContain('(so far)');
  expect(today.slice(hour + 1).every(([, cell]) => cell === '–')).toBe(true);
});

test('the busiest applications, each leading to its page', async () => {
  const [busy, quiet] = [
    await service.createApplication({ name: 'Busy & <b>' }),
    await service.createApplication({ name: 'Quiet' }),
  ];
  const browser = await signedInBrowser(service, await service.createUser());
  let { refreshToken } = await obtainTokens(service, busy, browser);
  for (let i = 0; i < 3; i++)
    refreshToken = String((await renew(service, busy, refreshToken)).body.refresh_token);
  await obtainTokens(service, quiet, browser);
  await redeem(service, quiet, 'sesame_no_such_code');
  // Of the last week only.
  const former = await service.createApplication({ name: 'Former' });
  service.parts.activity.happenedTo(former.clientId, 'renewed', daysAgo(7), 1000);
  const rows = [...(await open()).matchAll(/<tr><td data-heading="Application">([\s\S]*?)<\/tr>/g)].map(
    ([row]) => row,
  );
  expect(rows).toHaveLength(2);
  expect(rows[0]).toContain(`/console/operations/applications/${busy.clientId}`);
  expect(rows[0]).toContain('Busy &amp; &lt;b&gt;');
  expect(rows[0]).toMatch(/data-heading="Renewals"><div><span class="share">3 /);
  expect(rows[1]).toMatch(/data-heading="Refusals"><div><span class="share">1 /);
});

test('response times are those of /metrics, half of them and 95 %', async () => {
  for (let i = 0; i < 4; i++) await userinfo(service, 'nothing');
  const body = await open(`${ACTIVITY}/times`);
  expect(chartOf(body, 'Profile (/oauth/userinfo)').headline).toMatch(/^[\d.]+ ms$/);
  expect(chartOf(body, 'Profile (/oauth/userinfo)').summary).toMatch(
    /half of the (answers|responses) within .* 95%/,
  );
  expect(body).toContain('/metrics');
  expect(body.match(/class="chart-bars"/g)?.length).toBeGreaterThan(1);
});

test.each(['day', 'until'])('a %s that is none is as if it were not there', async (name) => {
  for (const value of ['2026-02-30', '0000-01-01', '0001-01-01', '%22%3E%3Ci%3E', '9999-12-31'])
    for (const page of [ACTIVITY, `${ACTIVITY}/times`]) {
      const { status, body } = await operator.browser.get(`${page}?${name}=${value}`);
      expect([status, body.includes('<i>')]).toEqual([200, false]);
    }
});
