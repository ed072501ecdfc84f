// Owns the look of the page on which an operator invites somebody.

import type { Locale } from '../../i18n/index.ts';
import {
  buttonLink,
  confirmationField,
  type FormState,
  form,
  formStatus,
  selectField,
  submitButton,
  textField,
} from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { ACCOUNTS, operationsNavigation } from './frame-view.ts';

export type InviteView = FormState & {
  name: string;
  email: string;
  language: Locale;
  /** The account that has this email already. */
  taken: string | undefined;
  available: boolean;
};

export function inviteView(view: InviteView): Html {
  const { messages, errors, taken } = view;
  const text = messages.operations.invite;
  const languages = Object.entries(messages.layout.languageNames);
  return html`${operationsNavigation(messages, 'accounts', { within: true })}
${formStatus(view)}
<h1>${text.title}</h1>
<p class="lead">${text.text}</p>
${taken && errors.length > 0 && html`<p><a class="reachable" href="${ACCOUNTS}/${taken}">${text.seeTaken}</a></p>`}
${!view.available && errors.length === 0 && html`<p class="warning">${text.noMail}</p>`}
${form({
  action: `${ACCOUNTS}/new`,
  csrf: view.csrf,
  body: html`${textField({ name: 'name', label: text.name, value: view.name, autocomplete: 'off', errors })}
${textField({ name: 'email', type: 'email', label: text.email, hint: text.emailHint, value: view.email, autocomplete: 'off', inputmode: 'email', errors })}
${selectField({ name: 'language', label: text.language, options: languages.map(([value, label]) => ({ value, label })), value: view.language })}
${confirmationField(view)}
<p class="actions">
${submitButton({ text: text.submit })}
${buttonLink({ text: messages.operations.cancel, href: ACCOUNTS, kind: 'secondary' })}
</p>`,
})}`;
}
