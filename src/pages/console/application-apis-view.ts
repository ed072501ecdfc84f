// Owns the look of what an application may do at APIs on its own account: what it has and waits for, asking, ending.

import type { OwnApplication } from '../../store/applications.ts';
import type { ServiceAccessRow } from '../../store/service-access.ts';
import {
  buttonLink,
  confirmationField,
  type FormState,
  form,
  formStatus,
  submitButton,
  textField,
} from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { applicationAddress, way } from './frame-view.ts';
import { accessFacts } from './service-access-view.ts';

/** The page that asks before an access is ended. */
export const endAddress = (clientId: string, apiId: string): string =>
  `${applicationAddress(clientId, 'apis/end')}?${new URLSearchParams({ api_id: apiId })}`;

export function applicationApisView(
  view: FormState & {
    application: OwnApplication;
    rows: readonly ServiceAccessRow[];
    typed: { identifier: string; scopes: string };
  },
): Html {
  const { messages, csrf, application, rows, typed, errors } = view;
  const text = messages.serviceAccess.client;
  return html`${way(messages, application, 'apis')}
${formStatus(view)}
<h1>${text.title(application.name)}</h1>
<p class="lead">${text.lead}</p>
${
  rows.length === 0
    ? html`<p class="quiet">${text.none}</p>`
    : html`<ul class="connected">
${rows.map(
  (row) => html`<li>
<div class="connected-who">
<h2><bdi>${row.apiName}</bdi></h2>
<p class="quiet host">${row.identifier}</p>
</div>
${accessFacts(row, messages)}
<p class="actions"><a class="button button--${row.grantedAt === null ? 'secondary' : 'danger'}" href="${endAddress(application.clientId, row.apiId)}"><span>${row.grantedAt === null ? text.cancel : text.end}<span class="unseen"> ${row.apiName}</span></span></a></p>
</li>
`,
)}</ul>`
}
<h2>${text.ask}</h2>
${form({
  action: applicationAddress(application.clientId, 'apis'),
  csrf,
  body: html`${textField({
    name: 'identifier',
    label: text.identifier,
    hint: text.identifierHint,
    type: 'url',
    value: typed.identifier,
    errors,
  })}
${textField({ name: 'scopes', label: messages.serviceAccess.scopes, hint: text.scopesHint, value: typed.scopes, errors })}
${confirmationField(view)}
${submitButton({ text: text.action })}`,
})}`;
}

export function applicationEndView(
  view: FormState & { application: OwnApplication; row: ServiceAccessRow },
): Html {
  const { messages, csrf, application, row } = view;
  const { ending: text, client } = messages.serviceAccess;
  return html`${way(messages, application, { below: 'apis' })}
${formStatus(view)}
<h1>${text.title(row.clientName, row.apiName)}</h1>
<p>${text.text}</p>
${accessFacts(row, messages)}
${form({
  action: endAddress(application.clientId, row.apiId),
  csrf,
  body: html`${confirmationField(view)}
<div class="actions">
${submitButton({ text: row.grantedAt === null ? client.cancel : client.end, kind: 'danger' })}
${buttonLink({ text: text.keep, href: applicationAddress(application.clientId, 'apis'), kind: 'secondary' })}
</div>`,
})}`;
}
