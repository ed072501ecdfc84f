// Owns the look of the sign-up page.

import type { Messages } from '../../i18n/index.ts';
import { cancelForm, destination, problemsTitle } from '../../web/html/entrance.ts';
import {
  errorSummary,
  type FormError,
  form,
  hiddenInput,
  passwordField,
  submitButton,
  textField,
} from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';

export type SignUpView = {
  messages: Messages;
  csrf: string;
  /** The sealed authorization request that this sign-up belongs to, if any. */
  pending?: string | undefined;
  /** The page of our own that entering leads to, if any. */
  next?: string | undefined;
  application?: { name: string; host: string } | undefined;
  name: string;
  email: string;
  errors: readonly (FormError & { field?: 'name' | 'email' | 'password' | undefined })[];
  signInHref: string;
  /** Fewest characters a password may have, for the hint. */
  passwordMinimum: number;
};

export function signUpView(view: SignUpView): Html {
  const { messages, errors } = view;
  return html`${errorSummary({ title: problemsTitle(messages, errors.length), errors })}
<h1>${messages.signUp.title}</h1>
${view.application && destination(messages.signUp.continueTo, view.application)}
${form({
  action: '/signup',
  csrf: view.csrf,
  pending: view.pending,
  body: html`${hiddenInput('next', view.next)}${textField({
    name: 'name',
    label: messages.fields.name,
    hint: messages.fields.nameHint,
    value: view.name,
    autocomplete: 'name',
    autofocus: errors.length === 0,
    errors,
  })}
${textField({
  name: 'email',
  label: messages.fields.email,
  type: 'email',
  value: view.email,
  autocomplete: 'username',
  inputmode: 'email',
  errors,
})}
${passwordField({
  name: 'password',
  label: messages.fields.password,
  hint: messages.fields.newPasswordHint(view.passwordMinimum),
  autocomplete: 'new-password',
  errors,
})}
${submitButton({ text: messages.signUp.action })}`,
})}
<p class="aside">${messages.signUp.alreadyAnAccount} <a href="${view.signInHref}">${messages.signUp.signIn}</a></p>
${cancelForm(messages, view)}`;
}
