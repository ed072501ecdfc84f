// GET /console/applications/:client_id/activity: what an application does here, by day or by hour, as charts. For its owner:
// whoever takes it over sees what was counted before, too, as of its diagnostics. An operator may look as well.
import type { FastifyInstance } from 'fastify';
import { dayOf } from '../../background/activity.ts';
import { queryOf } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import type { Messages } from '../../i18n/index.ts';
import { notFound } from '../../oauth/errors.ts';
import { firstDayOfActivity, listClientActivity } from '../../store/activity.ts';
import { findWatchedApplication, type WatchedApplication } from '../../store/applications.ts';
import { spanOf } from '../../web/activity-span.ts';
import { countChart, figureChart, type Span, spanNavigation } from '../../web/html/activity.ts';
import { calledById } from '../../web/html/client-by-id.ts';
import { type Html, html } from '../../web/html/html.ts';
import { memberOf } from '../../web/member.ts';
import { APPLICATIONS, applicationAddress, watchedWay } from './frame-view.ts';
import { clientIdOf } from './sections.ts';

const DAY = 24 * 3600;

export function activityPage(area: FastifyInstance, parts: Parts): void {
  const { config, database } = parts;

  area.get(`${APPLICATIONS}/:client_id/activity`, async (request, reply) => {
    const { userId } = memberOf(request);
    const application = await findWatchedApplication(database, userId, clientIdOf(request));
    if (application === undefined) throw notFound();
    // Refusals of strangers are counted once it is known whom they named.
    await parts.diagnostics.flush();
    await parts.activity.flush();
    const begun = await firstDayOfActivity(database);
    const registered = dayOf(application.createdAt);
    const span = spanOf(queryOf(request), parts.now(), begun && begun > registered ? begun : registered);
    const days = await listClientActivity(database, application.clientId, span.first, span.last);
    return reply.page({
      title: (messages) => messages.activity.titleOf(calledById(application, messages)),
      main: (messages) =>
        activityView({
          messages,
          application,
          span,
          days,
          keptDays: Math.floor(config.retention / DAY),
        }),
    });
  });
}

const COUNTED = ['signed_in', 'renewed', 'refused', 'refused_others'] as const;

type ActivityView = {
  messages: Messages;
  application: WatchedApplication;
  span: Span;
  days: Awaited<ReturnType<typeof listClientActivity>>;
  keptDays: number;
};

function activityView({ messages, application, span, days, keptDays }: ActivityView): Html {
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
