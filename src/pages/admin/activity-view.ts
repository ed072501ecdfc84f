// Views of service usage and response times.
import type { TIMED_ROUTES } from '../../background/activity.ts';
import type { Messages } from '../../i18n/index.ts';
import type { BusyClient, DailyActivity, ServiceActivityKind } from '../../store/activity.ts';
import {
  type ActivityRange,
  chartGrid,
  countChart,
  countTile,
  latencyChart,
  rangeNavigation,
  sumPrevious,
} from '../../web/html/activity.ts';
import { type Html, html } from '../../web/html/html.ts';
import { recordsTable } from '../../web/html/records-table.ts';
import {
  ACCOUNTS_URL,
  ACTIVITY_URL,
  AUDIT_URL,
  adminNavigation,
  clientLink,
  RESPONSE_TIMES_URL,
} from './layout.ts';

const CHARTED_KINDS: readonly ServiceActivityKind[] = ['signed_in', 'signed_up', 'sign_in_failed', 'refused'];

const FAILURE_KINDS: readonly ServiceActivityKind[] = ['sign_in_failed', 'refused'];

const ROUTE_LABELS = {
  '/oauth/token': 'token',
  '/oauth/userinfo': 'userinfo',
  '/oauth/authorize': 'authorize',
} as const;

export interface RouteTimes {
  route: (typeof TIMED_ROUTES)[number];
  median: number | undefined;
  p95: number | undefined;
  days: { day: Date; median: number | undefined; p95: number | undefined }[];
}

export type PreviewView = {
  span: ActivityRange;
  days: readonly DailyActivity<ServiceActivityKind>[];
};

type ActivityContext = {
  messages: Messages;
  span: ActivityRange;
  retentionDays: number;
};

export type ActivityView = ActivityContext & {
  days: readonly DailyActivity<ServiceActivityKind>[];
  /** Undefined if there are no statistics for the previous range. */
  previousDays: readonly DailyActivity<ServiceActivityKind>[] | undefined;
  busiest: readonly BusyClient[];
  busyDays: number;
};

export type ResponseTimesView = ActivityContext & { times: readonly RouteTimes[] };

export function activityView(view: ActivityView): Html {
  const { messages, span, busiest } = view;
  const text = messages.activity;
  return html`${adminNavigation(messages, 'activity')}
<h1>${text.title}</h1>
<p class="lead">${text.lead}</p>
${rangeNavigation(span, messages, { here: ACTIVITY_URL, hours: true })}
${activityCharts(view)}
<h2 id="busiest">${text.busiest}</h2>
${span.unit === 'day' && html`<p class="quiet">${text.busiestOf(view.busyDays)}</p>`}
${busiest.length === 0 ? html`<p class="quiet">${text.noBusiest}</p>` : busiestClientsTable(busiest, messages)}
<p class="paging"><a class="touch-target" href="${RESPONSE_TIMES_URL}">${text.answerTimes}</a></p>
<p class="quiet">${text.kept(view.retentionDays)}</p>`;
}

export function responseTimesView({ messages, span, times, retentionDays }: ResponseTimesView): Html {
  const text = messages.activity;
  return html`${adminNavigation(messages, 'activity', { within: true })}
<h1>${text.answerTimes}</h1>
<p class="lead">${text.answerTimesHint}</p>
${rangeNavigation(span, messages, { here: RESPONSE_TIMES_URL, hours: false })}
${chartGrid(
  span,
  messages,
  html`${times.map(({ route, ...of }, index) => latencyChart(span, messages, { id: `times-${index}`, title: text.routes[ROUTE_LABELS[route]], ...of }))}`,
)}
<p class="quiet">${text.kept(retentionDays)}</p>`;
}

export const activityTiles = ({ span, days }: PreviewView, messages: Messages): Html =>
  html`<ul class="tiles">
${CHARTED_KINDS.map((kind) => countTile(span, messages, { ...chartHeading(kind, messages), href: COUNT_URLS[kind], days: days.filter((row) => row.kind === kind) }))}</ul>`;

/** Links to the events behind each count. Rejected requests aren't in the audit log. */
const COUNT_URLS: Record<ServiceActivityKind, string> = {
  signed_in: `${AUDIT_URL}?kind=signed_in`,
  signed_up: ACCOUNTS_URL,
  sign_in_failed: `${AUDIT_URL}?kind=sign_in_failed`,
  refused: `${ACTIVITY_URL}#activity-refused`,
};

const chartHeading = (kind: ServiceActivityKind, { activity }: Messages) => ({
  id: `activity-${kind}`,
  title: activity.service[kind],
  failures: FAILURE_KINDS.includes(kind),
});

function activityCharts({ span, days, previousDays, messages }: ActivityView): Html {
  const chartOf = (kind: ServiceActivityKind) => ({
    ...chartHeading(kind, messages),
    days: days.filter((row) => row.kind === kind),
    previousTotal:
      previousDays &&
      sumPrevious(
        span,
        previousDays.filter((row) => row.kind === kind),
      ),
  });
  return chartGrid(
    span,
    messages,
    html`${CHARTED_KINDS.map((kind) => countChart(span, messages, chartOf(kind)))}`,
  );
}

function busiestClientsTable(busiest: readonly BusyClient[], messages: Messages): Html {
  const text = messages.activity;
  return html`<div class="busiest">
${recordsTable({
  caption: text.busiest,
  headings: [text.application, text.signIns, text.refreshes, text.refusals],
  rows: busiest.map(({ signIns, refreshes, refusals, ...client }) => [
    clientLink(client, messages),
    numberWithBar(signIns, Math.max(...busiest.map((one) => one.signIns)), text.number),
    numberWithBar(refreshes, Math.max(...busiest.map((one) => one.refreshes)), text.number),
    numberWithBar(refusals, Math.max(...busiest.map((one) => one.refusals)), text.number),
  ]),
})}
</div>`;
}

const numberWithBar = (value: number, max: number, number: (value: number) => string): Html =>
  html`<span class="share">${number(value)}${
    max > 0 &&
    html` <svg viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true"><path d="M0 0H${Math.round((value / max) * 100)}V1H0"/></svg>`
  }</span>`;
