// Owns the look of the pages of a sign-in that a mail has to confirm.

import type { Messages } from '../../i18n/index.ts';
import {
  buttonLink,
  type FormState,
  form,
  formStatus,
  hiddenInput,
  submitButton,
  textField,
} from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';

export type SignInCodeView = FormState & {
  /** The sealed attempt that the code belongs to. */
  token: string;
  pending: string | undefined;
  next: string | undefined;
  email: string;
  againHref: string;
};

/** Where to type the code. The same for everybody: it does not say whether a mail was sent. */
export function signInCodeView(view: SignInCodeView): Html {
  const { messages, errors } = view;
  const { credentials } = messages.account;
  const text = credentials.signInByMail;
  return html`${formStatus(view)}
<h1>${text.title}</h1>
<p class="lead">${text.text(view.email)}</p>
${form({
  action: '/signin/code',
  csrf: view.csrf,
  pending: view.pending,
  body: html`${hiddenInput('token', view.token)}${hiddenInput('next', view.next)}${textField({
    name: 'code',
    label: credentials.code,
    hint: credentials.codeHint,
    autocomplete: 'one-time-code',
    inputmode: 'numeric',
    errors,
  })}
${submitButton({ text: text.action })}`,
})}
<p class="aside">${text.advice}</p>
<p class="aside"><a href="${view.againHref}">${text.again}</a></p>`;
}

/** Asks whether to sign in; the link in the mail leads here. */
export function signInLinkView({
  messages,
  csrf,
  token,
  email,
}: Pick<SignInCodeView, 'messages' | 'csrf' | 'token' | 'email'>): Html {
  const text = messages.account.credentials.signInByMail;
  return html`<h1>${text.linkTitle}</h1>
<p class="lead">${text.linkText(email)}</p>
${form({
  action: '/signin/link',
  csrf,
  body: html`${hiddenInput('token', token)}${submitButton({ text: text.linkAction })}`,
})}
<p class="aside">${messages.account.credentials.confirm.advice}</p>`;
}

/**
 * The link was opened in a browser in which nobody gave the password. Nothing is said of the account, and no address is filled in:
 * whoever has opened it may have been sent it on.
 */
export function signInElsewhereView(messages: Messages): Html {
  const text = messages.account.credentials.signInByMail;
  return html`<h1>${text.elsewhereTitle}</h1>
<p class="lead">${text.elsewhere}</p>
<p>${text.hereInstead}</p>
<p class="actions">${buttonLink({ href: '/signin', text: text.here })}</p>
<p class="aside">${messages.account.credentials.confirm.advice}</p>`;
}
