// Owns the look of giving the password up, and of having one again.
import type { Messages } from '../../i18n/index.ts';
import { accountFrame } from '../../web/html/account-frame.ts';
import { confirmationField, type FormState, form, formStatus } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { ago } from '../../web/html/time.ts';
import { newPassword } from './password-view.ts';
import { orNot, SECURITY } from './security-passkeys-view.ts';

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
  const { messages } = view;
  const text = messages.account.security.ownPassword;
  return accountFrame(
    messages,
    'security',
    html`${formStatus(view)}
<h1>${text.removeTitle}</h1>
<p class="lead">${text.removeText}</p>
${form({
  action: `${PASSWORD}/remove`,
  csrf: view.csrf,
  body: html`${confirmationField(view)}
${orNot(messages, { text: text.removeAction, kind: 'danger' })}`,
})}`,
    { within: true },
  );
}

export function addPasswordView(view: FormState): Html {
  const { messages } = view;
  const text = messages.account.security.ownPassword;
  return accountFrame(
    messages,
    'security',
    html`${formStatus(view)}
<h1>${text.addTitle}</h1>
<p class="lead">${text.addText}</p>
${form({
  action: PASSWORD,
  csrf: view.csrf,
  body: html`${newPassword(view, messages.fields.password)}
${confirmationField(view)}
${orNot(messages, { text: text.add })}`,
})}`,
    { within: true },
  );
}
