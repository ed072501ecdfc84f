// Owns the look of what happens on the service: how often, with which applications, and how long answers took.
import type { TIMED_ROUTES } from '../../background/activity.ts';
import type { Messages } from '../../i18n/index.ts';
import type { BusyApplication, DayOf, ServiceKind } from '../../store/activity.ts';
import { countChart, type Span, spanNavigation, timesChart } from '../../web/html/activity.ts';
import { type Html, html } from '../../web/html/html.ts';
import { ACTIVITY, ANSWER_TIMES, clientLink, operationsNavigation, recordsTable } from './frame-view.ts';

const KINDS: readonly ServiceKind[] = ['signed_in', 'signed_up', 'sign_in_failed', 'refused'];

const FAILURES: readonly ServiceKind[] = ['sign_in_failed', 'refused'];

const NAMES = {
  '/oauth/token': 'token',
  '/oauth/userinfo': 'userinfo',
  '/oauth/authorize': 'authorize',
} as const;

export interface RouteTimes {
  route: (typeof TIMED_ROUTES)[number];
  half: number | undefined;
  most: number | undefined;
  days: { day: Date; half: number | undefined; most: number | undefined }[];
}

export type PreviewView = {
  span: Span;
  days: readonly DayOf<ServiceKind>[];
  shown: number;
};

type Common = {
  messages: Messages;
  span: Span;
  keptDays: number;
};

export type ActivityView = Common & {
  days: readonly DayOf<ServiceKind>[];
  busiest: readonly BusyApplication[];
  /** How many days, at most, they are the busiest of. */
  busyDays: number;
};

export type AnswerTimesView = Common & { times: readonly RouteTimes[] };

export function activityView(view: ActivityView): Html {
  const { messages, span, days, busiest } = view;
  const text = messages.activity;
  return html`${operationsNavigation(messages, 'activity')}
<h1>${text.title}</h1>
<p class="lead">${text.leadOperators}</p>
${spanNavigation(span, messages, { here: ACTIVITY, hours: true })}
${charts(span, days, messages)}
<h2>${text.busiest}</h2>
${span.by === 'day' && html`<p class="quiet">${text.busiestOf(view.busyDays)}</p>`}
${busiest.length === 0 ? html`<p class="quiet">${text.noBusiest}</p>` : busiestTable(busiest, messages)}
<p class="paging"><a class="reachable" href="${ANSWER_TIMES}">${text.answerTimes}</a></p>
<p class="quiet">${text.kept(view.keptDays)}</p>`;
}

export function answerTimesView({ messages, span, times, keptDays }: AnswerTimesView): Html {
  const text = messages.activity;
  return html`${operationsNavigation(messages, 'activity', { within: true })}
<h1>${text.answerTimes}</h1>
<p class="lead">${text.answerTimesHint}</p>
${spanNavigation(span, messages, { here: ANSWER_TIMES, hours: false })}
<div class="charts">
${times.map(({ route, ...of }, place) => timesChart(span, messages, { id: `times-${place}`, title: text.routes[NAMES[route]], ...of }))}
</div>
<p class="quiet">${text.kept(keptDays)}</p>`;
}

export function activityPreview({ span, days, shown }: PreviewView, messages: Messages): Html {
  const text = messages.activity;
  return html`<h2>${text.preview(shown)}</h2>
${charts(span, days, messages)}
<p class="paging"><a class="reachable" href="${ACTIVITY}">${text.all}</a></p>`;
}

const charts = (span: Span, days: readonly DayOf<ServiceKind>[], messages: Messages): Html =>
  html`<div class="charts">
${KINDS.map((kind) =>
  countChart(span, messages, {
    id: `activity-${kind}`,
    title: messages.activity.service[kind],
    days: days.filter((row) => row.kind === kind),
    failures: FAILURES.includes(kind),
  }),
)}
</div>`;

function busiestTable(busiest: readonly BusyApplication[], messages: Messages): Html {
  const text = messages.activity;
  return html`<div class="busiest">
${recordsTable({
  caption: text.busiest,
  headings: [text.application, text.signIns, text.renewals, text.refusals],
  rows: busiest.map(({ clientId, name, signIns, renewals, refusals }) => [
    clientLink({ clientId, name }, messages),
    share(signIns, Math.max(...busiest.map((one) => one.signIns)), text.number),
    share(renewals, Math.max(...busiest.map((one) => one.renewals)), text.number),
    share(refusals, Math.max(...busiest.map((one) => one.refusals)), text.number),
  ]),
})}
</div>`;
}

/** A figure, and how long it is beside the largest of its column. */
const share = (value: number, most: number, number: (value: number) => string): Html =>
  html`<span class="share">${number(value)}${
    most > 0 &&
    html` <svg viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true"><path d="M0 0H${Math.round((value / most) * 100)}V1H0"/></svg>`
  }</span>`;
