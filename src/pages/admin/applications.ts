// /console/operations/applications: lists, shows, verifies and suspends applications.

import { moderateResource } from '../../accounts/moderation.ts';
import type { Services } from '../../http/services.ts';
import type { Messages } from '../../i18n/index.ts';
import { isWellFormedClientId } from '../../oauth/secrets.ts';
import type { ClientAction } from '../../store/admin-actions.ts';
import {
  type AdminClientRow,
  type ClientState,
  findClientDetail,
  listClientsPage,
  MAX_USER_COUNT,
} from '../../store/admin-clients.ts';
import { breakable } from '../../web/html/breakable.ts';
import { type Html, html } from '../../web/html/html.ts';
import { logo } from '../../web/html/pictures.ts';
import { tag } from '../../web/html/tag.ts';
import { dateTime, day } from '../../web/html/time.ts';
import { APPLICATIONS_URL, detailRow, emailLink, formatLimitedCount } from './layout.ts';
import type { Section } from './sections.ts';

export const applicationSection = (
  services: Services,
): Section<AdminClientRow, ClientState, ClientAction> => ({
  section: 'applications',
  idParameter: 'clientId',
  isId: isWellFormedClientId,
  idOf: ({ clientId }) => clientId,
  nameOf: ({ name }) => name,
  pictureOf: (application) => logo(application, 40),
  states: ['suspended', 'verified', 'unverified'],
  eventFilter: 'clientId',
  listRows: listClientsPage,
  findRow: (id) => findClientDetail(services.database, id),
  describeList: (messages) => {
    const text = messages.operations;
    return {
      searchLabel: text.searchApplications,
      states: text.applicationStates,
      headings: [text.name, text.owner, text.peopleSignedIn, text.state, text.registered],
      cells: (application) => [
        html`<a class="with-picture" href="${APPLICATIONS_URL}/${application.clientId}">${logo(application, 24)}<bdi>${application.name}</bdi></a>`,
        emailLink(application.ownerId, application.ownerEmail),
        formatUserCount(application, messages),
        applicationTags(application, messages),
        day(application.createdAt, messages),
      ],
    };
  },
  summary(application, messages, action) {
    const text = messages.operations;
    return html`<div><dt>${text.state}</dt><dd class="tags">${applicationTags(application, messages)}</dd></div>
<div><dt>${text.owner}</dt><dd>${emailLink(application.ownerId, application.ownerEmail)}</dd></div>
<div><dt>${text.peopleSignedIn}</dt><dd>${formatUserCount(application, messages)}</dd></div>
${action === 'verify' && callbackUrls(application, messages)}`;
  },
  details(application, { messages, links }) {
    const text = messages.operations;
    const { suspendedAt, verifiedAt } = application;
    return html`${detailRow(text.state, applicationTags(application, messages), links('verify', 'unverify', 'suspend', 'unsuspend'))}${suspendedAt && html`<div><dt>${text.applicationSuspendedSince}</dt><dd>${dateTime(suspendedAt, messages)}</dd></div>`}
${verifiedAt && html`<div><dt>${text.verifiedSince}</dt><dd>${dateTime(verifiedAt, messages)}</dd></div>`}
<div><dt>${text.owner}</dt><dd>${emailLink(application.ownerId, application.ownerEmail)}</dd></div>
<div><dt>${text.peopleSignedIn}</dt><dd id="people">${formatUserCount(application, messages)}</dd></div>
<div><dt>${text.clientId}</dt><dd><code>${application.clientId}</code></dd></div>
<div><dt>${text.type}</dt><dd>${text.types[application.type]}</dd></div>
${callbackUrls(application, messages)}
<div><dt>${text.scopes}</dt><dd class="tags">${application.scopes.map((scope) => tag(scope))}</dd></div>
<div><dt>${text.standard}</dt><dd>${application.standard ? text.yes : text.no}</dd></div>
<div><dt>${text.registered}</dt><dd>${day(application.createdAt, messages)}</dd></div>`;
  },
  footer: ({ clientId, name }, { messages: { diagnostics, activity } }) =>
    html`<p class="paging"><a class="touch-target" href="/console/applications/${clientId}/diagnostics">${diagnostics.title(name)}</a></p>
<p class="paging"><a class="touch-target" href="/console/applications/${clientId}/activity">${activity.titleOf(name)}</a></p>`,
  actions: ['verify', 'unverify', 'suspend', 'unsuspend'],
  dangerous: ['suspend'],
  perform: (action, { clientId }, by) =>
    moderateResource(services, 'application', action, clientId, by, services.now()),
  listPossible: ({ verifiedAt, suspendedAt }) => [
    verifiedAt === null ? 'verify' : 'unverify',
    suspendedAt === null ? 'suspend' : 'unsuspend',
  ],
  labels: ({ operations }) => operations.applicationActions,
});

const callbackUrls = ({ redirectUris }: AdminClientRow, { operations: text }: Messages): Html =>
  html`<div><dt>${text.callbacks}</dt><dd>${redirectUris.map((uri) => html`<code class="line">${breakable(uri)}</code> `)}</dd></div>`;

export const formatUserCount = ({ userCount }: { userCount: number }, messages: Messages): string =>
  formatLimitedCount(userCount, MAX_USER_COUNT, messages);

function applicationTags(application: AdminClientRow, { operations: { tags } }: Messages): Html[] {
  return [
    ...(application.suspendedAt === null ? [] : [tag(tags.suspendedApplication, 'stopped', 'ban')]),
    application.verifiedAt === null
      ? tag(tags.unverified, 'waiting')
      : tag(tags.verified, 'good', 'shield-check'),
  ];
}
