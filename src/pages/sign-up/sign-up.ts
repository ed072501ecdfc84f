// /signup: creates an account and signs the user in.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { cleanName } from '../../accounts/account-fields.ts';
import { mayRequestEmail, maySignUp } from '../../accounts/rate-limits.ts';
import { requestVerification } from '../../credentials/email-verification.ts';
import { requestPasswordReset } from '../../credentials/password-change.ts';
import {
  authenticatedByPassword,
  findStartedSession,
  startSession,
} from '../../credentials/session-start.ts';
import { signIn } from '../../credentials/sign-in.ts';
import { signUp } from '../../credentials/sign-up.ts';
import { PageError } from '../../http/page-error.ts';
import { readForm } from '../../http/parameters.ts';
import type { Services } from '../../http/services.ts';
import type { Locale, Messages } from '../../i18n/index.ts';
import { normalizeEmail } from '../../oauth/email.ts';
import { OAuthError } from '../../oauth/errors.ts';
import { emailKey } from '../../store/emails.ts';
import { localeOf } from '../../web/browser.ts';
import {
  newPasswordField,
  validateEmail,
  validateName,
  validateNewPassword,
} from '../../web/credential-forms.ts';
import { singleUseFormToken } from '../../web/csrf.ts';
import type { Rejection } from '../../web/form-errors.ts';
import { submitButton } from '../../web/html/buttons.ts';
import { emailField, textField } from '../../web/html/fields.ts';
import { type FormState, formStatus, loginForm } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { orDivider, type ProviderLink, providerLinks } from '../../web/html/identity-providers.ts';
import { cancelForm, destination } from '../../web/html/login-elements.ts';
import { providerLinksFor } from '../../web/identity-providers.ts';
import { addKnownBrowser } from '../../web/known-browsers.ts';
import { attemptContext, finishLogin, loginPage, signInContext } from '../../web/login.ts';
import {
  destinationClient,
  isAuthorizeUrl,
  loginUrl,
  type ReturnTo,
  returnFields,
} from '../../web/return-to.ts';
import { sealSentEmail } from '../../web/sent-email.ts';

export const signUpClosedError = (returnTo: ReturnTo): PageError =>
  new PageError(
    'signUpClosed',
    new OAuthError(403, 'access_denied', 'Sign-up is closed on this service.', { kind: 'sign_up_disabled' }),
    { restartUrl: loginUrl('/signin', returnTo) },
  );

/** Returns the sign-in page if sign-up is closed. */
export const signUpRestartUrl = ({ signUp }: Services['config']): string =>
  signUp === 'open' ? '/signup' : '/signin';

export function signUpPage(app: FastifyInstance, services: Services): void {
  const { attempts, config, hasher } = services;

  const emailTakenError = (returnTo: ReturnTo): Rejection => ({
    errors: [
      {
        field: 'email',
        text: ({ formErrors }) => formErrors.emailTaken,
        link: { href: loginUrl('/signin', returnTo), text: ({ signIn: text }) => text.action },
      },
    ],
  });

  /** Lets the mailbox's owner claim the unverified account. */
  async function sendClaimLink(
    request: FastifyRequest,
    reply: FastifyReply,
    returnTo: ReturnTo,
    email: string,
    locale: Locale,
  ) {
    if (!(await mayRequestEmail(services, signInContext(request).ip, services.now())))
      return {
        status: 429,
        errors: [{ text: ({ account }: Messages) => account.credentials.tooManyEmails }],
      };
    await requestPasswordReset(services, { email, locale, returnTo: returnFields(returnTo) });
    const token = sealSentEmail(reply, services, email);
    return loginUrl('/password/forgot', returnTo, { done: 'unverified', token });
  }

  const loginPageOptions = loginPage(services, '/signup');
  app.formPage({
    path: '/signup',
    ...loginPageOptions,
    async loadSubject(request, reply) {
      const returnTo = await loginPageOptions.loadSubject(request, reply);
      if (config.signUp === 'closed') throw signUpClosedError(returnTo);
      return returnTo;
    },
    initialFields: ({ page }) => ({ name: '', email: page?.pending.request.loginHint ?? '' }),
    parse: (form) => ({ name: cleanName(form.get('name') ?? ''), email: normalizeEmail(form.get('email')) }),
    async validate({ request, fields: { name, email } }) {
      const errors = [...validateName(name), ...validateEmail(email)];
      const password = readForm(request).get('password') ?? '';
      const userInputs = errors.length === 0 ? [name, email] : undefined;
      return [...errors, ...(await validateNewPassword(services, password, userInputs, 'password'))];
    },
    async act({ request, reply, subject: returnTo, fields: { name, email } }) {
      const token = singleUseFormToken(request, services, email);
      const context = signInContext(request);
      if (!(await maySignUp(services, context.ip, services.now())))
        return { status: 429, errors: [{ text: ({ account }) => account.credentials.tooManySignUps }] };
      const password = readForm(request).get('password') ?? '';
      const locale = localeOf(request, returnTo.page?.pending.request.uiLocales);
      const passwordHash = await hasher.hash(password);
      const attempt = attemptContext(request, services);
      // A repeated form must have the same password to find the session.
      const seeded = { ...context, seed: singleUseFormToken(request, services, email, password).seed };
      // Concurrent sign-ups with the same email address wait here without a database connection.
      const account = await attempts.perAccount(`sign-up ${emailKey(email)}`, attempt.withoutSlot, () =>
        signUp(services, { name, email, passwordHash, locale }, { ip: context.ip, token }, services.now()),
      );
      if (account.outcome === 'unverified') return sendClaimLink(request, reply, returnTo, email, locale);
      if (account.outcome !== 'created') return emailTakenError(returnTo);
      const { userId } = account;
      // If the first session has ended, a repeated submission signs in normally. The account may have
      // changed.
      const session = account.isRepeat
        ? ((await findStartedSession(services, userId, seeded, services.now())) ??
          (await signIn(services, { email, password }, attempt, context, services.now)))
        : await startSession(
            services,
            authenticatedByPassword(userId, { passwordHash }),
            seeded,
            services.now(),
            'signed_up',
          );
      // A concurrent sign-up with the same email address replaced the account.
      if (session === undefined || typeof session === 'string' || !('sid' in session))
        return emailTakenError(returnTo);
      addKnownBrowser(reply, services, session, 'account');
      if (!services.mailer.available) return () => finishLogin(reply, session, returnTo);
      const recipient = { userId, email, locale, ...context };
      await requestVerification(services, recipient, services.now(), returnFields(returnTo)).catch((error) =>
        request.log.warn({ err: error }, 'could not prepare the verification email'),
      );
      // Users who came from a client return to it immediately and verify their email address later.
      const { page, next = '/account' } = returnTo;
      if (page !== undefined || isAuthorizeUrl(next)) return () => finishLogin(reply, session, returnTo);
      const verify = `/account/verify?done=welcome&next=${encodeURIComponent(next)}`;
      return () => finishLogin(reply, session, { page, next: verify });
    },
    async render({ subject: returnTo, fields }) {
      const providers = await providerLinksFor(services, returnTo);
      return {
        returnTo,
        usesFetch: true,
        title: (messages) => messages.signUp.title,
        main: (form) =>
          signUpView({
            ...form,
            ...fields,
            application: destinationClient(returnTo),
            providers,
            signInHref: loginUrl('/signin', returnTo),
          }),
      };
    },
  });
}

function signUpView(
  view: FormState & {
    application: { name: string; host: string } | undefined;
    name: string;
    email: string;
    providers: readonly ProviderLink[];
    signInHref: string;
  },
): Html {
  const { messages, errors } = view;
  const { fields, signUp: text } = messages;
  return html`${formStatus(view)}
<h1>${text.title}</h1>
${view.application && destination(messages.signIn.continueTo, view.application)}
${view.providers.length > 0 && html`${providerLinks(messages, view.providers)}${orDivider(messages)}`}
${loginForm(
  view,
  '/signup',
  html`${textField({
    name: 'name',
    label: fields.name,
    hint: fields.nameHint,
    value: view.name,
    autocomplete: 'name',
    autofocus: errors.length === 0 && view.providers.length === 0,
    errors,
  })}
${emailField({ label: fields.email, value: view.email, errors })}
${newPasswordField(view, fields.password, 'password')}
${submitButton({ text: text.action })}`,
)}
<p class="aside">${text.alreadyAnAccount} <a href="${view.signInHref}">${messages.signIn.action}</a></p>
${cancelForm(view, view.application)}`;
}
