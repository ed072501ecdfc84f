// Owns the look of the sign-in page.

import type { Messages } from '../../i18n/index.ts';
import { cancelForm, destination, purposeOf } from '../../web/html/entrance.ts';
import {
  attention,
  type FormState,
  form,
  formStatus,
  hiddenInput,
  passwordField,
  submitButton,
  textField,
} from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { ableToHoldPasskeys, passkeyButton, passkeyMissing } from '../../web/html/passkey.ts';

export type SignInView = FormState & {
  /** The sealed authorization request that this sign-in belongs to, if any. */
  pending?: string | undefined;
  /** The page of this service that the login flow leads to. */
  next?: string | undefined;
  application?: { name: string; host: string } | undefined;
  /** Why it asks, where a page behind the door was opened. */
  reason?: 'asks' | 'sessionOver' | undefined;
  email: string;
  /** Back to whoever is signed in: the one account by its name, or the choice among several. */
  back?: { href: string; name: string | undefined } | undefined;
  passkey?: string | undefined;
  forgotHref: string;
  signUpHref?: string | undefined;
};

export function signInView(view: SignInView): Html {
  const { messages, errors, back } = view;
  const calm = errors.length === 0;
  return html`${formStatus(view)}
<h1>${messages.signIn.title}</h1>
${view.application ? destination(messages.signIn.continueTo, view.application) : purposeOf(messages, view.next)}
${view.reason && calm && why(messages, view.reason)}
${form({
  action: '/signin',
  csrf: view.csrf,
  pending: view.pending,
  body: html`${hiddenInput('next', view.next)}${view.passkey !== undefined && ableToHoldPasskeys}${textField({
    name: 'email',
    label: messages.fields.email,
    type: 'email',
    value: view.email,
    autocomplete: 'username webauthn',
    inputmode: 'email',
    autofocus: calm && view.email === '',
    errors,
  })}
${passwordField({
  name: 'password',
  label: messages.fields.password,
  autocomplete: 'current-password',
  autofocus: calm && view.email !== '',
  errors,
})}
${submitButton({ text: messages.signIn.action })}
<a class="forgot" href="${view.forgotHref}">${messages.account.credentials.forgot.link}</a>`,
})}
${
  view.passkey !== undefined &&
  form({
    action: '/signin',
    csrf: view.csrf,
    pending: view.pending,
    body: html`${hiddenInput('next', view.next)}${passkeyButton(messages, {
      name: 'passkey',
      options: view.passkey,
      text: messages.passkeys.signIn,
    })}`,
  })
}
${passkeyMissing(messages, view.passkey)}
${view.signUpHref && html`<p class="aside">${messages.signIn.noAccountYet} <a href="${view.signUpHref}">${messages.signIn.signUp}</a></p>`}
${back && html`<p class="aside"><a href="${back.href}">${back.name === undefined ? messages.accounts.choose : messages.accounts.continueAs(back.name)}</a></p>`}
${cancelForm(messages, view)}`;
}

/** That an account is needed is no surprise; that a session has ended is. */
const why = ({ signIn }: Messages, reason: NonNullable<SignInView['reason']>): Html | undefined =>
  reason === 'asks' ? html`<p class="destination">${signIn.asks}</p>` : attention(signIn[reason]);
