// /signup: creating an account.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { cleanName } from '../../accounts/account-fields.ts';
import { mayAskForMail, maySignUp } from '../../accounts/limits.ts';
import { askForVerification } from '../../credentials/email-address.ts';
import { askForReset } from '../../credentials/password-change.ts';
import { byPassword, startSession } from '../../credentials/session-start.ts';
import { signIn } from '../../credentials/sign-in.ts';
import { signUp } from '../../credentials/sign-up.ts';
import { PageFault } from '../../http/failures.ts';
import { formOf } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import type { Locale, Messages } from '../../i18n/index.ts';
import { readEmail } from '../../oauth/email.ts';
import { OAuthError } from '../../oauth/errors.ts';
import { localeOf } from '../../web/browser.ts';
import { emailFaults, nameFaults, newPasswordFaults, newPasswordField } from '../../web/credential-forms.ts';
import { oneUse } from '../../web/csrf.ts';
import type { Refusal } from '../../web/faults.ts';
import { cancelForm, destination } from '../../web/html/entrance.ts';
import {
  emailField,
  type FormState,
  formStatus,
  loginForm,
  submitButton,
  textField,
} from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { rememberBrowser } from '../../web/known-browsers.ts';
import { attemptingOf, finishLogin, loginPage, originOf } from '../../web/login.ts';
import { destinationOf, isAuthorizeUrl, loginUrl, type ReturnTo, returnFields } from '../../web/return-to.ts';

export function signUpPage(app: FastifyInstance, parts: Parts): void {
  const { config, hasher } = parts;

  const taken = (returnTo: ReturnTo): Refusal => ({
    faults: [
      {
        field: 'email',
        text: ({ problems }) => problems.emailTaken,
        link: { href: loginUrl('/signin', returnTo), text: ({ signIn: text }) => text.action },
      },
    ],
  });

  /** The email is that of an account that nobody has verified: its owner takes it over by a link. */
  async function sendTakeoverLink(
    request: FastifyRequest,
    returnTo: ReturnTo,
    email: string,
    locale: Locale,
  ) {
    if (!(await mayAskForMail(parts, originOf(request).address, parts.now())))
      return { status: 429, faults: [{ text: ({ account }: Messages) => account.credentials.tooManyMails }] };
    await askForReset(parts, { email, locale, returnTo: returnFields(returnTo) });
    return loginUrl('/password/forgot', returnTo, { done: 'unverified' });
  }

  const way = loginPage(parts, '/signup');
  app.formPage({
    url: '/signup',
    ...way,
    about(request, reply) {
      if (config.signUp === 'closed')
        throw new PageFault(
          'signUpClosed',
          new OAuthError(403, 'access_denied', 'Sign-up is closed on this service.', {
            kind: 'sign_up_closed',
          }),
        );
      return way.about(request, reply);
    },
    begin: ({ page }) => ({ name: '', email: page?.pending.request.loginHint ?? '' }),
    read: (form) => ({ name: cleanName(form.get('name') ?? ''), email: readEmail(form.get('email')) }),
    async faults({ request, fields: { name, email } }) {
      const faults = [...nameFaults(name), ...emailFaults(email)];
      const password = formOf(request).get('password') ?? '';
      const about = faults.length === 0 ? [name, email] : undefined;
      return [...faults, ...(await newPasswordFaults(parts, password, about, 'password'))];
    },
    async act({ request, reply, about: returnTo, fields: { name, email } }) {
      const origin = originOf(request);
      if (!(await maySignUp(parts, origin.address, parts.now())))
        return { status: 429, faults: [{ text: ({ account }) => account.credentials.tooManySignUps }] };
      const password = formOf(request).get('password') ?? '';
      // Mails will be in the language of this page, until the person chooses another.
      const locale = localeOf(request, returnTo.page?.pending.request.uiLocales);
      const passwordHash = await hasher.hash(password);
      const from = { ...origin, token: oneUse(request, parts, email) };
      const account = await signUp(parts, { name, email, passwordHash, locale }, from, parts.now());
      if (account.outcome === 'unverified') return sendTakeoverLink(request, returnTo, email, locale);
      if (account.outcome === 'taken') return taken(returnTo);
      const { userId } = account;
      // A form that is sent twice signs in the second time, because its account may have changed.
      const session = account.again
        ? await signIn(parts, { email, password }, attemptingOf(request, parts), origin, parts.now)
        : await startSession(parts, byPassword(userId, { passwordHash }), origin, parts.now(), 'signed_up');
      // Somebody else has just signed up with the address, too, and replaced the account.
      if (session === undefined || typeof session === 'string' || !('sid' in session)) return taken(returnTo);
      rememberBrowser(reply, parts, session, 'account');
      if (!parts.mailer.available) return () => finishLogin(reply, session, returnTo);
      const asker = { userId, email, locale, ...origin };
      await askForVerification(parts, asker, parts.now(), returnFields(returnTo)).catch((error) =>
        request.log.warn({ err: error }, 'a verification mail could not be prepared'),
      );
      // Whoever is on the way to an application goes on at once, and may verify the address later.
      const { page, next = '/account' } = returnTo;
      if (page !== undefined || isAuthorizeUrl(next)) return () => finishLogin(reply, session, returnTo);
      const verify = `/account/verify?done=welcome&next=${encodeURIComponent(next)}`;
      return () => finishLogin(reply, session, { page, next: verify });
    },
    page: ({ about: returnTo, fields }) => ({
      returnTo,
      asks: true,
      title: (messages) => messages.signUp.title,
      main: (form) =>
        signUpView({
          ...form,
          ...fields,
          application: destinationOf(returnTo),
          signInHref: loginUrl('/signin', returnTo),
        }),
    }),
  });
}

function signUpView(
  view: FormState & {
    application: { name: string; host: string } | undefined;
    name: string;
    email: string;
    signInHref: string;
  },
): Html {
  const { messages, errors } = view;
  const { fields, signUp: text } = messages;
  return html`${formStatus(view)}
<h1>${text.title}</h1>
${view.application && destination(messages.signIn.continueTo, view.application)}
${loginForm(
  view,
  '/signup',
  html`${textField({
    name: 'name',
    label: fields.name,
    hint: fields.nameHint,
    value: view.name,
    autocomplete: 'name',
    autofocus: errors.length === 0,
    errors,
  })}
${emailField({ label: fields.email, value: view.email, errors })}
${newPasswordField(view, fields.password, 'password')}
${submitButton({ text: text.action })}`,
)}
<p class="aside">${text.alreadyAnAccount} <a href="${view.signInHref}">${messages.signIn.action}</a></p>
${cancelForm(view, view.application)}`;
}
