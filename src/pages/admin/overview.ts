// /console/operations: tasks, activity, counts and the latest audit events.
import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import type { Services } from '../../http/services.ts';
import type { Messages } from '../../i18n/index.ts';
import { type Count, type CountedKind, countForOverview } from '../../store/admin-counts.ts';
import { type EventRow, listEvents } from '../../store/audit-log.ts';
import { type Html, html } from '../../web/html/html.ts';
import { type IconName, icon } from '../../web/html/icons.ts';
import { loadActivityPreview, PREVIEW_DAYS } from './activity.ts';
import { activityTiles, type PreviewView } from './activity-view.ts';
import { type AttentionItem, attentionView, listAttentionItems } from './attention.ts';
import { eventLinesView } from './events-view.ts';
import {
  ACCOUNTS_URL,
  ACTIVITY_URL,
  ADMIN_URL,
  AGENTS_URL,
  APIS_URL,
  APPLICATIONS_URL,
  AUDIT_URL,
  adminNavigation,
  formatCount,
} from './layout.ts';
import { globalSearchForm } from './search.ts';

const MAX_EVENTS = 7;

const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

export function overviewPage(area: FastifyInstance, services: Services): void {
  const { database, pruningStats } = services;

  area.get(ADMIN_URL, async (_request, reply) => {
    const [preview, counts, events] = await Promise.all([
      loadActivityPreview(services),
      countForOverview(database, services.now()),
      listEvents(database, {}, { limit: MAX_EVENTS }),
    ]);
    const attention = await listAttentionItems(services, counts);
    return reply.page({
      title: (messages) => messages.operations.overview,
      main: (messages) =>
        overviewView({
          messages,
          attention,
          preview,
          counts,
          liveGrants: pruningStats.liveGrants,
          events,
        }),
    });
  });
}

type OverviewView = {
  messages: Messages;
  attention: readonly AttentionItem[];
  preview: PreviewView;
  counts: Record<CountedKind, Count>;
  /** The count from the last pruning run. Undefined until the first run. */
  liveGrants: number | undefined;
  events: readonly EventRow[];
};

type Total = { name: keyof Messages['operations']['counts']; icon: IconName; href: string };

const TOTALS: readonly Total[] = [
  { name: 'accounts', icon: 'users', href: ACCOUNTS_URL },
  { name: 'admins', icon: 'shield-user', href: `${ACCOUNTS_URL}?state=admin` },
  { name: 'sessions', icon: 'monitor', href: `${AUDIT_URL}?kind=signed_in` },
  { name: 'applications', icon: 'app-window', href: APPLICATIONS_URL },
  { name: 'grants', icon: 'log-in', href: `${ACTIVITY_URL}#busiest` },
  { name: 'apis', icon: 'server', href: APIS_URL },
  { name: 'agents', icon: 'bot', href: AGENTS_URL },
];

function overviewView(view: OverviewView): Html {
  const { messages, events } = view;
  const { operations: text, activity } = messages;
  return html`${adminNavigation(messages, 'overview')}
<div class="overview-head">
<h1>${text.overview}</h1>
${globalSearchForm(messages)}
</div>
${attentionView(view.attention, messages)}
<div class="section-head">
<h2>${activity.preview(PREVIEW_DAYS)}</h2>
<a class="touch-target" href="${ACTIVITY_URL}">${activity.all}</a>
</div>
${activityTiles(view.preview, messages)}
<div class="overview-columns">
<section aria-labelledby="totals">
<div class="section-head">
<h2 id="totals">${text.totals}</h2>
<span class="quiet" id="version">${text.versionOf(version)}</span>
</div>
<dl class="totals">
${TOTALS.map(
  ({ name, icon: iconName, href }) =>
    html`<div><dt>${icon(iconName, 16)}<a href="${href}">${text.counts[name]}</a></dt><dd id="count-${name}">${formatTotal(name, view)}</dd></div>
`,
)}</dl>
</section>
<section aria-labelledby="latest">
<div class="section-head">
<h2 id="latest">${text.latestEvents}</h2>
<a class="touch-target" href="${AUDIT_URL}">${text.allEvents}</a>
</div>
${events.length === 0 ? html`<p class="quiet">${text.noEvent}</p>` : eventLinesView(events, messages)}
</section>
</div>`;
}

function formatTotal(name: Total['name'], { messages, counts, liveGrants }: OverviewView): string {
  const { operations: text } = messages;
  if (name !== 'grants') return formatCount(counts[name], messages);
  return liveGrants === undefined ? text.notCountedYet : text.number(liveGrants);
}
