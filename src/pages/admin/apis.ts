// /console/operations/apis: lists, shows and suspends APIs.

import { moderateResource } from '../../accounts/moderation.ts';
import type { Services } from '../../http/services.ts';
import type { Messages } from '../../i18n/index.ts';
import { textIn } from '../../oauth/api.ts';
import { isWellFormedApiId } from '../../oauth/secrets.ts';
import type { ApiAction } from '../../store/admin-actions.ts';
import { type ApiRow, type ApiState, findApiDetail, listApisPage } from '../../store/admin-apis.ts';
import { breakable } from '../../web/html/breakable.ts';
import { type Html, html } from '../../web/html/html.ts';
import { tag } from '../../web/html/tag.ts';
import { dateTime, day } from '../../web/html/time.ts';
import { APIS_URL, detailRow, emailLink } from './layout.ts';
import type { Section } from './sections.ts';

export const apiSection = (services: Services): Section<ApiRow, ApiState, ApiAction> => ({
  section: 'apis',
  idParameter: 'apiId',
  isId: isWellFormedApiId,
  idOf: ({ apiId }) => apiId,
  nameOf: ({ name }) => name,
  states: ['suspended', 'agents'],
  eventFilter: 'apiId',
  listRows: listApisPage,
  findRow: (id) => findApiDetail(services.database, id),
  describeList: (messages) => {
    const text = messages.operations;
    return {
      searchLabel: text.searchApis,
      states: text.apiStates,
      headings: [text.name, text.owner, text.apiIdentifier, text.access, text.registered],
      cells: (api) => [
        html`<a href="${APIS_URL}/${api.apiId}"><bdi>${api.name}</bdi></a>`,
        emailLink(api.ownerId, api.ownerEmail),
        html`<span class="host" title="${api.identifier}">${breakable(api.identifier)}</span>`,
        html`${suspendedTag(api, messages)}${accessTag(api, messages)}`,
        day(api.createdAt, messages),
      ],
    };
  },
  summary: (api, messages) => {
    const text = messages.operations;
    return html`${stateDetails(api, messages)}
<div><dt>${text.owner}</dt><dd>${emailLink(api.ownerId, api.ownerEmail)}</dd></div>
<div><dt>${text.apiIdentifier}</dt><dd><code class="line">${breakable(api.identifier)}</code></dd></div>`;
  },
  details(api, { messages, locale, links }) {
    const text = messages.operations;
    return html`${stateDetails(api, messages, links('suspend', 'unsuspend'))}
<div><dt>${text.owner}</dt><dd>${emailLink(api.ownerId, api.ownerEmail)}</dd></div>
<div><dt>${text.apiIdentifier}</dt><dd><code class="line">${breakable(api.identifier)}</code></dd></div>
<div><dt>${messages.apis.created.identifier}</dt><dd><code>${api.apiId}</code></dd></div>
<div><dt>${messages.apis.detail.description}</dt><dd>${textIn({ fr: api.descriptionFr, en: api.descriptionEn }, locale)}</dd></div>
<div><dt>${text.scopes}</dt><dd><ul class="lines">${api.scopes.map(
      (
        scope,
      ) => html`<li><code class="tag">${scope.name}</code> <span class="quiet">${textIn(scope, locale)}</span></li>
`,
    )}</ul></dd></div>
<div><dt>${text.registered}</dt><dd>${day(api.createdAt, messages)}</dd></div>`;
  },
  footer: ({ apiId, name }, { messages: { diagnostics, apiTest } }) =>
    html`<p class="paging"><a class="touch-target" href="/console/apis/${apiId}/diagnostics">${diagnostics.title(name)}</a></p>
<p class="paging"><a class="touch-target" href="/console/apis/${apiId}/test">${apiTest.title(name)}</a></p>`,
  actions: ['suspend', 'unsuspend'],
  dangerous: ['suspend'],
  perform: (action, { apiId }, by) => moderateResource(services, 'api', action, apiId, by, services.now()),
  listPossible: ({ suspendedAt }) => [suspendedAt === null ? 'suspend' : 'unsuspend'],
  labels: ({ operations }) => operations.apiActions,
});

const ALLOWED_CLIENTS_ICONS = { own: 'lock-keyhole', applications: 'app-window', agents: 'bot' } as const;

const suspendedTag = ({ suspendedAt }: ApiRow, { operations: { tags } }: Messages): Html | false =>
  suspendedAt !== null && html`${tag(tags.suspendedApplication, 'stopped', 'ban')} `;

const accessTag = ({ allowedClients }: ApiRow, { apis }: Messages): Html =>
  tag(apis.allowedClients[allowedClients], undefined, ALLOWED_CLIENTS_ICONS[allowedClients]);

function stateDetails(api: ApiRow, messages: Messages, links?: Html): Html {
  const { operations: text } = messages;
  const state = suspendedTag(api, messages) || tag(text.tags.activeApplication, 'good', 'circle-check');
  return html`${detailRow(text.state, state, links)}${
    api.suspendedAt &&
    html`<div><dt>${text.applicationSuspendedSince}</dt><dd>${dateTime(api.suspendedAt, messages)}</dd></div>
`
  }<div><dt>${text.access}</dt><dd class="tags">${accessTag(api, messages)}</dd></div>`;
}
