// /console/operations: activity, counts and the latest audit events of the service.
import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import type { Services } from '../../http/services.ts';
import type { Messages } from '../../i18n/index.ts';
import { type Count, type CountedKind, countAll } from '../../store/admin-counts.ts';
import { type EventRow, listEvents } from '../../store/audit-log.ts';
import { type Html, html } from '../../web/html/html.ts';
import { loadActivityPreview } from './activity.ts';
import { activityPreviewView, type PreviewView } from './activity-view.ts';
import { eventTableView } from './events-view.ts';
import { ADMIN_URL, adminNavigation } from './layout.ts';
import { globalSearchForm } from './search.ts';

const MAX_EVENTS = 10;

const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

export function overviewPage(area: FastifyInstance, services: Services): void {
  const { database, pruningStats } = services;

  area.get(ADMIN_URL, async (_request, reply) => {
    const [preview, counts, events] = await Promise.all([
      loadActivityPreview(services),
      countAll(database, services.now()),
      listEvents(database, {}, { limit: MAX_EVENTS }),
    ]);
    return reply.page({
      title: (messages) => messages.operations.overview,
      main: (messages) =>
        overviewView({
          messages,
          preview,
          counts,
          liveGrants: pruningStats.liveGrants,
          version,
          events,
        }),
    });
  });
}

type OverviewView = {
  messages: Messages;
  preview: PreviewView;
  counts: Record<CountedKind, Count>;
  /** Undefined before the first pruning run, because pruning counts the grants. */
  liveGrants: number | undefined;
  version: string;
  events: readonly EventRow[];
};

type Figure = { name: CountedKind | 'grants'; href?: string };

const ACCOUNT_FIGURES: Figure[] = [
  { name: 'accounts', href: `${ADMIN_URL}/accounts` },
  { name: 'verified' },
  { name: 'suspended', href: `${ADMIN_URL}/accounts?state=suspended` },
  { name: 'admins', href: `${ADMIN_URL}/accounts?state=admin` },
  { name: 'sessions' },
];
const APPLICATION_FIGURES: Figure[] = [
  { name: 'applications', href: `${ADMIN_URL}/applications` },
  { name: 'verifiedApplications', href: `${ADMIN_URL}/applications?state=verified` },
  { name: 'suspendedApplications', href: `${ADMIN_URL}/applications?state=suspended` },
  { name: 'grants' },
];

function overviewView(view: OverviewView): Html {
  const { messages, events } = view;
  const text = messages.operations;
  return html`${adminNavigation(messages, 'overview')}
<h1>${text.overview}</h1>
${globalSearchForm(messages)}
${activityPreviewView(view.preview, messages)}
<div class="figures">
${figures(text.people, ACCOUNT_FIGURES, view)}
${figures(text.applications, APPLICATION_FIGURES, view)}
<section aria-labelledby="service">
<h2 id="service">${text.service}</h2>
<dl class="facts facts--framed">
<div><dt>${text.version}</dt><dd>${view.version}</dd></div>
</dl>
</section>
</div>
<h2>${text.latestEvents}</h2>
${events.length === 0 ? html`<p class="quiet">${text.noEvent}</p>` : eventTableView(events, messages, text.latestEvents)}
<p class="paging"><a class="touch-target" href="${ADMIN_URL}/audit">${text.allEvents}</a></p>`;
}

function figures(title: string, shown: Figure[], view: OverviewView): Html {
  const text = view.messages.operations;
  const id = `figures-${shown[0]?.name}`;
  return html`<section aria-labelledby="${id}">
<h2 id="${id}">${title}</h2>
<dl class="facts facts--framed">
${shown.map(({ name, href }) => {
  const labels = text.counts[name];
  return html`<div><dt>${href === undefined ? labels : html`<a href="${href}">${labels}</a>`}</dt><dd id="count-${name}">${formatFigure(name, view)}</dd></div>
`;
})}</dl>
</section>`;
}

function formatFigure(name: Figure['name'], { messages, counts, liveGrants }: OverviewView): string {
  const text = messages.operations;
  if (name === 'grants') return liveGrants === undefined ? text.notCountedYet : text.number(liveGrants);
  const { value, isMore } = counts[name];
  return isMore ? text.moreThan(text.number(value)) : text.number(value);
}
