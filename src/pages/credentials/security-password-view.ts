// Owns the look of giving the password up, and of having one again.
import type { Messages } from '../../i18n/index.ts';
import { type FormState, usernameField } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { ago } from '../../web/html/time.ts';
import { newPassword } from './password-view.ts';
import { SECURITY, securityForm } from './security-form-view.ts';

export const PASSWORD = `${SECURITY}/password`;

/** The line among what opens the account. */
export function passwordRow(
  { hasPassword, chosenAt, mayGiveUp }: { hasPassword: boolean; chosenAt: Date | null; mayGiveUp: boolean },
  messages: Messages,
): Html {
  const text = messages.account.security;
  if (!hasPassword)
    return html`<div><dt>${text.password}</dt><dd class="row"><span class="quiet">${text.ownPassword.none}</span><a class="change" href="${PASSWORD}">${text.ownPassword.add}</a></dd></div>`;
  const said = chosenAt === null ? text.passwordSet : html`${text.passwordChosen} ${ago(chosenAt, messages)}`;
  return html`<div><dt>${text.password}</dt><dd class="row"><span>${said}</span><span class="changes"><a class="change" href="/account/password">${text.change}<span class="unseen"> ${text.changePassword}</span></a>${
    mayGiveUp &&
    html`<a class="change" href="${PASSWORD}/remove">${text.remove}<span class="unseen"> ${text.changePassword}</span></a>`
  }</span></dd></div>`;
}

export function removePasswordView(view: FormState): Html {
  const text = view.messages.account.security.ownPassword;
  return securityForm(view, {
    title: text.removeTitle,
    lead: text.removeText,
    below: 'password/remove',
    does: { text: text.removeAction, kind: 'danger' },
  });
}

export function addPasswordView(view: FormState): Html {
  const { account, fields } = view.messages;
  const text = account.security.ownPassword;
  return securityForm(view, {
    title: text.addTitle,
    lead: text.addText,
    below: 'password',
    // Without a password the proof asks for none, and names nobody.
    fields: html`${usernameField(view.username)}${newPassword(view, fields.password)}`,
    does: { text: text.add },
  });
}
