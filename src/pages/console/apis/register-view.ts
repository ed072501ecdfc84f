// Owns the look of registering an API.

import { type FormState, form, formStatus, submitButton, textField } from '../../../web/html/form.ts';
import { type Html, html } from '../../../web/html/html.ts';
import { APIS, wayToList } from '../frame-view.ts';
import { admitsField, lifetimeField, nameField, wordsFields } from './fields-view.ts';
import type { ApiRegistration } from './typed.ts';

export type RegisterView = FormState & {
  fields: ApiRegistration;
  production: boolean;
};

export function registerView(view: RegisterView): Html {
  const { messages, errors, fields, production } = view;
  const { create: text, form: label } = messages.apis;
  return html`${wayToList(messages, 'api')}
${formStatus(view)}
<h1>${text.title}</h1>
${form({
  action: `${APIS}/new`,
  csrf: view.csrf,
  body: html`${nameField(view, errors.length === 0)}
${textField({
  name: 'identifier',
  label: label.identifier,
  hint: production ? label.identifierHint : `${label.identifierHint} ${label.identifierHere}`,
  type: 'url',
  inputmode: 'url',
  value: fields.identifier,
  errors,
})}
${wordsFields(view)}
${admitsField(view)}
${lifetimeField(view)}
${submitButton({ text: text.action })}`,
})}`;
}
