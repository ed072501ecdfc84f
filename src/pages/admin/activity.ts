// /console/operations/activity and …/times: charts of service usage and response times.
import type { FastifyInstance } from 'fastify';
import { TIMED_ROUTES, truncateToDay } from '../../background/activity.ts';
import { readQuery } from '../../http/parameters.ts';
import { estimateQuantile } from '../../http/request-metrics.ts';
import type { Services } from '../../http/services.ts';
import {
  findFirstDayOfActivity,
  listBusiestClients,
  listResponseTimes,
  listServiceActivity,
  type ResponseTimes,
} from '../../store/activity.ts';
import { parseActivityRange } from '../../web/activity-range.ts';
import { previousRange } from '../../web/html/activity.ts';
import { activityView, type PreviewView, type RouteTimes, responseTimesView } from './activity-view.ts';
import { ACTIVITY_URL, RESPONSE_TIMES_URL } from './layout.ts';

const MAX_RANKED_CLIENTS = 10;
/** Short because the database has one row per client and day. */
const RANKING_DAYS = 7;
export const PREVIEW_DAYS = 14;
const DAY = 24 * 3600;

export function activityPage(area: FastifyInstance, services: Services): void {
  const { database, config } = services;
  const retentionDays = Math.floor(config.retention / DAY);

  area.get(ACTIVITY_URL, async (request, reply) => {
    await services.activity.flush();
    const span = parseActivityRange(
      readQuery(request),
      services.now(),
      await findFirstDayOfActivity(database),
    );
    const { first, last } = span;
    const busySince = new Date(Math.max(first.getTime(), last.getTime() - (RANKING_DAYS - 1) * DAY * 1000));
    const previous = previousRange(span);
    const [days, previousDays, busiest] = await Promise.all([
      listServiceActivity(database, first, last),
      previous && listServiceActivity(database, previous.first, previous.last),
      listBusiestClients(database, busySince, last, MAX_RANKED_CLIENTS),
    ]);
    return reply.page({
      title: (messages) => messages.activity.title,
      main: (messages) =>
        activityView({
          messages,
          span,
          days,
          previousDays,
          busiest,
          busyDays: RANKING_DAYS,
          retentionDays,
        }),
    });
  });

  area.get(RESPONSE_TIMES_URL, async (request, reply) => {
    await services.activity.flush();
    const query = readQuery(request);
    // Ignore `day`, which requests an hourly view. Response times are stored only per day.
    const daysQuery = { get: (name: string) => (name === 'day' ? undefined : query.get(name)) };
    const span = parseActivityRange(daysQuery, services.now(), await findFirstDayOfActivity(database));
    const times = await listResponseTimes(database, span.first, span.last);
    return reply.page({
      title: (messages) => messages.activity.answerTimes,
      main: (messages) =>
        responseTimesView({
          messages,
          span,
          times: TIMED_ROUTES.map((route) => computeRouteTimes(route, times)),
          retentionDays,
        }),
    });
  });
}

export async function loadActivityPreview({
  activity,
  database,
  now,
}: Pick<Services, 'activity' | 'database' | 'now'>): Promise<PreviewView> {
  await activity.flush();
  const last = truncateToDay(now());
  const first = new Date(last.getTime() - (PREVIEW_DAYS - 1) * DAY * 1000);
  const since = (await findFirstDayOfActivity(database)) ?? last;
  return {
    span: { unit: 'day', first, last, now: now(), firstCounted: since },
    days: await listServiceActivity(database, first, last),
  };
}

/** Returns the percentiles in milliseconds. */
function computeRouteTimes(route: RouteTimes['route'], times: readonly ResponseTimes[]): RouteTimes {
  const rows = times.filter((row) => row.route === route);
  const totals = rows
    .map(({ buckets }) => buckets)
    .reduce((sum, buckets) => buckets.map((count, index) => count + (sum[index] ?? 0)), []);
  return {
    route,
    ...computePercentiles(totals),
    days: rows.map(({ day, buckets }) => ({ day, ...computePercentiles(buckets) })),
  };
}

const computePercentiles = (buckets: readonly number[]) => ({
  median: toMilliseconds(estimateQuantile(buckets, 0.5)),
  p95: toMilliseconds(estimateQuantile(buckets, 0.95)),
});

const toMilliseconds = (seconds: number | undefined): number | undefined =>
  seconds === undefined ? undefined : seconds * 1000;
