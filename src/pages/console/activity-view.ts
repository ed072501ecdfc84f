// Owns the look of what an application does here: its sign-ins, renewals, refusals and live grants.
import type { Messages } from '../../i18n/index.ts';
import type { listClientActivity } from '../../store/activity.ts';
import type { WatchedApplication } from '../../store/watched-applications.ts';
import { countChart, figureChart, type Span, spanNavigation } from '../../web/html/activity.ts';
import { type Html, html } from '../../web/html/html.ts';
import { applicationAddress, watchedWay } from './frame-view.ts';

const COUNTED = ['signed_in', 'renewed', 'refused', 'refused_others'] as const;

export type ActivityView = {
  messages: Messages;
  application: WatchedApplication;
  span: Span;
  days: Awaited<ReturnType<typeof listClientActivity>>;
  keptDays: number;
};

export function activityView({ messages, application, span, days, keptDays }: ActivityView): Html {
  const text = messages.activity;
  const { clientId } = application;
  const of = (kind: (typeof days)[number]['kind']) => ({
    id: `activity-${kind}`,
    title: text.client[kind],
    days: days.filter((row) => row.kind === kind),
  });
  return html`${watchedWay(messages, application, 'activity')}
<h1>${text.title}</h1>
<p class="lead">${text.leadOwner}</p>
${spanNavigation(span, messages, { here: applicationAddress(clientId, 'activity'), hours: true })}
<div class="charts">
${COUNTED.map((kind) => countChart(span, messages, { ...of(kind), failures: kind.startsWith('refused') }))}
${span.by === 'day' && figureChart(span, messages, of('live_grants'))}
</div>
<p class="paging"><a class="reachable" href="${applicationAddress(clientId, 'diagnostics')}">${text.why}</a></p>
<p class="quiet">${text.ownerHint}</p>
<p class="quiet">${text.kept(keptDays)}</p>`;
}
