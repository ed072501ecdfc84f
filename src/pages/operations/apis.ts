// /console/operations/apis: all APIs, for administrators.
import { moderateThing } from '../../accounts/moderation.ts';
import type { Parts } from '../../http/parts.ts';
import type { Messages } from '../../i18n/index.ts';
import { isApiIdShaped } from '../../oauth/secrets.ts';
import { type ApiRow, type ApiState, findApi, listApisPage } from '../../store/api-lists.ts';
import type { ApiAction } from '../../store/moderation.ts';
import { type Html, html } from '../../web/html/html.ts';
import { tag } from '../../web/html/tag.ts';
import { day, moment } from '../../web/html/time.ts';
import { ACCOUNTS, APIS } from './frame-view.ts';
import type { Section } from './sections.ts';

export const apiSection = (parts: Parts): Section<ApiRow, ApiState, ApiAction> => ({
  section: 'apis',
  parameter: 'apiId',
  isId: isApiIdShaped,
  idOf: ({ apiId }) => apiId,
  nameOf: ({ name }) => name,
  states: ['suspended', 'agents'],
  about: 'apiId',
  rows: listApisPage,
  read: (id) => findApi(parts.database, id),
  listed: (messages) => {
    const text = messages.operations;
    return {
      search: text.searchApis,
      states: text.apiStates,
      headings: [text.name, text.owner, text.apiIdentifier, text.state, text.registered],
      cells: (api) => [
        html`<a href="${APIS}/${api.apiId}"><bdi>${api.name}</bdi></a>`,
        html`<a href="${ACCOUNTS}/${api.ownerId}">${api.ownerEmail}</a>`,
        html`<span class="host">${api.identifier}</span>`,
        apiTags(api, messages),
        day(api.createdAt, messages),
      ],
    };
  },
  facts(api, messages, locale) {
    const text = messages.operations;
    return html`<div><dt>${text.state}</dt><dd class="tags">${apiTags(api, messages)}</dd></div>
${api.suspendedAt && html`<div><dt>${text.applicationSuspendedSince}</dt><dd>${moment(api.suspendedAt, messages)}</dd></div>`}
<div><dt>${text.owner}</dt><dd><a href="${ACCOUNTS}/${api.ownerId}">${api.ownerEmail}</a></dd></div>
<div><dt>${text.apiIdentifier}</dt><dd><code class="line">${api.identifier}</code></dd></div>
<div><dt>${messages.apis.created.identifier}</dt><dd><code>${api.apiId}</code></dd></div>
<div><dt>${messages.apis.detail.words}</dt><dd>${locale === 'fr' ? api.wordsFr : api.wordsEn}</dd></div>
<div><dt>${text.scopes}</dt><dd><ul class="lines">${api.scopes.map(
      (
        scope,
      ) => html`<li><code class="tag">${scope.name}</code> <span class="quiet">${scope[locale]}</span></li>
`,
    )}</ul></dd></div>
<div><dt>${text.registered}</dt><dd>${day(api.createdAt, messages)}</dd></div>`;
  },
  more: ({ apiId, name }, { diagnostics, apiTest }) =>
    html`<p class="paging"><a class="reachable" href="/console/apis/${apiId}/diagnostics">${diagnostics.title(name)}</a></p>
<p class="paging"><a class="reachable" href="/console/apis/${apiId}/test">${apiTest.title(name)}</a></p>`,
  all: ['suspend', 'unsuspend'],
  dangerous: ['suspend'],
  perform: (action, { apiId }, by) => moderateThing(parts, 'api', action, apiId, by, parts.now()),
  possible: ({ suspendedAt }) => [suspendedAt === null ? 'suspend' : 'unsuspend'],
  words: ({ operations }) => operations.apiActions,
});

function apiTags({ suspendedAt, admits }: ApiRow, { apis, operations: { tags } }: Messages): Html[] {
  return [
    suspendedAt === null ? tag(tags.activeApplication, 'good') : tag(tags.suspendedApplication, 'stopped'),
    tag(apis.admits[admits]),
  ];
}
