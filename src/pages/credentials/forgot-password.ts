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
import { buttonLink, submitButton } from '../../web/html/buttons.ts';
import { emailField } from '../../web/html/fields.ts';
import { type FormState, formStatus, loginForm } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { loginUrl, parseReturnTo, returnFields } from '../../web/return-to.ts';

const PATH = '/password/forgot';

export function forgotPasswordPage(app: FastifyInstance, services: Services): void {
  const { mailer } = services;

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
            main: (messages) => noMailView(messages, signInHref),
          });
      const done = readQuery(request).get('done');
      if (!isSafeMethod(request) || (done !== 'sent' && done !== 'unverified')) return undefined;
      return () =>
        reply.page({
          returnTo,
          title: (messages) => messages.account.credentials.forgot.sentTitle,
          main: (messages) =>
            sentView(messages, {
              // `unverified` reveals nothing new because sign-up has already shown that the account is unverified.
              sent: messages.account.credentials.forgot[done],
              againHref: loginUrl(done === 'unverified' ? '/signup' : PATH, returnTo),
              signInHref,
            }),
        });
    },
    initialFields: ({ page }) => ({ email: page?.pending.request.loginHint ?? '' }),
    parse: (form) => ({ email: normalizeEmail(form.get('email')) }),
    validate: ({ fields: { email } }) => validateEmail(email),
    async act({ request, subject: returnTo, fields: { email } }) {
      const { ip, locale } = requestContext(request);
      if (!(await mayRequestEmail(services, ip, services.now())))
        return { status: 429, errors: [{ text: ({ account }) => account.credentials.tooManyEmails }] };
      await requestPasswordReset(services, { email, locale, returnTo: returnFields(returnTo) });
      return loginUrl(PATH, returnTo, { done: 'sent' });
    },
    pageUrl: (returnTo) => loginUrl(PATH, returnTo),
    render: ({ subject: returnTo, fields: { email } }) => ({
      returnTo,
      title: (messages) => messages.account.credentials.forgot.title,
      main: (form) =>
        forgotView(form, email, {
          signInHref: loginUrl('/signin', returnTo),
          recoveryHref: loginUrl('/signin/recovery', returnTo),
        }),
    }),
  });
}

function forgotView(
  view: FormState,
  email: string,
  { signInHref, recoveryHref }: { signInHref: string; recoveryHref: string },
): Html {
  const { messages, errors } = view;
  const text = messages.account.credentials.forgot;
  return html`${formStatus(view)}
<h1>${text.title}</h1>
<p class="lead">${text.text}</p>
${loginForm(
  view,
  PATH,
  html`${emailField({ label: messages.fields.email, value: email, autofocus: errors.length === 0, errors })}
${submitButton({ text: text.action })}`,
)}
<p class="aside">${text.withoutPassword} <a href="${recoveryHref}">${text.byRecoveryCode}</a></p>
<p class="aside"><a href="${signInHref}">${text.signIn}</a></p>`;
}

function sentView(
  messages: Messages,
  { sent, againHref, signInHref }: { sent: string; againHref: string; signInHref: string },
): Html {
  const text = messages.account.credentials.forgot;
  return html`<h1>${text.sentTitle}</h1>
<p class="lead">${sent}</p>
<p class="actions">${buttonLink({ href: againHref, text: text.again, kind: 'secondary' })}</p>
<p class="aside"><a href="${signInHref}">${text.signIn}</a></p>`;
}

function noMailView(messages: Messages, signInHref: string): Html {
  const { noMail, forgot } = messages.account.credentials;
  return html`<h1>${forgot.title}</h1>
<p class="lead">${noMail.text}</p>
<p class="actions">${buttonLink({ href: signInHref, text: forgot.signIn })}</p>`;
}
