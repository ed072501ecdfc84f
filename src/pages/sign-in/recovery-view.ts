// Owns the look of the page that takes a recovery code in place of a password.
import {
  type FormState,
  form,
  formStatus,
  hiddenInput,
  submitButton,
  textField,
} from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';

export type RecoveryView = FormState & {
  pending: string | undefined;
  next: string | undefined;
  email: string;
  signInHref: string;
};

export function recoveryView(view: RecoveryView): Html {
  const { messages, errors } = view;
  const text = messages.signIn.recovery;
  return html`${formStatus(view)}
<h1>${text.title}</h1>
<p class="lead">${text.text}</p>
${form({
  action: '/signin/recovery',
  csrf: view.csrf,
  pending: view.pending,
  body: html`${hiddenInput('next', view.next)}${textField({
    name: 'email',
    label: messages.fields.email,
    type: 'email',
    value: view.email,
    autocomplete: 'username',
    inputmode: 'email',
    autofocus: errors.length === 0,
    errors,
  })}
${textField({ name: 'code', label: messages.fields.recoveryCode, autocomplete: 'off', errors })}
${submitButton({ text: messages.signIn.action })}`,
})}
<p class="aside"><a href="${view.signInHref}">${text.signIn}</a></p>`;
}
