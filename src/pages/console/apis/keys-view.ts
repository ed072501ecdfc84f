// Owns the look of an API's public keys.

import type { OwnApi } from '../../../store/own-apis.ts';
import {
  confirmationField,
  type FormState,
  form,
  formStatus,
  submitButton,
  textArea,
} from '../../../web/html/form.ts';
import { type Html, html } from '../../../web/html/html.ts';
import { apiAddress, way } from '../frame-view.ts';

export type KeysView = FormState & { api: OwnApi; jwks: string };

export function keysView(view: KeysView): Html {
  const { messages, csrf, api, jwks, errors } = view;
  const text = messages.apis.keys;
  return html`${way(messages, api, 'keys')}
${formStatus(view)}
<h1>${text.title(api.name)}</h1>
<p class="lead">${text.lead}</p>
${form({
  action: apiAddress(api.apiId, 'keys'),
  csrf,
  body: html`${textArea({
    name: 'jwks',
    label: text.label,
    hint: text.hint,
    value: jwks,
    rows: Math.min(20, Math.max(6, jwks.split('\n').length)),
    optional: messages.fields.optional,
    errors,
  })}
${confirmationField(view)}
${submitButton({ text: text.action })}`,
})}`;
}
