// Owns the look of changing an application: its settings and its logo.

import type { Messages } from '../../i18n/index.ts';
import type { OwnApplication } from '../../store/applications.ts';
import {
  buttonLink,
  confirmationField,
  type FormError,
  fileField,
  form,
  notice,
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
import { applicationAddress, faultsAbove, logoOf, way } from './parts-view.ts';

/** The settings as they were typed, or as they stand. */
export type SettingsForm = ApplicationForm & {
  refreshGrace: string;
  homePage: string;
  privacyPolicy: string;
  termsOfService: string;
};

export type SettingsView = {
  messages: Messages;
  csrf: string;
  application: OwnApplication;
  fields: SettingsForm;
  /** Whether the sign-in is recent, so that no password is asked for. */
  recent: boolean;
  notice: string | undefined;
  errors: readonly FormError[];
};

export function settingsView(view: SettingsView): Html {
  const { messages, application, fields, errors } = view;
  const { edit: text, form: label, types } = messages.applications;
  return html`${way(messages, application, 'edit')}
${notice(view.notice)}
${faultsAbove(messages, errors)}
<h1>${text.title(application.name)}</h1>
<p class="quiet">${types[application.type]}. ${text.fixed}</p>
${application.verified && html`<p class="notice">${text.verified}</p>`}
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
${confirmationField({
  recent: view.recent,
  label: messages.fields.confirmPassword,
  hint: label.confirmCallbacksHint,
  errors,
})}
<p class="quiet">${text.lastWins}</p>
${submitButton({ text: text.action })}`,
})}`;
}

export type LogoView = {
  messages: Messages;
  csrf: string;
  application: OwnApplication;
  errors: readonly FormError[];
};

export function logoView({ messages, csrf, application, errors }: LogoView): Html {
  const { logo: text, secrets, edit } = messages.applications;
  const action = applicationAddress(application.clientId, 'logo');
  return html`${way(messages, application, { below: 'overview' })}
${faultsAbove(messages, errors)}
<h1>${text.title(application.name)}</h1>
<p class="lead">${text.lead}</p>
${application.verified && html`<p class="notice">${edit.verified}</p>`}
${
  application.logo !== null &&
  html`<h2>${text.current}</h2>
<p>${logoOf(application, 128)}</p>`
}
${form({
  action,
  csrf,
  upload: true,
  body: html`${fileField({
    name: 'logo',
    label: text.file,
    hint: text.fileHint,
    accept: 'image/png,image/jpeg,image/webp',
    errors,
  })}
<div class="actions">
${submitButton({ text: text.action })}
${application.logo !== null && submitButton({ text: text.remove, kind: 'secondary', name: 'remove', value: 'yes' })}
${buttonLink({ text: secrets.back, href: applicationAddress(application.clientId), kind: 'secondary' })}
</div>`,
})}`;
}
