// Owns the look of the sign-up page.

import { PASSWORD_MIN, STRENGTH } from '../../credentials/password-rules.ts';
import { cancelForm, destination } from '../../web/html/entrance.ts';
import {
  type FormState,
  form,
  formStatus,
  hiddenInput,
  passwordField,
  submitButton,
  textField,
} from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';

export type SignUpView = FormState & {
  /** The sealed authorization request that this sign-up belongs to, if any. */
  pending?: string | undefined;
  /** The page of this service that the login flow leads to. */
  next?: string | undefined;
  application?: { name: string; host: string } | undefined;
  name: string;
  email: string;
  signInHref: string;
};

export function signUpView(view: SignUpView): Html {
  const { messages, errors } = view;
  return html`${formStatus(view)}
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
  hint: messages.fields.newPasswordHint(PASSWORD_MIN),
  autocomplete: 'new-password',
  strength: STRENGTH,
  errors,
})}
${submitButton({ text: messages.signUp.action })}`,
})}
<p class="aside">${messages.signUp.alreadyAnAccount} <a href="${view.signInHref}">${messages.signUp.signIn}</a></p>
${cancelForm(messages, view)}`;
}
