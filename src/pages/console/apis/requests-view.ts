// Owns the look of what applications ask of an API on their own account, and of answering one of them.

import type { Locale, Messages } from '../../../i18n/index.ts';
import { callbackHost } from '../../../oauth/redirect-uri.ts';
import type { OwnApi } from '../../../store/own-apis.ts';
import type { ServiceAccessRow } from '../../../store/service-access.ts';
import {
  buttonLink,
  choiceField,
  confirmationField,
  type FormState,
  form,
  formStatus,
  hiddenInput,
  notice,
  submitButton,
} from '../../../web/html/form.ts';
import { type Html, html } from '../../../web/html/html.ts';
import { apiAddress, way } from '../frame-view.ts';
import { accessFacts } from '../service-access-view.ts';

/** The page on which a request is answered, or what was granted is ended. */
export const answerAddress = (apiId: string, clientId: string): string =>
  `${apiAddress(apiId, 'requests/answer')}?${new URLSearchParams({ client_id: clientId })}`;

export function requestsView(view: {
  messages: Messages;
  api: OwnApi;
  rows: readonly ServiceAccessRow[];
  notice: string | undefined;
}): Html {
  const { messages, api, rows } = view;
  const text = messages.serviceAccess.api;
  return html`${way(messages, api, 'requests')}
${notice(view.notice)}
<h1>${text.title(api.name)}</h1>
<p class="lead">${text.lead}</p>
${
  rows.length === 0
    ? html`<div class="empty">
<p class="empty-title">${text.none}</p>
<p>${text.noneAdvice}</p>
</div>`
    : html`<ul class="connected">
${rows.map(
  (row) => html`<li>
${who(row, messages, html`<h2><bdi>${row.clientName}</bdi></h2>`)}
${accessFacts(row, messages)}
<p class="actions"><a class="button button--${row.grantedAt === null ? 'secondary' : 'danger'}" href="${answerAddress(api.apiId, row.clientId)}"><span>${row.grantedAt === null ? text.answer : text.end}<span class="unseen"> ${row.clientName}</span></span></a></p>
</li>
`,
)}</ul>`
}`;
}

/** Names may be alike: where its callbacks lead and whose it is stand beside them. */
const who = (row: ServiceAccessRow, { serviceAccess }: Messages, heading?: Html): Html =>
  html`<div class="connected-who">
${heading}
<p class="quiet host">${[...new Set(row.redirectUris.map(callbackHost))].join(', ')}</p>
<p class="quiet">${serviceAccess.api.owner} <bdi>${row.ownerName}</bdi></p>
</div>`;

export type AnswerView = FormState & {
  api: OwnApi;
  row: ServiceAccessRow;
  locale: Locale;
  ticked: readonly string[];
};

export function answerView(view: AnswerView): Html {
  const { messages, csrf, api, row } = view;
  const { api: text, ending } = messages.serviceAccess;
  const isWaiting = row.grantedAt === null;
  const to = answerAddress(api.apiId, row.clientId);
  return html`${way(messages, api, { below: 'requests' })}
${formStatus(view)}
<h1>${isWaiting ? text.decideTitle(row.clientName) : ending.title(row.clientName, row.apiName)}</h1>
${who(row, messages)}
<p>${isWaiting ? text.decideText : ending.text}</p>
${!isWaiting && accessFacts(row, messages)}
${form({
  action: to,
  csrf,
  body: html`${
    isWaiting &&
    html`${hiddenInput('asked', row.askedAt.toISOString())}
${choices(view)}`
  }
${confirmationField(view)}
<div class="actions">
${isWaiting && submitButton({ text: text.grant, name: 'decision', value: 'grant' })}
${submitButton({ text: isWaiting ? text.refuse : text.end, kind: isWaiting ? 'secondary' : 'danger', name: 'decision', value: 'end' })}
${buttonLink({ text: isWaiting ? text.later : ending.keep, href: apiAddress(api.apiId, 'requests'), kind: 'secondary' })}
</div>`,
})}`;
}

/** What was asked for; a scope that the API has no more is granted for nothing. */
const choices = ({ messages, api, row, locale, ticked, errors }: AnswerView): Html =>
  choiceField({
    name: 'scopes',
    kind: 'checkbox',
    legend: messages.serviceAccess.api.choose,
    choices: row.scopes.map((name) => {
      const scope = api.scopes.find((one) => one.name === name);
      const words = scope && (scope[locale] || scope.fr || scope.en);
      return { value: name, label: name, hint: words, checked: ticked.includes(name) };
    }),
    errors,
  });
