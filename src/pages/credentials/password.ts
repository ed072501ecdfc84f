// /account/password changes the password, /account/security/password adds or removes one.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { changePassword, choosePassword, givePasswordUp } from '../../credentials/password-change.ts';
import { formOf } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import type { Messages } from '../../i18n/index.ts';
import { fromOf } from '../../web/browser.ts';
import { newPasswordFaults, newPasswordField } from '../../web/credential-forms.ts';
import type { Fault } from '../../web/faults.ts';
import { accountFrame } from '../../web/html/account-frame.ts';
import {
  confirmationByPasskey,
  confirmationCode,
  type FormState,
  form,
  formStatus,
  passwordField,
  submitButton,
  usernameField,
} from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { ago } from '../../web/html/time.ts';
import { rememberBrowser } from '../../web/known-browsers.ts';
import { finishLogin, originOf } from '../../web/login.ts';
import { memberOf } from '../../web/member.ts';
import { hasMore, ownPassword } from '../../web/reauthentication.ts';
import { SECURITY, securityForm } from './security-form-view.ts';

const PASSWORD = `${SECURITY}/password`;

const PATH = '/account/password';

export function passwordPage(area: FastifyInstance, parts: Parts): void {
  area.formPage({
    url: PATH,
    about: memberOf,
    elsewhere: ({ hasPassword }) => (hasPassword ? undefined : PASSWORD),
    read: () => ({}),
    async faults({ request, about: { name, email } }) {
      const { current, password } = typed(request);
      const faults: Fault[] = await newPasswordFaults(parts, password, [name, email]);
      if (current === undefined)
        faults.unshift({ field: 'current_password', text: ({ problems }) => problems.passwordMissing });
      else if (current === password)
        faults.push({ field: 'new_password', text: ({ account }) => account.credentials.password.same });
      return faults;
    },
    // The password is checked below in any case.
    proof: ({ about }) => hasMore(about),
    async act({ request, reply, authentication }) {
      const { current = '', password } = typed(request);
      const { sid, idHash, startedAt: since } = memberOf(request);
      const origin = originOf(request);
      const user = await ownPassword(request, parts, current);
      if (user === undefined)
        return { faults: [{ field: 'current_password', text: ({ problems }) => problems.passwordWrong }] };
      // With MFA, the password alone doesn't re-authenticate (ADR 13).
      const shown = authentication ?? { methods: ['pwd'] as const, fullyProvenAt: parts.now() };
      const { methods, fullyProvenAt } = shown;
      const { userId, passwordHash } = user;
      const { locale } = fromOf(request);
      const holder = { userId, passwordHash, sid, methods, fullyProvenAt, idHash, since, locale };
      const session = await changePassword(parts, holder, password, origin, parts.now);
      if (session === undefined)
        return {
          status: 409,
          faults: [{ text: ({ account }) => account.credentials.password.changedMeanwhile }],
        };
      rememberBrowser(reply, parts, session, 'password');
      const returnTo = { page: undefined, next: `${PATH}?done=changed` };
      return () => finishLogin(reply, session, returnTo);
    },
    done: ({ account }) => account.credentials.password.done,
    page: () => ({
      asks: true,
      title: (messages) => messages.fields.password,
      main: passwordView,
    }),
  });
}

const typed = (request: FastifyRequest) => {
  const form = formOf(request);
  return { current: form.get('current_password'), password: form.get('new_password') ?? '' };
};

function passwordView(view: FormState): Html {
  const { messages, csrf, errors } = view;
  const text = messages.account.credentials.password;
  return accountFrame(
    messages,
    'security',
    html`${formStatus(view)}
<h1>${messages.fields.password}</h1>
<p class="lead">${text.text}</p>
${form({
  action: PATH,
  csrf,
  body: html`${usernameField(view.username)}${passwordField({
    name: 'current_password',
    label: messages.fields.confirmPassword,
    autocomplete: 'current-password',
    errors,
  })}
${confirmationByPasskey(view, messages.passkeys.askedInstead)}
${confirmationCode(view)}
${newPasswordField(view)}
${submitButton({ text: text.action })}`,
})}
<p class="aside"><a href="/password/forgot?next=%2Faccount%2Fpassword">${messages.account.credentials.forgot.link}</a></p>`,
    { within: true },
  );
}

export function securityPasswordPages(area: FastifyInstance, parts: Parts): void {
  const actorOf = (request: FastifyRequest) => {
    const { userId, sid, startedAt: since } = memberOf(request);
    return { userId, sid, since, ...fromOf(request) };
  };

  area.formPage({
    url: PASSWORD,
    about: memberOf,
    elsewhere: ({ hasPassword }) => (hasPassword ? SECURITY : undefined),
    read: () => ({}),
    faults: ({ request, about: { name, email } }) =>
      newPasswordFaults(parts, typed(request).password, [name, email]),
    proof: true,
    async act({ request }) {
      await choosePassword(parts, actorOf(request), typed(request).password, parts.now());
      return `${SECURITY}?done=password-added`;
    },
    page: () => ({
      asks: true,
      title: (messages) => messages.account.security.ownPassword.add,
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
    inTransaction: true,
    async act({ request }, transaction) {
      if (!(await givePasswordUp(transaction, actorOf(request), parts.now())))
        return { status: 409, faults: [{ text: ({ account }) => account.security.ownPassword.tooFew }] };
      return { to: `${SECURITY}?done=password-removed`, notice: 'password_removed' };
    },
    page: () => ({
      title: (messages) => messages.account.security.ownPassword.removeTitle,
      main: removePasswordView,
    }),
  });
}

export function passwordRow(
  { hasPassword, chosenAt, mayGiveUp }: { hasPassword: boolean; chosenAt: Date | null; mayGiveUp: boolean },
  messages: Messages,
): Html {
  const text = messages.account.security;
  if (!hasPassword)
    return html`<div><dt>${messages.fields.password}</dt><dd class="row"><span class="quiet">${text.ownPassword.none}</span><a class="change" href="${PASSWORD}">${text.ownPassword.add}</a></dd></div>`;
  const said = chosenAt === null ? text.passwordSet : html`${text.passwordChosen} ${ago(chosenAt, messages)}`;
  return html`<div><dt>${messages.fields.password}</dt><dd class="row"><span>${said}</span><span class="changes"><a class="change" href="/account/password">${text.change}<span class="unseen"> ${text.changePassword}</span></a>${
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
    title: text.add,
    lead: text.addText,
    below: 'password',
    fields: html`${usernameField(view.username)}${newPasswordField(view, fields.password)}`,
    does: { text: text.add },
  });
}
