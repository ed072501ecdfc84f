// Owns the look of registering an application, and of the one page that shows a secret.

import type { Messages } from '../../i18n/index.ts';
import { copyButton } from '../../web/html/code.ts';
import { buttonLink, type FormError, form, hiddenInput, submitButton } from '../../web/html/form.ts';
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
import { APPLICATIONS, applicationAddress, faultsAbove, way } from './parts-view.ts';

export type RegisterView = {
  messages: Messages;
  csrf: string;
  /** The value by which the form is good for one use. */
  formValue: string;
  fields: RegistrationForm;
  errors: readonly FormError[];
};

export function registerView(view: RegisterView): Html {
  const { messages, errors } = view;
  const text = messages.applications.create;
  return html`${way(messages)}
${faultsAbove(messages, errors)}
<h1>${text.title}</h1>
${form({
  action: `${APPLICATIONS}/new`,
  csrf: view.csrf,
  body: html`${hiddenInput('form', view.formValue)}
${nameField(view, errors.length === 0)}
${typeField(view)}
${standardField(view)}
${callbacksField(view)}
${logoutAddressesField(view)}
${scopesField(view)}
${submitButton({ text: text.action })}`,
})}`;
}

/** Instead of the form: an account that nobody can be reached by registers nothing. */
export function verifyFirstView(messages: Messages, email: string): Html {
  const text = messages.applications.create;
  return html`${way(messages)}
<h1>${text.verifyEmail}</h1>
<p class="lead">${text.verifyEmailText(email)}</p>
<p class="actions">${buttonLink({ text: text.verifyEmailAction, href: '/account/verify' })}</p>`;
}

export type SecretView = {
  messages: Messages;
  title: string;
  application: { clientId: string; name: string };
  /** Undefined for a public application. */
  clientSecret: string | undefined;
};

/** The one page that shows a secret; rendered by the POST that made it, and by nothing else. */
export function secretView({ messages, title, application, clientSecret }: SecretView): Html {
  const text = messages.applications.created;
  const { clientId } = application;
  return html`${way(messages, application)}
<h1>${title}</h1>
${clientSecret === undefined ? html`<p class="lead">${text.noSecret}</p>` : html`<p class="notice">${text.once}</p>`}
<dl class="facts facts--framed credentials">
${value(messages, text.identifier, 'client-id', clientId)}
${clientSecret !== undefined && value(messages, text.secret, 'client-secret', clientSecret)}
</dl>
<p class="quiet">${text.copyHint}</p>
${
  clientSecret !== undefined &&
  html`<p>${text.keep}</p>
<p class="quiet">${text.lost}</p>`
}
<h2>${text.next}</h2>
<p class="actions">
${buttonLink({ text: text.integrate, href: applicationAddress(clientId, 'integrate') })}
${buttonLink({ text: text.open, href: applicationAddress(clientId), kind: 'secondary' })}
</p>`;
}

function value(messages: Messages, label: string, id: string, text: string): Html {
  return html`<div><dt>${label}</dt><dd><code class="whole" id="${id}"${id === 'client-secret' && html` data-once`}>${text}</code> ${copyButton({ target: id, words: messages.applications.created, unseen: label })}</dd></div>
`;
}
