// Owns the look of deleting an API.

import type { OwnApi } from '../../../store/own-apis.ts';
import {
  buttonLink,
  confirmationField,
  type FormState,
  form,
  formStatus,
  submitButton,
  textField,
} from '../../../web/html/form.ts';
import { type Html, html } from '../../../web/html/html.ts';
import { apiAddress, apiWay } from './frame-view.ts';

export type DeletionView = FormState & { api: OwnApi; typed: string };

export function deletionView(view: DeletionView): Html {
  const { messages, csrf, api, typed, errors } = view;
  const text = messages.apis.remove;
  return html`${apiWay(messages, api, { below: 'overview' })}
${formStatus(view)}
<h1>${text.title(api.name)}</h1>
<p class="warning">${text.text}</p>
${form({
  action: apiAddress(api.apiId, 'delete'),
  csrf,
  typed: true,
  body: html`${textField({
    name: 'name',
    label: text.name,
    hint: text.nameHint(api.name),
    value: typed,
    autocomplete: 'off',
    errors,
  })}
${confirmationField(view)}
<div class="actions">
${submitButton({ text: text.action, kind: 'danger' })}
${buttonLink({ text: text.cancel, href: apiAddress(api.apiId), kind: 'secondary' })}
</div>`,
})}`;
}
