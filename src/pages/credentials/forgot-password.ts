// /password/forgot: sends a reset link, without revealing whether an account exists.
import type { FastifyInstance } from 'fastify';
import { mayRequestEmail } from '../../accounts/rate-limits.ts';
import { requestPasswordReset } from '../../credentials/password-change.ts';
import { readQuery } from '../../http/parameters.ts';
import { isSafeMethod } from '../../http/request.ts';
import type { Services } from '../../http/services.ts';
import type { Messages } from '../../i18n/index.ts';
import { normalizeEmail } from '../../oauth/email.ts';
import { requestContext } from '../../web/browser.ts';
import { validateEmail } from '../../web/credential-forms.ts';
import { createBrowserFormToken } from '../../web/csrf.ts';
import { buttonLink, submitButton } from '../../web/html/buttons.ts';
import { emailField, hiddenInput } from '../../web/html/fields.ts';
import { type FormState, formStatus, loginForm } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { cancelForm, destination } from '../../web/html/login-elements.ts';
import { resendForm } from '../../web/html/resend.ts';
import {
  destinationClient,
  loginUrl,
  parseReturnTo,
  type ReturnTo,
  returnFields,
} from '../../web/return-to.ts';
import { openSentEmail, sealSentEmail, secondsUntilResend } from '../../web/sent-email.ts';

const PATH = '/password/forgot';

export function forgotPasswordPage(app: FastifyInstance, services: Services): void {
  const { mailer, config } = services;

  app.formPage({
    path: PATH,
    loadSubject: (request, reply) => parseReturnTo(request, reply, services),
    respondInstead(returnTo, request, reply) {
      const signInHref = loginUrl('/signin', returnTo);
      if (!mailer.available)
        return () =>
          reply.page({
            returnTo,
            showsSupportContact: true,
            title: (messages) => messages.account.credentials.forgot.title,
            main: (messages) => noMailServerView(messages, signInHref),
          });
      const done = readQuery(request).get('done');
      if (!isSafeMethod(request) || (done !== 'sent' && done !== 'unverified')) return undefined;
      const sent = openSentEmail(request, services);
      const csrf = createBrowserFormToken(reply, services);
      return () =>
        reply.page({
          returnTo,
          title: (messages) => messages.account.credentials.forgot.sentTitle,
          main: (messages) =>
            linkSentView({
              messages,
              csrf,
              // `unverified` reveals nothing new because sign-up has already revealed that the account exists.
              text: messages.account.credentials.forgot[done](sent?.email),
              resend: sent && {
                email: sent.email,
                secondsLeft: secondsUntilResend(sent.sentAt, services),
              },
              done,
              returnTo,
              againHref: loginUrl(
                done === 'unverified' && config.signUp === 'open' ? '/signup' : PATH,
                returnTo,
              ),
            }),
        });
    },
    initialFields: ({ page }) => ({ email: page?.pending.request.loginHint ?? '', done: 'sent' }),
    parse: (form) => ({
      email: normalizeEmail(form.get('email')),
      done: form.get('done') === 'unverified' ? 'unverified' : 'sent',
    }),
    validate: ({ fields: { email } }) => validateEmail(email),
    async act({ request, reply, subject: returnTo, fields: { email, done } }) {
      const { ip, locale } = requestContext(request);
      if (!(await mayRequestEmail(services, ip, services.now())))
        return { status: 429, errors: [{ text: ({ account }) => account.credentials.tooManyEmails }] };
      await requestPasswordReset(services, { email, locale, returnTo: returnFields(returnTo) });
      return loginUrl(PATH, returnTo, { done, token: sealSentEmail(reply, services, email) });
    },
    pageUrl: (returnTo) => loginUrl(PATH, returnTo),
    render: ({ subject: returnTo, fields: { email } }) => ({
      returnTo,
      title: (messages) => messages.account.credentials.forgot.title,
      main: (form) =>
        forgotPasswordView(form, email, {
          application: destinationClient(returnTo),
          signInHref: loginUrl('/signin', returnTo),
          recoveryHref: loginUrl('/signin/recovery', returnTo),
        }),
    }),
  });
}

function forgotPasswordView(
  view: FormState,
  email: string,
  {
    application,
    signInHref,
    recoveryHref,
  }: {
    application: { name: string; host: string } | undefined;
    signInHref: string;
    recoveryHref: string;
  },
): Html {
  const { messages, errors } = view;
  const text = messages.account.credentials.forgot;
  return html`${formStatus(view)}
<h1>${text.title}</h1>
${application && destination(messages.signIn.continueTo, application)}
<p class="lead">${text.text}</p>
${loginForm(
  view,
  PATH,
  html`${emailField({ label: messages.fields.email, value: email, autofocus: errors.length === 0, errors })}
${submitButton({ text: text.action })}`,
)}
<p class="aside">${text.withoutPassword} <a href="${recoveryHref}">${text.byRecoveryCode}</a></p>
<p class="aside"><a href="${signInHref}">${text.signIn}</a></p>
${cancelForm(view, application)}`;
}

/** The page is identical whether or not the account exists. */
function linkSentView(view: {
  messages: Messages;
  csrf: string;
  text: string;
  /** Undefined in other browsers and after an hour. */
  resend: { email: string; secondsLeft: number } | undefined;
  done: 'sent' | 'unverified';
  returnTo: ReturnTo;
  againHref: string;
}): Html {
  const { messages, csrf, resend, returnTo } = view;
  const text = messages.account.credentials.forgot;
  const { pending, next } = returnFields(returnTo);
  const application = destinationClient(returnTo);
  return html`<h1>${text.sentTitle}</h1>
${application && destination(messages.signIn.continueTo, application)}
<p class="lead">${view.text}</p>
${
  resend &&
  resendForm({
    messages,
    action: PATH,
    csrf,
    pending,
    fields: html`${hiddenInput('next', next)}${hiddenInput('email', resend.email)}${hiddenInput('done', view.done)}`,
    secondsLeft: resend.secondsLeft,
  })
}
<p class="aside"><a href="${view.againHref}">${text.again}</a></p>
<p class="aside"><a href="${loginUrl('/signin', returnTo)}">${text.signIn}</a></p>
${cancelForm({ messages, csrf, pending }, application)}`;
}

function noMailServerView(messages: Messages, signInHref: string): Html {
  const { noMail, forgot } = messages.account.credentials;
  return html`<h1>${forgot.title}</h1>
<p class="lead">${noMail.text}</p>
<p class="actions">${buttonLink({ href: signInHref, text: forgot.signIn })}</p>`;
}
