// /console/operations/applications: all applications, for administrators.
import { moderateThing } from '../../accounts/moderation.ts';
import type { Parts } from '../../http/parts.ts';
import type { Messages } from '../../i18n/index.ts';
import { isClientIdShaped } from '../../oauth/secrets.ts';
import {
  type ApplicationRow,
  type ApplicationState,
  findApplication,
  listApplicationsPage,
  PEOPLE_COUNTED,
} from '../../store/application-lists.ts';
import type { ApplicationAction } from '../../store/moderation.ts';
import { type Html, html } from '../../web/html/html.ts';
import { tag } from '../../web/html/tag.ts';
import { day, moment } from '../../web/html/time.ts';
import { ACCOUNTS, APPLICATIONS } from './frame-view.ts';
import type { Section } from './sections.ts';

export const applicationSection = (
  parts: Parts,
): Section<ApplicationRow, ApplicationState, ApplicationAction> => ({
  section: 'applications',
  parameter: 'clientId',
  isId: isClientIdShaped,
  idOf: ({ clientId }) => clientId,
  nameOf: ({ name }) => name,
  states: ['suspended', 'verified', 'unverified'],
  about: 'clientId',
  rows: listApplicationsPage,
  read: (id) => findApplication(parts.database, id),
  listed: (messages) => {
    const text = messages.operations;
    return {
      search: text.searchApplications,
      states: text.applicationStates,
      headings: [text.name, text.owner, text.people, text.state, text.registered],
      cells: (application) => [
        html`<a href="${APPLICATIONS}/${application.clientId}"><bdi>${application.name}</bdi></a>`,
        html`<a href="${ACCOUNTS}/${application.ownerId}">${application.ownerEmail}</a>`,
        peopleOf(application, messages),
        applicationTags(application, messages),
        day(application.createdAt, messages),
      ],
    };
  },
  facts(application, messages) {
    const text = messages.operations;
    const { suspendedAt, verifiedAt } = application;
    return html`<div><dt>${text.state}</dt><dd class="tags">${applicationTags(application, messages)}</dd></div>
${suspendedAt && html`<div><dt>${text.applicationSuspendedSince}</dt><dd>${moment(suspendedAt, messages)}</dd></div>`}
${verifiedAt && html`<div><dt>${text.verifiedSince}</dt><dd>${moment(verifiedAt, messages)}</dd></div>`}
<div><dt>${text.owner}</dt><dd><a href="${ACCOUNTS}/${application.ownerId}">${application.ownerEmail}</a></dd></div>
<div><dt>${text.peopleSignedIn}</dt><dd id="people">${peopleOf(application, messages)}</dd></div>
<div><dt>${text.clientId}</dt><dd><code>${application.clientId}</code></dd></div>
<div><dt>${text.type}</dt><dd>${text.types[application.type]}</dd></div>
<div><dt>${text.callbacks}</dt><dd>${application.redirectUris.map((uri) => html`<code class="line">${uri}</code> `)}</dd></div>
<div><dt>${text.scopes}</dt><dd class="tags">${application.scopes.map((scope) => tag(scope))}</dd></div>
<div><dt>${text.standard}</dt><dd>${application.standard ? text.yes : text.no}</dd></div>
<div><dt>${text.registered}</dt><dd>${day(application.createdAt, messages)}</dd></div>`;
  },
  more: ({ clientId, name }, { diagnostics, activity }) =>
    html`<p class="paging"><a class="reachable" href="/console/applications/${clientId}/diagnostics">${diagnostics.title(name)}</a></p>
<p class="paging"><a class="reachable" href="/console/applications/${clientId}/activity">${activity.titleOf(name)}</a></p>`,
  all: ['verify', 'unverify', 'suspend', 'unsuspend'],
  dangerous: ['suspend'],
  perform: (action, { clientId }, by) =>
    moderateThing(parts, 'application', action, clientId, by, parts.now()),
  possible: ({ verifiedAt, suspendedAt }) => [
    verifiedAt === null ? 'verify' : 'unverify',
    suspendedAt === null ? 'suspend' : 'unsuspend',
  ],
  words: ({ operations }) => operations.applicationActions,
});

/** How many people are signed in, up to a bound. */
export const peopleOf = ({ people }: { people: number }, { operations: text }: Messages): string =>
  people < PEOPLE_COUNTED ? text.number(people) : text.moreThan(text.number(people - 1));

function applicationTags(application: ApplicationRow, { operations: { tags } }: Messages): Html[] {
  return [
    application.suspendedAt === null
      ? tag(tags.activeApplication, 'good')
      : tag(tags.suspendedApplication, 'stopped'),
    application.verifiedAt === null ? tag(tags.unverified) : tag(tags.verified, 'good'),
  ];
}
