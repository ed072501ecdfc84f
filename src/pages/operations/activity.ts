// GET /console/operations/activity and /activity/times: what happens on the service, by day or by hour, and how long answers
// took, as charts.
import type { FastifyInstance } from 'fastify';
import { dayOf, TIMED_ROUTES } from '../../background/activity.ts';
import { queryOf } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import { timeOfPart } from '../../http/request-metrics.ts';
import {
  type AnswerTimes,
  firstDayOfActivity,
  listAnswerTimes,
  listBusiest,
  listServiceActivity,
} from '../../store/activity.ts';
import { spanOf } from '../../web/activity-span.ts';
import { activityView, answerTimesView, type PreviewView, type RouteTimes } from './activity-view.ts';
import { ACTIVITY, ANSWER_TIMES } from './frame-view.ts';

const BUSIEST = 10;
/** Days that the busiest applications are looked for in: every application has rows of its own for each. */
const BUSIEST_DAYS = 7;
const PREVIEWED = 14;
const DAY = 24 * 3600;

export function activityPage(area: FastifyInstance, parts: Parts): void {
  const { database, config } = parts;
  const keptDays = Math.floor(config.retention / DAY);

  area.get(ACTIVITY, async (request, reply) => {
    await parts.activity.flush();
    const span = spanOf(queryOf(request), parts.now(), await firstDayOfActivity(database));
    const { first, last } = span;
    const busySince = new Date(Math.max(first.getTime(), last.getTime() - (BUSIEST_DAYS - 1) * DAY * 1000));
    const [days, busiest] = await Promise.all([
      listServiceActivity(database, first, last),
      listBusiest(database, busySince, last, BUSIEST),
    ]);
    return reply.page({
      title: (messages) => messages.activity.title,
      main: (messages) =>
        activityView({
          messages,
          span,
          days,
          busiest,
          busyDays: BUSIEST_DAYS,
          keptDays,
        }),
    });
  });

  area.get(ANSWER_TIMES, async (request, reply) => {
    await parts.activity.flush();
    const until = queryOf(request).get('until');
    // Times are kept by the day.
    const query = new Map(until === undefined ? [] : [['until', until]]);
    const span = spanOf(query, parts.now(), await firstDayOfActivity(database));
    const times = await listAnswerTimes(database, span.first, span.last);
    return reply.page({
      title: (messages) => messages.activity.answerTimes,
      main: (messages) =>
        answerTimesView({
          messages,
          span,
          times: TIMED_ROUTES.map((route) => timesOf(route, times)),
          keptDays,
        }),
    });
  });
}

export async function readPreview({
  activity,
  database,
  now,
}: Pick<Parts, 'activity' | 'database' | 'now'>): Promise<PreviewView> {
  await activity.flush();
  const last = dayOf(now());
  const first = new Date(last.getTime() - (PREVIEWED - 1) * DAY * 1000);
  const since = (await firstDayOfActivity(database)) ?? last;
  return {
    span: { by: 'day', first, last, now: now(), since },
    days: await listServiceActivity(database, first, last),
    shown: PREVIEWED,
  };
}

/** How long the answers of a route took, in milliseconds: on each day, and on all together. */
function timesOf(route: RouteTimes['route'], times: readonly AnswerTimes[]): RouteTimes {
  const rows = times.filter((row) => row.route === route);
  const all = rows
    .map(({ buckets }) => buckets)
    .reduce((sum, buckets) => buckets.map((count, place) => count + (sum[place] ?? 0)), []);
  return { route, ...partsOf(all), days: rows.map(({ day, buckets }) => ({ day, ...partsOf(buckets) })) };
}

const partsOf = (buckets: readonly number[]) => ({
  half: milliseconds(timeOfPart(buckets, 0.5)),
  most: milliseconds(timeOfPart(buckets, 0.95)),
});

const milliseconds = (seconds: number | undefined): number | undefined =>
  seconds === undefined ? undefined : seconds * 1000;
