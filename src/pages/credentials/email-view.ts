// Owns the look of the pages about the account's mail address: showing, changing and verifying it.

import type { Messages } from '../../i18n/index.ts';
import { accountFrame } from '../../web/html/account-frame.ts';
import {
  buttonLink,
  confirmationField,
  type FormError,
  type FormState,
  form,
  formStatus,
  hiddenInput,
  submitButton,
  textField,
} from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { tag } from '../../web/html/tag.ts';

function codeForm(
  messages: Messages,
  action: string,
  csrf: string,
  errors: readonly FormError[],
  next?: string,
): Html {
  const text = messages.account.credentials;
  return form({
    action,
    csrf,
    body: html`${hiddenInput('next', next)}${textField({
      name: 'code',
      label: text.code,
      hint: text.codeHint,
      autocomplete: 'one-time-code',
      inputmode: 'numeric',
      errors,
    })}
${submitButton({ text: text.codeAction })}`,
  });
}

export type EmailView = FormState & {
  present: { email: string; emailVerified: boolean };
  mailAvailable: boolean;
  waitingFor: string | undefined;
  email: string;
};

export function emailView(view: EmailView): Html {
  const { messages, csrf, errors, present, waitingFor } = view;
  const text = messages.account.credentials;
  return accountFrame(
    messages,
    'email',
    html`${formStatus(view)}
<h1>${text.email.title}</h1>
<dl class="facts facts--framed">
<div><dt>${text.email.present}</dt><dd>${present.email} ${present.emailVerified ? tag(text.verified, 'good') : tag(text.notVerified, 'waiting')}</dd></div>
</dl>
${
  !present.emailVerified &&
  view.mailAvailable &&
  html`<p>${buttonLink({ href: '/account/verify', text: text.email.verify, kind: 'secondary' })}</p>`
}
${
  waitingFor !== undefined &&
  html`<h2>${text.email.waitingTitle}</h2>
<p>${text.email.waiting(waitingFor)}</p>
${codeForm(messages, '/account/email/code', csrf, errors)}
${form({ action: '/account/email/cancel', csrf, body: submitButton({ text: text.email.cancel, kind: 'secondary' }) })}`
}
<h2>${text.email.changeTitle}</h2>
${view.mailAvailable ? changeForm(view) : noMail(messages)}`,
  );
}

function changeForm(view: EmailView): Html {
  const { messages, csrf, email, errors } = view;
  const text = messages.account.credentials.email;
  return form({
    action: '/account/email',
    csrf,
    body: html`${textField({
      name: 'new_email',
      label: text.newEmail,
      hint: text.newEmailHint,
      type: 'email',
      value: email,
      autocomplete: 'email',
      inputmode: 'email',
      errors,
    })}
${confirmationField(view)}
${submitButton({ text: text.action, kind: view.waitingFor === undefined ? 'primary' : 'secondary' })}`,
  });
}

const noMail = (messages: Messages): Html => html`<p>${messages.account.credentials.noMail.text}</p>`;

export type VerifyView = FormState & {
  email: string;
  emailVerified: boolean;
  mailAvailable: boolean;
  isWaiting: boolean;
  next?: string | undefined;
};

export function verifyView(view: VerifyView): Html {
  const { messages, csrf, email, errors, isWaiting, next } = view;
  const text = messages.account.credentials.verify;
  return accountFrame(
    messages,
    'email',
    html`${formStatus(view)}
<h1>${view.emailVerified ? text.verifiedTitle : text.title}</h1>
${
  view.emailVerified
    ? html`<p class="lead">${text.already(email)}</p>`
    : html`<p class="lead">${text.text(email)}</p>
${view.mailAvailable ? ways() : noMail(messages)}`
}
${
  next !== undefined &&
  html`<p class="actions">${buttonLink({ href: next, text: view.emailVerified ? text.goOn : text.later, kind: view.emailVerified ? 'primary' : 'secondary' })}</p>`
}`,
    { within: true },
  );

  function ways(): Html {
    return html`${
      isWaiting &&
      html`<p>${text.waiting}</p>
${codeForm(messages, '/account/verify', csrf, errors, next)}`
    }
${form({
  action: '/account/verify/send',
  csrf,
  body: html`${hiddenInput('next', next)}${submitButton({
    text: isWaiting ? text.sendAgain : text.send,
    kind: isWaiting ? 'secondary' : 'primary',
  })}`,
})}`;
  }
}
