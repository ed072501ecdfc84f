// Changes the password (/account/password) and adds or removes it (/account/security/password).
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { addOwnPassword, changePassword, removeOwnPassword } from '../../credentials/password-change.ts';
import { readForm } from '../../http/parameters.ts';
import type { Services } from '../../http/services.ts';
import { findMfaFactors } from '../../store/mfa-factors.ts';
import { requestContext } from '../../web/browser.ts';
import { newPasswordField, validateNewPassword } from '../../web/credential-forms.ts';
import type { ValidationError } from '../../web/form-errors.ts';
import { accountLayout } from '../../web/html/account-layout.ts';
import { submitButton } from '../../web/html/buttons.ts';
import { passwordField, usernameField } from '../../web/html/fields.ts';
import { type FormState, form, formStatus } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import {
  passkeyReauthentication,
  reauthenticationCodeField,
} from '../../web/html/reauthentication-fields.ts';
import { addKnownBrowser } from '../../web/known-browsers.ts';
import { finishLogin, signInContext } from '../../web/login.ts';
import { checkCurrentPassword, hasMfa } from '../../web/reauthentication.ts';
import { signedInUser } from '../../web/session-guard.ts';
import { neededMethodRejection, SECURITY_URL, securityForm } from './security-form-view.ts';

const SECURITY_PASSWORD_PATH = `${SECURITY_URL}/password`;
const CHANGE_PASSWORD_PATH = '/account/password';

export function changePasswordPage(area: FastifyInstance, services: Services): void {
  area.formPage({
    path: CHANGE_PASSWORD_PATH,
    loadSubject: signedInUser,
    respondInstead: ({ hasPassword }) => (hasPassword ? undefined : SECURITY_PASSWORD_PATH),
    parse: () => ({}),
    async validate({ request, subject: { name, email } }) {
      const { current, password } = readPasswords(request);
      const errors: ValidationError[] = await validateNewPassword(services, password, [name, email]);
      if (current === undefined)
        errors.unshift({ field: 'current_password', text: ({ formErrors }) => formErrors.passwordMissing });
      else if (current === password)
        errors.push({ field: 'new_password', text: ({ account }) => account.credentials.password.same });
      return errors;
    },
    // Without MFA, `act` checks only the current password.
    requiresReauthentication: ({ subject }) => hasMfa(subject),
    async act({ request, reply, authentication }) {
      const { current = '', password } = readPasswords(request);
      const { sid, idHash, startedAt: since } = signedInUser(request);
      const context = signInContext(request);
      const user = await checkCurrentPassword(request, services, current);
      if (user === undefined)
        return {
          errors: [{ field: 'current_password', text: ({ formErrors }) => formErrors.passwordWrong }],
        };
      // With MFA, the password alone isn't sufficient for re-authentication (ADR 13).
      const proof = authentication ?? { methods: ['pwd'] as const, allFactorsAt: services.now() };
      const { methods, allFactorsAt } = proof;
      const { userId, passwordHash } = user;
      const { locale } = requestContext(request);
      const holder = { userId, passwordHash, sid, methods, allFactorsAt, idHash, since, locale };
      const session = await changePassword(services, holder, password, context, services.now);
      if (session === undefined)
        return {
          status: 409,
          errors: [{ text: ({ account }) => account.credentials.password.changedMeanwhile }],
        };
      addKnownBrowser(reply, services, session, 'password');
      const returnTo = { page: undefined, next: `${CHANGE_PASSWORD_PATH}?done=changed` };
      return () => finishLogin(reply, session, returnTo);
    },
    doneMessages: ({ account }) => account.credentials.password.done,
    render: () => ({
      usesFetch: true,
      title: (messages) => messages.fields.password,
      main: passwordView,
    }),
  });
}

const readPasswords = (request: FastifyRequest) => {
  const form = readForm(request);
  return { current: form.get('current_password'), password: form.get('new_password') ?? '' };
};

function passwordView(view: FormState): Html {
  const { messages, csrf, errors } = view;
  const text = messages.account.credentials.password;
  return accountLayout(
    messages,
    'security',
    html`${formStatus(view)}
<h1>${messages.fields.password}</h1>
<p class="lead">${text.text}</p>
${form({
  action: CHANGE_PASSWORD_PATH,
  csrf,
  body: html`${usernameField(view.username)}${passwordField({
    name: 'current_password',
    label: messages.fields.confirmPassword,
    autocomplete: 'current-password',
    errors,
  })}
${passkeyReauthentication(view, messages.passkeys.askedInstead)}
${reauthenticationCodeField(view)}
${newPasswordField(view)}
${submitButton({ text: text.action })}`,
})}
<p class="aside"><a href="/password/forgot?next=%2Faccount%2Fpassword">${messages.account.credentials.forgot.link}</a></p>`,
    { within: true },
  );
}

export function addAndRemovePasswordPages(area: FastifyInstance, services: Services): void {
  const actorOf = (request: FastifyRequest) => {
    const { userId, sid, startedAt: since } = signedInUser(request);
    return { userId, sid, since, ...requestContext(request) };
  };

  area.formPage({
    path: SECURITY_PASSWORD_PATH,
    loadSubject: signedInUser,
    respondInstead: ({ hasPassword }) => (hasPassword ? SECURITY_URL : undefined),
    parse: () => ({}),
    validate: ({ request, subject: { name, email } }) =>
      validateNewPassword(services, readPasswords(request).password, [name, email]),
    requiresReauthentication: true,
    async act({ request }) {
      await addOwnPassword(services, actorOf(request), readPasswords(request).password, services.now());
      return `${SECURITY_URL}?done=password-added`;
    },
    render: () => ({
      usesFetch: true,
      title: (messages) => messages.account.security.ownPassword.add,
      main: addPasswordView,
    }),
  });

  area.formPage({
    path: `${SECURITY_PASSWORD_PATH}/remove`,
    loadSubject: signedInUser,
    respondInstead: ({ hasPassword }) => (hasPassword ? undefined : SECURITY_URL),
    parse: () => ({}),
    requiresVerifiedEmail: true,
    requiresReauthentication: true,
    inTransaction: true,
    async act({ request }, transaction) {
      if (!(await removeOwnPassword(transaction, actorOf(request), services.now())))
        return neededMethodRejection(services, 'tooFew');
      return { to: `${SECURITY_URL}?done=password-removed`, notice: 'password_removed' };
    },
    async render({ subject: { userId, passkeyMethods } }) {
      const { recoveryCodes } = await findMfaFactors(services.database, userId);
      const offersCodes = passkeyMethods.length > 0 && recoveryCodes === 0;
      return {
        title: (messages) => messages.account.security.ownPassword.removeTitle,
        main: (form) => removePasswordView(form, offersCodes),
      };
    },
  });
}

function removePasswordView(view: FormState, offersCodes: boolean): Html {
  const text = view.messages.account.security.ownPassword;
  return securityForm(view, {
    title: text.removeTitle,
    lead: text.removeText,
    path: 'password/remove',
    submit: { text: text.removeAction, kind: 'danger' },
    offersCodes,
  });
}

function addPasswordView(view: FormState): Html {
  const { account, fields } = view.messages;
  const text = account.security.ownPassword;
  return securityForm(view, {
    title: text.add,
    lead: text.addText,
    path: 'password',
    fields: html`${usernameField(view.username)}${newPasswordField(view, fields.password)}`,
    submit: { text: text.add },
  });
}
