// /account/security/password: adds or removes the password.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { choosePassword, givePasswordUp } from '../../credentials/password-change.ts';
import { formOf } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import { addressOf } from '../../http/rate-limit.ts';
import type { Messages } from '../../i18n/index.ts';
import { newPasswordFaults, newPasswordField } from '../../web/credential-forms.ts';
import { type FormState, usernameField } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { ago } from '../../web/html/time.ts';
import { memberOf } from '../../web/member.ts';
import { SECURITY, securityForm } from './security-form-view.ts';

export function securityPasswordPages(area: FastifyInstance, parts: Parts): void {
  const actorOf = (request: FastifyRequest) => {
    const { userId, sid } = memberOf(request);
    return { userId, sid, address: addressOf(request) };
  };
  const typed = (request: FastifyRequest) => formOf(request).get('new_password') ?? '';

  area.formPage({
    url: PASSWORD,
    about: memberOf,
    elsewhere: ({ hasPassword }) => (hasPassword ? SECURITY : undefined),
    read: () => ({}),
    faults: ({ request, about: { name, email } }) => newPasswordFaults(parts, typed(request), [name, email]),
    proof: true,
    async act({ request }) {
      const added = await choosePassword(parts, actorOf(request), typed(request), parts.now());
      return { to: `${SECURITY}?done=password-added`, notice: added ? 'password_added' : undefined };
    },
    page: () => ({
      asks: true,
      title: (messages) => messages.account.security.ownPassword.addTitle,
      main: addPasswordView,
    }),
  });

  area.formPage({
    url: `${PASSWORD}/remove`,
    about: memberOf,
    elsewhere: ({ hasPassword }) => (hasPassword ? undefined : SECURITY),
    read: () => ({}),
    verifiedEmail: true,
    proof: true,
    async act({ request }) {
      if (!(await givePasswordUp(parts, actorOf(request), parts.now())))
        return { status: 409, faults: [{ text: ({ account }) => account.security.ownPassword.tooFew }] };
      return { to: `${SECURITY}?done=password-removed`, notice: 'password_removed' };
    },
    page: () => ({
      title: (messages) => messages.account.security.ownPassword.removeTitle,
      main: removePasswordView,
    }),
  });
}

export const PASSWORD = `${SECURITY}/password`;

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

function removePasswordView(view: FormState): Html {
  const text = view.messages.account.security.ownPassword;
  return securityForm(view, {
    title: text.removeTitle,
    lead: text.removeText,
    below: 'password/remove',
    does: { text: text.removeAction, kind: 'danger' },
  });
}

function addPasswordView(view: FormState): Html {
  const { account, fields } = view.messages;
  const text = account.security.ownPassword;
  return securityForm(view, {
    title: text.addTitle,
    lead: text.addText,
    below: 'password',
    // Without a password the proof asks for none, and names nobody.
    fields: html`${usernameField(view.username)}${newPasswordField(view, fields.password)}`,
    does: { text: text.add },
  });
}
