// GET /console/operations: how the service is doing.
import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import type { Parts } from '../../http/parts.ts';
import type { Messages } from '../../i18n/index.ts';
import { type Count, type CountName, countEverything } from '../../store/counts.ts';
import { type EventRow, listEvents } from '../../store/events.ts';
import { type Html, html } from '../../web/html/html.ts';
import { readPreview } from './activity.ts';
import { activityPreview, type PreviewView } from './activity-view.ts';
import { eventTable } from './events-view.ts';
import { OPERATIONS, operationsNavigation } from './frame-view.ts';
import { searchEverything } from './search.ts';

const LATEST = 10;

const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

export function overviewPage(area: FastifyInstance, parts: Parts): void {
  const { database, pruning } = parts;

  area.get(OPERATIONS, async (_request, reply) => {
    const [preview, counts, events] = await Promise.all([
      readPreview(parts),
      countEverything(database, parts.now()),
      listEvents(database, {}, { limit: LATEST }),
    ]);
    return reply.page({
      title: (messages) => messages.operations.overview,
      main: (messages) =>
        overviewView({
          messages,
          preview,
          counts,
          liveGrants: pruning.liveGrants,
          version,
          events,
        }),
    });
  });
}

type OverviewView = {
  messages: Messages;
  preview: PreviewView;
  counts: Record<CountName, Count>;
  /** Undefined before the first walk of the pruning. */
  liveGrants: number | undefined;
  version: string;
  events: readonly EventRow[];
};

type Figure = { name: CountName | 'grants'; href?: string };

const PEOPLE: Figure[] = [
  { name: 'accounts', href: `${OPERATIONS}/accounts` },
  { name: 'verified' },
  { name: 'suspended', href: `${OPERATIONS}/accounts?state=suspended` },
  { name: 'operators', href: `${OPERATIONS}/accounts?state=operator` },
  { name: 'sessions' },
];
const APPLICATIONS: Figure[] = [
  { name: 'applications', href: `${OPERATIONS}/applications` },
  { name: 'verifiedApplications', href: `${OPERATIONS}/applications?state=verified` },
  { name: 'suspendedApplications', href: `${OPERATIONS}/applications?state=suspended` },
  { name: 'grants' },
];
/** The first page of operators. */
function overviewView(view: OverviewView): Html {
  const { messages, events } = view;
  const text = messages.operations;
  return html`${operationsNavigation(messages, 'overview')}
<h1>${text.overview}</h1>
${searchEverything(messages)}
${activityPreview(view.preview, messages)}
<div class="figures">
${figures(text.people, PEOPLE, view)}
${figures(text.applications, APPLICATIONS, view)}
<section aria-labelledby="service">
<h2 id="service">${text.service}</h2>
<dl class="facts facts--framed">
<div><dt>${text.version}</dt><dd>${view.version}</dd></div>
</dl>
</section>
</div>
<h2>${text.latestEvents}</h2>
${events.length === 0 ? html`<p class="quiet">${text.noEvent}</p>` : eventTable(events, messages, text.latestEvents)}
<p class="paging"><a class="reachable" href="${OPERATIONS}/audit">${text.allEvents}</a></p>`;
}

function figures(title: string, shown: Figure[], view: OverviewView): Html {
  const text = view.messages.operations;
  const id = `figures-${shown[0]?.name}`;
  return html`<section aria-labelledby="${id}">
<h2 id="${id}">${title}</h2>
<dl class="facts facts--framed">
${shown.map(({ name, href }) => {
  const words = text.counts[name];
  return html`<div><dt>${href === undefined ? words : html`<a href="${href}">${words}</a>`}</dt><dd id="count-${name}">${said(name, view)}</dd></div>
`;
})}</dl>
</section>`;
}

function said(name: Figure['name'], { messages, counts, liveGrants }: OverviewView): string {
  const text = messages.operations;
  if (name === 'grants') return liveGrants === undefined ? text.notCountedYet : text.number(liveGrants);
  const { value, isMore } = counts[name];
  return isMore ? text.moreThan(text.number(value)) : text.number(value);
}
