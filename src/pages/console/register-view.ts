// Owns the look of registering an application.

import { type FormState, form, formStatus, submitButton } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import {
  callbacksField,
  logoutAddressesField,
  nameField,
  type RegistrationForm,
  scopesField,
  standardField,
  typeField,
} from './fields-view.ts';
import { APPLICATIONS, wayToList } from './frame-view.ts';

export type RegisterView = FormState & {
  fields: RegistrationForm;
  production: boolean;
};

export function registerView(view: RegisterView): Html {
  const { messages, errors } = view;
  const text = messages.applications.create;
  return html`${wayToList(messages, 'application')}
${formStatus(view)}
<h1>${text.title}</h1>
${form({
  action: `${APPLICATIONS}/new`,
  csrf: view.csrf,
  body: html`${nameField(view, errors.length === 0)}
${typeField(view)}
${standardField(view)}
${callbacksField(view)}
${logoutAddressesField(view)}
${scopesField(view)}
${submitButton({ text: text.action })}`,
})}`;
}
