// Owns the look of the pages about the password: changing it, and finding the way back without it.

import type { PasswordLink } from '../../credentials/password-change.ts';
import { PASSWORD_MIN, STRENGTH } from '../../credentials/password-rules.ts';
import type { Messages } from '../../i18n/index.ts';
import { accountFrame } from '../../web/html/account-frame.ts';
import {
  buttonLink,
  confirmationByPasskey,
  confirmationCode,
  type FormState,
  form,
  formStatus,
  hiddenInput,
  passwordField,
  submitButton,
  textField,
  usernameField,
} from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';

export function passwordView(view: FormState): Html {
  const { messages, csrf, errors } = view;
  const text = messages.account.credentials.password;
  return accountFrame(
    messages,
    'security',
    html`${formStatus(view)}
<h1>${text.title}</h1>
<p class="lead">${text.text}</p>
${form({
  action: '/account/password',
  csrf,
  body: html`${usernameField(view.username)}${passwordField({
    name: 'current_password',
    label: messages.fields.confirmPassword,
    autocomplete: 'current-password',
    errors,
  })}
${confirmationByPasskey(view, messages.passkeys.askedInstead)}
${confirmationCode(view)}
${newPassword(view)}
${submitButton({ text: text.action })}`,
})}
<p class="aside"><a href="/password/forgot?next=%2Faccount%2Fpassword">${text.forgot}</a></p>`,
    { within: true },
  );
}

/** The field of a new password: in place of another one, or where there is none. */
export const newPassword = (
  { messages, errors }: Pick<FormState, 'messages' | 'errors'>,
  label: string = messages.account.credentials.password.newPassword,
): Html =>
  passwordField({
    name: 'new_password',
    label,
    hint: messages.fields.newPasswordHint(PASSWORD_MIN),
    autocomplete: 'new-password',
    strength: STRENGTH,
    errors,
  });

export type ForgotView = FormState & {
  pending: string | undefined;
  next: string | undefined;
  email: string;
  signInHref: string;
  recoveryHref: string;
};

export function forgotView(view: ForgotView): Html {
  const { messages, csrf, pending, next, email, errors, signInHref } = view;
  const text = messages.account.credentials.forgot;
  return html`${formStatus(view)}
<h1>${text.title}</h1>
<p class="lead">${text.text}</p>
${form({
  action: '/password/forgot',
  csrf,
  pending,
  body: html`${hiddenInput('next', next)}${textField({
    name: 'email',
    label: messages.fields.email,
    type: 'email',
    value: email,
    autocomplete: 'username',
    inputmode: 'email',
    autofocus: errors.length === 0,
    errors,
  })}
${submitButton({ text: text.action })}`,
})}
<p class="aside">${text.withoutPassword} <a href="${view.recoveryHref}">${text.byRecoveryCode}</a></p>
<p class="aside"><a href="${signInHref}">${text.signIn}</a></p>`;
}

/** @param sent what was sent, and whom to */
export function sentView(
  messages: Messages,
  { sent, againHref, signInHref }: { sent: string; againHref: string; signInHref: string },
): Html {
  const text = messages.account.credentials.forgot;
  return html`<h1>${text.sentTitle}</h1>
<p class="lead">${sent}</p>
<p>${text.sentAdvice}</p>
<p class="actions">${buttonLink({ href: againHref, text: text.again, kind: 'secondary' })}</p>
<p class="aside"><a href="${signInHref}">${text.signIn}</a></p>`;
}

/** Where no mail can be sent, people can help. */
export function noMailView(messages: Messages, signInHref: string): Html {
  const { noMail, forgot } = messages.account.credentials;
  return html`<h1>${forgot.title}</h1>
<p class="lead">${noMail.title}</p>
<p>${noMail.text}</p>
<p class="actions">${buttonLink({ href: signInHref, text: forgot.signIn })}</p>`;
}

type ResetLink = { kind: PasswordLink; email: string; invited: boolean; emailVerified: boolean };

export function resetWords(
  { reset }: Messages['account']['credentials'],
  { kind, email, invited, emailVerified }: ResetLink,
): { title: string; lead: string } {
  if (kind === 'verify_email') return { title: reset.verifyTitle, lead: reset.verifyText(email) };
  if (invited) return { title: reset.firstTitle, lead: reset.firstText(email) };
  return { title: reset.title, lead: emailVerified ? reset.text(email) : reset.unverifiedText(email) };
}

export type ResetView = FormState & ResetLink & { token: string };

export function resetView(view: ResetView): Html {
  const { messages, csrf, token, email, invited, kind } = view;
  const text = messages.account.credentials.reset;
  const { title, lead } = resetWords(messages.account.credentials, view);
  return html`${formStatus(view)}
<h1>${title}</h1>
<p class="lead">${lead}</p>
${kind === 'verify_email' && html`<p>${text.verifyInstead} <a href="/signin?next=%2Faccount%2Fverify">${text.signIn}</a></p>`}
${form({
  action: '/password/reset',
  csrf,
  body: html`${hiddenInput('token', token)}${usernameField(email, 'email')}${newPassword(view, invited ? messages.fields.password : undefined)}
${submitButton({ text: text.action })}`,
})}`;
}

export type InvitationView = FormState & { token: string; name: string; email: string; serviceName: string };

export function invitationView(view: InvitationView): Html {
  const { messages, csrf, token, name, email } = view;
  const text = messages.account.credentials.invitation;
  return html`${formStatus(view)}
<h1>${text.title(view.serviceName)}</h1>
<p class="lead">${text.text(view.serviceName)}</p>
<dl class="facts facts--framed">
<div><dt>${messages.fields.name}</dt><dd><bdi>${name}</bdi></dd></div>
<div><dt>${messages.fields.email}</dt><dd class="host">${email}</dd></div>
</dl>
${form({
  action: '/invitation',
  csrf,
  body: html`${hiddenInput('token', token)}${usernameField(email, 'email')}${newPassword(view, messages.fields.password)}
${submitButton({ text: text.action })}`,
})}
<p class="aside">${text.changeLater}</p>`;
}
