// Owns the look of the operators' list of APIs, and of one API.

import type { Locale, Messages } from '../../i18n/index.ts';
import type { ApiRow } from '../../store/api-lists.ts';
import type { EventRow } from '../../store/events.ts';
import type { ApiAction } from '../../store/moderation.ts';
import { buttonLink, notice } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { tag } from '../../web/html/tag.ts';
import { day, moment } from '../../web/html/time.ts';
import { eventsAbout } from './events-view.ts';
import { ACCOUNTS, APIS, operationsNavigation } from './frame-view.ts';
import { type ListView, listView } from './list-view.ts';

export function apisView(view: ListView<ApiRow>): Html {
  const { messages } = view;
  const { operations: text } = messages;
  return listView(view, {
    section: 'apis',
    search: text.searchApis,
    states: text.apiStates,
    none: text.noApi,
    headings: [text.name, text.owner, text.apiIdentifier, text.state, text.registered],
    cells: (api) => [
      html`<a href="${APIS}/${api.apiId}"><bdi>${api.name}</bdi></a>`,
      html`<a href="${ACCOUNTS}/${api.ownerId}">${api.ownerEmail}</a>`,
      html`<span class="host">${api.identifier}</span>`,
      apiTags(api, messages),
      day(api.createdAt, messages),
    ],
  });
}

export function apiTags({ suspendedAt, admits }: ApiRow, { apis, operations: { tags } }: Messages): Html[] {
  return [
    suspendedAt === null ? tag(tags.activeApplication, 'good') : tag(tags.suspendedApplication, 'stopped'),
    tag(apis.admits[admits]),
  ];
}

export type ApiView = {
  messages: Messages;
  locale: Locale;
  api: ApiRow;
  actions: readonly ApiAction[];
  events: readonly EventRow[];
  notice: string | undefined;
};

/** One API: whose it is, what it says of itself, and what can be done about it. */
export function apiView({ messages, locale, api, actions, events, notice: done }: ApiView): Html {
  const text = messages.operations;
  const here = `${APIS}/${api.apiId}`;
  return html`${operationsNavigation(messages, 'apis', { within: true })}
${notice(done)}
<h1><bdi>${api.name}</bdi></h1>
<dl class="facts facts--framed facts--roomy">
<div><dt>${text.state}</dt><dd class="tags">${apiTags(api, messages)}</dd></div>
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
<div><dt>${text.registered}</dt><dd>${day(api.createdAt, messages)}</dd></div>
</dl>
<h2>${text.actions}</h2>
<p class="actions actions--choices">
${actions.map(
  (action) => html`${buttonLink({
    text: text.apiActions[action].action,
    href: `${here}/${action}`,
    kind: action === 'suspend' ? 'danger' : 'secondary',
  })}
`,
)}</p>
${eventsAbout({ api_id: api.apiId }, events, messages)}
<p class="paging"><a class="reachable" href="/console/apis/${api.apiId}/diagnostics">${messages.diagnostics.title(api.name)}</a></p>
<p class="paging"><a class="reachable" href="/console/apis/${api.apiId}/test">${messages.apiTest.title(api.name)}</a></p>`;
}
