// Owns the look of the operators' list of applications, and of one application.

import type { Messages } from '../../i18n/index.ts';
import { type ApplicationRow, PEOPLE_COUNTED } from '../../store/application-lists.ts';
import type { EventRow } from '../../store/events.ts';
import type { ApplicationAction } from '../../store/moderation.ts';
import { buttonLink, notice } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { tag } from '../../web/html/tag.ts';
import { day, moment } from '../../web/html/time.ts';
import { eventsAbout } from './events-view.ts';
import { ACCOUNTS, APPLICATIONS, operationsNavigation } from './frame-view.ts';
import { type ListView, listView } from './list-view.ts';

export function applicationsView(view: ListView<ApplicationRow>): Html {
  const { messages } = view;
  const { operations: text } = messages;
  return listView(view, {
    section: 'applications',
    search: text.searchApplications,
    states: text.applicationStates,
    none: text.noApplication,
    headings: [text.name, text.owner, text.people, text.state, text.registered],
    cells: (application) => [
      html`<a href="${APPLICATIONS}/${application.clientId}"><bdi>${application.name}</bdi></a>`,
      html`<a href="${ACCOUNTS}/${application.ownerId}">${application.ownerEmail}</a>`,
      people(application, messages),
      applicationTags(application, messages),
      day(application.createdAt, messages),
    ],
  });
}

const people = ({ people: count }: ApplicationRow, { operations: text }: Messages): string =>
  count < PEOPLE_COUNTED ? text.number(count) : text.moreThan(text.number(count - 1));

export function applicationTags(application: ApplicationRow, { operations: { tags } }: Messages): Html[] {
  return [
    application.suspendedAt === null
      ? tag(tags.activeApplication, 'good')
      : tag(tags.suspendedApplication, 'stopped'),
    application.verifiedAt === null ? tag(tags.unverified) : tag(tags.verified, 'good'),
  ];
}

export type ApplicationView = {
  messages: Messages;
  application: ApplicationRow;
  actions: readonly ApplicationAction[];
  events: readonly EventRow[];
  notice?: string | undefined;
};

/** One application: whose it is, where it leads, who uses it, and what can be done about it. */
export function applicationView(view: ApplicationView): Html {
  const { messages, application, events } = view;
  const text = messages.operations;
  const here = `${APPLICATIONS}/${application.clientId}`;
  const { suspendedAt, verifiedAt } = application;
  return html`${operationsNavigation(messages, 'applications', { within: true })}
${notice(view.notice)}
<h1><bdi>${application.name}</bdi></h1>
<dl class="facts facts--framed facts--roomy">
<div><dt>${text.state}</dt><dd class="tags">${applicationTags(application, messages)}</dd></div>
${suspendedAt && html`<div><dt>${text.applicationSuspendedSince}</dt><dd>${moment(suspendedAt, messages)}</dd></div>`}
${verifiedAt && html`<div><dt>${text.verifiedSince}</dt><dd>${moment(verifiedAt, messages)}</dd></div>`}
<div><dt>${text.owner}</dt><dd><a href="${ACCOUNTS}/${application.ownerId}">${application.ownerEmail}</a></dd></div>
<div><dt>${text.peopleSignedIn}</dt><dd id="people">${people(application, messages)}</dd></div>
<div><dt>${text.clientId}</dt><dd><code>${application.clientId}</code></dd></div>
<div><dt>${text.type}</dt><dd>${text.types[application.type]}</dd></div>
<div><dt>${text.callbacks}</dt><dd>${application.redirectUris.map((uri) => html`<code class="line">${uri}</code> `)}</dd></div>
<div><dt>${text.scopes}</dt><dd class="tags">${application.scopes.map((scope) => tag(scope))}</dd></div>
<div><dt>${text.standard}</dt><dd>${application.standard ? text.yes : text.no}</dd></div>
<div><dt>${text.registered}</dt><dd>${day(application.createdAt, messages)}</dd></div>
</dl>
<h2>${text.actions}</h2>
<p class="actions actions--choices">
${view.actions.map(
  (action) => html`${buttonLink({
    text: text.applicationActions[action].action,
    href: `${here}/${action}`,
    kind: action === 'suspend' ? 'danger' : 'secondary',
  })}
`,
)}</p>
${eventsAbout({ client_id: application.clientId }, events, messages)}
<p class="paging"><a class="reachable" href="/console/applications/${application.clientId}/diagnostics">${messages.diagnostics.title(application.name)}</a></p>
<p class="paging"><a class="reachable" href="/console/applications/${application.clientId}/activity">${messages.activity.titleOf(application.name)}</a></p>`;
}
