// Owns the look of who has access to an API, and of deciding about one of them.

import type { Messages } from '../../../i18n/index.ts';
import type { AccessRow, DecidedClient } from '../../../store/api-access.ts';
import { COUNTED } from '../../../store/counts.ts';
import type { OwnApi } from '../../../store/own-apis.ts';
import {
  attention,
  buttonLink,
  confirmationField,
  type FormState,
  form,
  formStatus,
  notice,
  submitButton,
} from '../../../web/html/form.ts';
import { type Html, html } from '../../../web/html/html.ts';
import { tag } from '../../../web/html/tag.ts';
import { ago, day } from '../../../web/html/time.ts';
import { apiAddress, way } from '../frame-view.ts';
import { calledName, clientMark } from './client-view.ts';

/** What an owner decides about an application or agent. */
export type AccessDecision = 'cut' | 'readmit';

/** The page that asks before it is decided; a Client ID may be a URL, and stands in the query. */
export const decisionAddress = (apiId: string, decision: AccessDecision, clientId: string): string =>
  `${apiAddress(apiId, `access/${decision}`)}?${new URLSearchParams({ client_id: clientId })}`;

export type AccessView = {
  messages: Messages;
  api: OwnApi;
  access: readonly AccessRow[];
  /** Whether there are more grants than were counted. */
  capped: boolean;
  notice: string | undefined;
};

export function accessView(view: AccessView): Html {
  const { messages, api, access } = view;
  const text = messages.apiAccess.access;
  const [inside, outside] = [false, true].map((out) =>
    access.filter(({ excludedAt }) => (excludedAt !== null) === out),
  ) as [AccessRow[], AccessRow[]];
  return html`${way(messages, api, 'access')}
${notice(view.notice)}
<h1>${text.title(api.name)}</h1>
<p class="lead">${text.lead}</p>
${view.capped && attention(text.capped(messages.operations.number(COUNTED)))}
${
  inside.length === 0
    ? html`<div class="empty">
<p class="empty-title">${text.none}</p>
<p>${text.noneAdvice}</p>
</div>`
    : html`<p class="quiet">${text.hint}</p>`
}
${group(
  text.applications,
  inside.filter(({ agent }) => !agent),
  view,
)}
${group(
  text.agents,
  inside.filter(({ agent }) => agent),
  view,
  text.agentsText,
)}
${group(text.excluded, outside, view)}`;
}

const group = (title: string, rows: readonly AccessRow[], view: AccessView, words?: string): Html | false =>
  rows.length > 0 &&
  html`<h2>${title}</h2>
${words !== undefined && html`<p>${words}</p>`}
<ul class="connected">
${rows.map((row) => entry(row, view))}</ul>`;

function entry(row: AccessRow, { messages, api }: AccessView): Html {
  const text = messages.apiAccess.access;
  const { clientId, agent, admitted, excludedAt, onItsOwn } = row;
  const name = calledName(row);
  const decision = excludedAt === null ? 'cut' : 'readmit';
  return html`<li>
<div class="connected-who">
${agent ? html`<h3 class="host">${name}</h3>` : html`<h3><bdi>${name}</bdi></h3>`}
<p class="quiet host">${clientMark(row, messages)}</p>
</div>
<dl class="facts">
${!admitted && excludedAt === null && html`<div><dt>${text.settings}</dt><dd>${text.notAdmitted}</dd></div>`}
${row.grants > 0 && grants(row, messages)}
${onItsOwn && excludedAt === null && html`<div><dt>${text.onItsOwn}</dt><dd>${tag(text.granted, 'good')}</dd></div>`}
${excludedAt !== null && html`<div><dt>${text.excludedOn}</dt><dd>${day(excludedAt, messages)}</dd></div>`}
</dl>
<p class="actions"><a class="button button--${decision === 'cut' ? 'danger' : 'secondary'}" href="${decisionAddress(api.apiId, decision, clientId)}"><span>${text[decision]}<span class="unseen"> ${name}</span></span></a></p>
</li>
`;
}

function grants({ grants: count, people, since, lastAt }: AccessRow, messages: Messages): Html {
  const { apiAccess, operations } = messages;
  const text = apiAccess.access;
  const of = people === 1 ? null : operations.number(people);
  return html`<div><dt>${text.grants}</dt><dd>${text.counted(operations.number(count), of)}</dd></div>
${since !== null && html`<div><dt>${text.since}</dt><dd>${day(since, messages)}</dd></div>`}
${lastAt !== null && html`<div><dt>${text.lastAt}</dt><dd>${ago(lastAt, messages)}</dd></div>`}`;
}

export type DecisionView = FormState & { api: OwnApi; client: DecidedClient; decision: AccessDecision };

export function decisionView(view: DecisionView): Html {
  const { messages, csrf, api, client, decision } = view;
  const text = messages.apiAccess[decision];
  const words = messages.apis.detail.lasting(api.tokenLifetime);
  return html`${way(messages, api, { below: 'access' })}
${formStatus(view)}
<h1>${text.title(calledName(client))}</h1>
<p class="quiet host">${clientMark(client, messages)}</p>
${text.text(words).map(
  (sentence) => html`<p>${sentence}</p>
`,
)}
${form({
  action: decisionAddress(api.apiId, decision, client.clientId),
  csrf,
  body: html`${confirmationField(view)}
<div class="actions">
${submitButton({ text: text.action, kind: decision === 'cut' ? 'danger' : 'primary' })}
${buttonLink({ text: messages.apiAccess.access.keep, href: apiAddress(api.apiId, 'access'), kind: 'secondary' })}
</div>`,
})}`;
}
