// Owns the look of an API's diagnostics: its own refused requests, and those of applications over it, in words.

import type { Messages } from '../../../i18n/index.ts';
import { type ApiRefusalRow, QUOTA } from '../../../store/refusals.ts';
import type { WatchedApi } from '../../../store/watched-apis.ts';
import { attention } from '../../../web/html/form.ts';
import { type Html, html } from '../../../web/html/html.ts';
import { incidentSearch, refusalList, type ShownRefusal, searched } from '../refusals-view.ts';
import { clientLine } from './client-view.ts';
import { apiAddress, apiWay } from './frame-view.ts';

export type ApiDiagnosticsView = {
  messages: Messages;
  api: WatchedApi;
  /** The code that is looked for; only what it belongs to is shown. */
  incident: string | undefined;
  refusals: readonly ApiRefusalRow[];
};

export function apiDiagnosticsView({ messages, api, incident, refusals }: ApiDiagnosticsView): Html {
  const text = messages.apiAccess.diagnostics;
  const here = apiAddress(api.apiId, 'diagnostics');
  const list = { messages, refusals: refusals.map((refusal) => shown(refusal, messages)) };
  return html`${api.own ? apiWay(messages, api, 'diagnostics') : operatorsWay(messages, api)}
<h1>${messages.diagnostics.title(api.name)}</h1>
<p class="lead">${text.lead}</p>
${incidentSearch(messages, here, incident)}
${
  incident === undefined
    ? html`<h2>${messages.diagnostics.refused}</h2>
${
  refusals.length === 0
    ? nothing(messages)
    : html`<p class="quiet">${text.refusedHint(QUOTA)}</p>
${refusalList(list)}`
}`
    : searched(list, { incident, here, notFound: text.notFound(incident) })
}`;
}

/** For an operator: back to where they look after it, and that it is not theirs. */
function operatorsWay(messages: Messages, { apiId, name }: WatchedApi): Html {
  const all = '/console/operations/apis';
  return html`<nav class="way" aria-label="${messages.applications.way}">
<ol>
<li><a href="${all}">${messages.layout.operations}</a></li>
<li><a href="${all}/${apiId}"><bdi>${name}</bdi></a></li>
</ol>
</nav>
${attention(messages.apiAccess.diagnostics.operatorNotice)}`;
}

const nothing = ({ apiAccess: { diagnostics: text } }: Messages): Html => html`<div class="empty">
<p class="empty-title">${text.none}</p>
<p>${text.noneAdvice}</p>
</div>`;

function shown(refusal: ApiRefusalRow, messages: Messages): ShownRefusal {
  const { apiAccess, diagnostics } = messages;
  const text = apiAccess.diagnostics;
  const { clientId, applicationName, agent, redirectUris, authenticated, held, kind } = refusal;
  if (clientId === null)
    return { refusal, from: authenticated ? text.fromApi : held ? text.fromHolder : diagnostics.fromAnyone };
  const client = { clientId, name: applicationName ?? clientId, agent, redirectUris: redirectUris ?? [] };
  return {
    refusal,
    from: authenticated
      ? diagnostics.fromApplication
      : held
        ? diagnostics.fromHolder
        : diagnostics.fromAnyone,
    words: Object.hasOwn(text.about, kind) ? text.about[kind] : undefined,
    application: html`<div><dt>${agent ? text.agent : text.application}</dt><dd>${clientLine(client, messages)}</dd></div>`,
  };
}
