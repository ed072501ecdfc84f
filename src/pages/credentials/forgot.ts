// /password/forgot: sends a reset link. The response is the same whether or not there is an account.
import type { FastifyInstance } from 'fastify';
import { mayAskForMail } from '../../accounts/limits.ts';
import { askForReset } from '../../credentials/password-change.ts';
import { queryOf } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import { isSafe } from '../../http/request.ts';
import type { Messages } from '../../i18n/index.ts';
import { readEmail } from '../../oauth/email.ts';
import { fromOf } from '../../web/browser.ts';
import { emailFaults } from '../../web/credential-forms.ts';
import {
  buttonLink,
  emailField,
  type FormState,
  formStatus,
  loginForm,
  submitButton,
} from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { loginUrl, parseReturnTo, returnFields } from '../../web/return-to.ts';

const PATH = '/password/forgot';

export function forgotPage(app: FastifyInstance, parts: Parts): void {
  const { mailer } = parts;

  app.formPage({
    url: PATH,
    about: (request, reply) => parseReturnTo(request, reply, parts),
    elsewhere(returnTo, request, reply) {
      const signInHref = loginUrl('/signin', returnTo);
      if (!mailer.available)
        return () =>
          reply.page({
            returnTo,
            reach: true,
            title: (messages) => messages.account.credentials.forgot.title,
            main: (messages) => noMailView(messages, signInHref),
          });
      const done = queryOf(request).get('done');
      if (!isSafe(request) || (done !== 'sent' && done !== 'unverified')) return undefined;
      return () =>
        reply.page({
          returnTo,
          title: (messages) => messages.account.credentials.forgot.sentTitle,
          main: (messages) =>
            sentView(messages, {
              // That the account is unverified is known to everyone who tried to sign up with its address.
              sent: messages.account.credentials.forgot[done],
              againHref: loginUrl(PATH, returnTo),
              signInHref,
            }),
        });
    },
    begin: ({ page }) => ({ email: page?.pending.request.loginHint ?? '' }),
    read: (form) => ({ email: readEmail(form.get('email')) }),
    faults: ({ fields: { email } }) => emailFaults(email),
    async act({ request, about: returnTo, fields: { email } }) {
      const { address, locale } = fromOf(request);
      if (!(await mayAskForMail(parts, address, parts.now())))
        return { status: 429, faults: [{ text: ({ account }) => account.credentials.tooManyMails }] };
      await askForReset(parts, { email, locale, returnTo: returnFields(returnTo) });
      return loginUrl(PATH, returnTo, { done: 'sent' });
    },
    address: (returnTo) => loginUrl(PATH, returnTo),
    page: ({ about: returnTo, fields: { email } }) => ({
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
