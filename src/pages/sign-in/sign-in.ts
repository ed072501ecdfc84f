// /signin and /signin/cancel: signs users in with a password or passkey.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { EmailCodeRequired, PendingMfaSignIn, signIn } from '../../credentials/sign-in.ts';
import { readForm, readQuery, requireForm } from '../../http/parameters.ts';
import type { Services } from '../../http/services.ts';
import type { Messages } from '../../i18n/index.ts';
import { normalizeEmail } from '../../oauth/email.ts';
import { sendAccessDenied } from '../../web/authorization-response.ts';
import { activeSessionId } from '../../web/browser.ts';
import { validateEmail } from '../../web/credential-forms.ts';
import { requireBrowserFormToken } from '../../web/csrf.ts';
import { findProviderToLink } from '../../web/external-identity.ts';
import { suspendedError } from '../../web/form-errors.ts';
import { submitButton } from '../../web/html/buttons.ts';
import { emailField, passwordField } from '../../web/html/fields.ts';
import { type FormState, formStatus, loginForm } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { orDivider, type ProviderLink, providerLinks } from '../../web/html/identity-providers.ts';
import { cancelForm, destination, loginPurpose } from '../../web/html/login-elements.ts';
import { attentionNotice } from '../../web/html/notices.ts';
import { passkeyButton, passkeyCapabilityInput, passkeyScriptNotice } from '../../web/html/passkey.ts';
import { providerLinksFor } from '../../web/identity-providers.ts';
import { notifyNewSignIn } from '../../web/known-browsers.ts';
import {
  attemptContext,
  backLink,
  finishPasswordLogin,
  isAddingAccount,
  loginPage,
  loginWithPasskey,
  secondFactorUrl,
  signInContext,
} from '../../web/login.ts';
import { passkeyPageOptions, passkeySignInOptions } from '../../web/passkeys.ts';
import { nextStepOf } from '../../web/pending-requests.ts';
import {
  addAccountUrl,
  destinationClient,
  loginUrl,
  parseReturnTo,
  type ReturnTo,
} from '../../web/return-to.ts';
import { startEmailCodeSignIn } from './email-code.ts';

const CANCEL_PATH = '/signin/cancel';

export function signInPage(app: FastifyInstance, services: Services): void {
  app.formPage({
    path: '/signin',
    ...loginPage(services, '/signin'),
    initialFields: ({ page }) => ({
      email: page?.pending.request.loginHint ?? getReauthenticationEmail(page) ?? '',
    }),
    parse: (form) => ({ email: normalizeEmail(form.get('email')) }),
    validate({ request, fields: { email } }) {
      if (readForm(request).get('passkey') !== undefined) return [];
      const errors = validateEmail(email);
      if (readForm(request).get('password') === undefined)
        errors.push({ field: 'password', text: ({ formErrors }) => formErrors.passwordRequired });
      return errors;
    },
    expiredText: ({ formErrors }) => formErrors.signInExpired,
    async act({ request, reply, subject: returnTo, fields: { email } }) {
      if (readForm(request).get('passkey') !== undefined)
        return loginWithPasskey(request, reply, services, returnTo);
      const session = await signIn(
        services,
        { email, password: readForm(request).get('password') ?? '' },
        attemptContext(request, services),
        signInContext(request),
        services.now,
      );
      if (session === undefined)
        return { status: 401, errors: [{ text: ({ formErrors }) => formErrors.wrongCredentials }] };
      if (session === 'suspended') return { status: 403, errors: [suspendedError(services.config)] };
      if (session instanceof PendingMfaSignIn) return secondFactorUrl(reply, services, session, returnTo);
      if (session instanceof EmailCodeRequired)
        return startEmailCodeSignIn(
          request,
          reply,
          services,
          { userId: session.user?.userId, email },
          returnTo,
        );
      await notifyNewSignIn(reply, services, session);
      return () => finishPasswordLogin(request, reply, session, returnTo);
    },
    async render({ request, reply, subject: returnTo, fields: { email } }) {
      const backHref = await backLink(request, services, returnTo);
      const passkey = await passkeySignInOptions(reply, services);
      const linking = await findProviderToLink(request, services, returnTo.next);
      const providers = await providerLinksFor(services, returnTo, linking);
      const urlOf = isAddingAccount(request) ? addAccountUrl : loginUrl;
      return {
        returnTo,
        ...passkeyPageOptions(passkey),
        title: (messages) => messages.signIn.title,
        main: (form) =>
          signInView({
            ...form,
            application: destinationClient(returnTo),
            reason: signInReason(request, returnTo),
            linking: linking?.name,
            email,
            back: backHref,
            passkey,
            providers,
            forgotHref: loginUrl('/password/forgot', returnTo),
            signUpHref: services.config.signUp === 'open' ? urlOf('/signup', returnTo) : undefined,
          }),
      };
    },
  });

  /** Returns the account's email address if the client requires a new sign-in. */
  const getReauthenticationEmail = (page: ReturnTo['page']): string | undefined =>
    page && nextStepOf(services, page).next === 'sign-in' ? page.context.session?.email : undefined;

  /**
   * Users with a live session are never sent to this page, so a session cookie means that the session has
   * expired.
   */
  function signInReason(request: FastifyRequest, { page, next }: ReturnTo) {
    if (readQuery(request).get('done') === 'providerCanceled') return 'providerCanceled';
    if (page !== undefined || next === undefined || isAddingAccount(request)) return undefined;
    if (activeSessionId(request) === undefined) return next.startsWith('/device') ? undefined : 'asks';
    return 'sessionOver';
  }

  // Require POST because browsers may prefetch links.
  app.post(CANCEL_PATH, { preHandler: requireForm }, async (request, reply) => {
    const { page } = await parseReturnTo(request, reply, services);
    requireBrowserFormToken(request, services);
    if (page === undefined) return reply.redirect('/', 303);
    const { request: authorization } = page.pending;
    return sendAccessDenied(request, reply, services, authorization, 'The user canceled the sign-in.');
  });
  app.get(CANCEL_PATH, async (_request, reply) => reply.redirect('/', 303));
}

type SignInView = FormState & {
  application: { name: string; host: string } | undefined;
  reason: 'asks' | 'sessionOver' | 'providerCanceled' | undefined;
  /** Name of the provider whose identity will be linked after the sign-in. */
  linking: string | undefined;
  email: string;
  /** Leads to the signed-in account, or to the account chooser if there are several. */
  back: { href: string; name: string | undefined } | undefined;
  providers: readonly ProviderLink[];
  forgotHref: string;
  signUpHref: string | undefined;
};

function signInView(view: SignInView): Html {
  const { messages, errors, back, email, passkey } = view;
  const hasNoErrors = errors.length === 0;
  return html`${formStatus(view)}
<h1>${messages.signIn.title}</h1>
${view.application ? destination(messages.signIn.continueTo, view.application) : loginPurpose(messages, view.next)}
${hasNoErrors && reasonView(messages, view)}
${loginForm(
  view,
  '/signin',
  html`${passkey !== undefined && passkeyCapabilityInput}${emailField({
    label: messages.fields.email,
    value: email,
    autocomplete: 'username webauthn',
    autofocus: hasNoErrors && email === '',
    errors,
  })}
${passwordField({
  name: 'password',
  label: messages.fields.password,
  autocomplete: 'current-password',
  autofocus: hasNoErrors && email !== '',
  errors,
})}
${submitButton({ text: messages.signIn.action })}
<a class="forgot" href="${view.forgotHref}">${messages.account.credentials.forgot.link}</a>`,
)}
${view.providers.length > 0 && orDivider(messages)}
${
  passkey !== undefined &&
  loginForm(view, '/signin', html`${passkeyButton(messages, passkey, messages.passkeys.signIn)}`)
}
${providerLinks(messages, view.providers)}
${passkeyScriptNotice(messages, passkey)}
${view.signUpHref && html`<p class="aside">${messages.signIn.noAccountYet} <a href="${view.signUpHref}">${messages.signIn.signUp}</a></p>`}
${back && html`<p class="aside"><a href="${back.href}">${back.name === undefined ? messages.accounts.choose : messages.accounts.continueAs(back.name)}</a></p>`}
${cancelForm(view, view.application)}`;
}

const reasonView = ({ signIn }: Messages, { reason, linking }: SignInView): Html | undefined => {
  if (linking !== undefined && reason !== 'providerCanceled')
    return html`<p class="destination">${signIn.linking(linking)}</p>`;
  if (reason === undefined) return undefined;
  if (reason === 'sessionOver') return attentionNotice(signIn.sessionOver);
  const text = reason === 'asks' ? signIn.required : signIn.providerCanceled;
  return html`<p class="destination">${text}</p>`;
};
