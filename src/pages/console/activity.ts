// …/applications/:client_id/activity: a client's usage charts for its owner and administrators.
import type { FastifyInstance } from 'fastify';
import { truncateToDay } from '../../background/activity.ts';
import { readQuery } from '../../http/parameters.ts';
import type { Services } from '../../http/services.ts';
import type { Messages } from '../../i18n/index.ts';
import { notFound } from '../../oauth/errors.ts';
import { findFirstDayOfActivity, listClientActivity } from '../../store/activity.ts';
import { findVisibleClient, type VisibleClient } from '../../store/owned-clients.ts';
import { parseActivityRange } from '../../web/activity-range.ts';
import {
  type ActivityRange,
  chartGrid,
  countChart,
  rangeNavigation,
  snapshotChart,
} from '../../web/html/activity.ts';
import { clientDisplayName } from '../../web/html/client-display.ts';
import { type Html, html } from '../../web/html/html.ts';
import { signedInUser } from '../../web/session-guard.ts';
import { APPLICATIONS_URL, applicationUrl, viewerNavigation } from './layout.ts';
import { clientIdOf } from './sections.ts';

const DAY = 24 * 3600;

export function activityPage(area: FastifyInstance, services: Services): void {
  const { config, database } = services;

  area.get(`${APPLICATIONS_URL}/:client_id/activity`, async (request, reply) => {
    const { userId } = signedInUser(request);
    const application = await findVisibleClient(database, userId, clientIdOf(request));
    if (application === undefined) throw notFound();
    // Flush diagnostics first because that adds rejected requests to the activity counts.
    await services.diagnostics.flush();
    await services.activity.flush();
    const firstDay = await findFirstDayOfActivity(database);
    const registered = truncateToDay(application.createdAt);
    const span = parseActivityRange(
      readQuery(request),
      services.now(),
      firstDay && firstDay > registered ? firstDay : registered,
    );
    const days = await listClientActivity(database, application.clientId, span.first, span.last);
    return reply.page({
      title: (messages) => messages.activity.titleOf(clientDisplayName(application, messages)),
      main: (messages) =>
        activityView({
          messages,
          application,
          span,
          days,
          retentionDays: Math.floor(config.retention / DAY),
        }),
    });
  });
}

const CHARTED_KINDS = ['signed_in', 'refreshed', 'refused', 'refused_others'] as const;

type ActivityView = {
  messages: Messages;
  application: VisibleClient;
  span: ActivityRange;
  days: Awaited<ReturnType<typeof listClientActivity>>;
  retentionDays: number;
};

function activityView({ messages, application, span, days, retentionDays }: ActivityView): Html {
  const text = messages.activity;
  const { clientId } = application;
  const chartFor = (kind: (typeof days)[number]['kind']) => ({
    id: `activity-${kind}`,
    title: text.client[kind],
    days: days.filter((row) => row.kind === kind),
  });
  return html`${viewerNavigation(messages, application, 'activity')}
<h1>${text.titleOf(clientDisplayName(application, messages))}</h1>
<p class="lead">${text.lead}</p>
${rangeNavigation(span, messages, { here: applicationUrl(clientId, 'activity'), hours: true })}
${chartGrid(
  span,
  messages,
  html`${CHARTED_KINDS.map((kind) => countChart(span, messages, { ...chartFor(kind), failures: kind.startsWith('refused') }))}
${span.unit === 'day' && snapshotChart(span, messages, chartFor('live_grants'))}`,
)}
<p class="paging"><a class="touch-target" href="${applicationUrl(clientId, 'diagnostics')}">${text.why}</a></p>
<p class="quiet">${text.ownerHint}</p>
<p class="quiet">${text.kept(retentionDays)}</p>`;
}
