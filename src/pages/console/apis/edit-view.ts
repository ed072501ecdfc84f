// Owns the look of changing an API: its settings.

import type { OwnApi } from '../../../store/own-apis.ts';
import { type FormState, form, formStatus, submitButton } from '../../../web/html/form.ts';
import { type Html, html } from '../../../web/html/html.ts';
import { apiAddress, way } from '../frame-view.ts';
import { admitsField, lifetimeField, nameField, wordsFields } from './fields-view.ts';
import type { ApiForm } from './typed.ts';

export type EditView = FormState & { api: OwnApi; fields: ApiForm };

export function editView(view: EditView): Html {
  const { messages, api } = view;
  const { edit: text, detail } = messages.apis;
  return html`${way(messages, api, 'edit')}
${formStatus(view)}
<h1>${text.title(api.name)}</h1>
<dl class="facts facts--framed">
<div><dt>${detail.identifier}</dt><dd><code>${api.identifier}</code></dd></div>
</dl>
<p class="quiet">${text.fixed}</p>
${form({
  action: apiAddress(api.apiId, 'edit'),
  csrf: view.csrf,
  body: html`${nameField(view)}
${wordsFields(view)}
${admitsField(view)}
${lifetimeField(view)}
<p class="quiet">${messages.applications.edit.lastWins}</p>
${submitButton({ text: text.action })}`,
})}`;
}
