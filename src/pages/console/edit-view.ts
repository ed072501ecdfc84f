// Owns the look of changing an application: its settings.

import type { OwnApplication } from '../../store/applications.ts';
import {
  attention,
  confirmationField,
  type FormState,
  form,
  formStatus,
  submitButton,
  textField,
} from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import {
  type ApplicationForm,
  callbacksField,
  linkFields,
  nameField,
  scopesField,
  standardField,
} from './fields-view.ts';
import { applicationAddress, way } from './frame-view.ts';

/** The settings as they were typed, or as they stand. */
export type SettingsForm = ApplicationForm & {
  refreshGrace: string;
  homePage: string;
  privacyPolicy: string;
  termsOfService: string;
};

export type SettingsView = FormState & {
  application: OwnApplication;
  fields: SettingsForm;
  production: boolean;
};

export function settingsView(view: SettingsView): Html {
  const { messages, application, fields, errors } = view;
  const { edit: text, form: label, types } = messages.applications;
  return html`${way(messages, application, 'edit')}
${formStatus(view)}
<h1>${text.title(application.name)}</h1>
<p class="quiet">${types[application.type]}. ${text.fixed}</p>
${attention(application.verified ? text.verified : undefined)}
${form({
  action: applicationAddress(application.clientId, 'edit'),
  csrf: view.csrf,
  body: html`${nameField(view)}
${callbacksField(view, application.type)}
${scopesField(view)}
${standardField(view)}
${textField({
  name: 'refresh_grace',
  label: label.refreshGrace,
  hint: label.refreshGraceHint,
  value: fields.refreshGrace,
  inputmode: 'numeric',
  errors,
})}
${linkFields(messages, fields, errors)}
${confirmationField(view, label.confirmCallbacksHint)}
<p class="quiet">${text.lastWins}</p>
${submitButton({ text: text.action })}`,
})}`;
}
