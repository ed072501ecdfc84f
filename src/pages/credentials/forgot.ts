// /password/forgot: a link by mail. The same answer in the same time, whether or not there is an account.
import type { FastifyInstance } from 'fastify';
import { isEmail } from '../../accounts/account-fields.ts';
import { mayAskForMail } from '../../accounts/limits.ts';
import { askForReset } from '../../credentials/password-change.ts';
import { queryOf } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import { isSafe } from '../../http/request.ts';
import { readEmail } from '../../oauth/email.ts';
import { fromOf } from '../../web/browser.ts';
import { typedEmail, withTyped } from '../../web/login.ts';
import { loginUrl, parseReturnTo, returnFields } from '../../web/return-to.ts';
import { forgotView, noMailView, sentView } from './password-view.ts';

const PATH = '/password/forgot';

export function forgotPage(app: FastifyInstance, parts: Parts): void {
  const { mailer } = parts;

  app.formPage({
    url: PATH,
    about: (request, reply) => parseReturnTo(request, reply, parts),
    elsewhere(returnTo, request, reply) {
      const email = typedEmail(request, parts) ?? '';
      const signInHref = withTyped(reply, parts, loginUrl('/signin', returnTo), email);
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
              againHref: withTyped(reply, parts, loginUrl(PATH, returnTo), email),
              signInHref,
            }),
        });
    },
    begin: ({ page }, request) => ({
      email: typedEmail(request, parts) ?? page?.pending.request.loginHint ?? '',
    }),
    read: (form) => ({ email: readEmail(form.get('email')) }),
    faults: ({ fields: { email } }) =>
      isEmail(email) ? [] : [{ field: 'email', text: ({ problems }) => problems.emailInvalid }],
    async act({ request, reply, about: returnTo, fields: { email } }) {
      const { address, locale } = fromOf(request);
      if (!(await mayAskForMail(parts, address, parts.now())))
        return { status: 429, faults: [{ text: ({ account }) => account.credentials.tooManyMails }] };
      await askForReset(parts, { email, locale, returnTo: returnFields(returnTo) });
      return withTyped(reply, parts, loginUrl(PATH, returnTo, { done: 'sent' }), email);
    },
    address: (returnTo) => loginUrl(PATH, returnTo),
    page: ({ reply, about: returnTo, fields: { email } }) => ({
      returnTo,
      title: (messages) => messages.account.credentials.forgot.title,
      main: (form) =>
        forgotView({
          ...form,
          ...returnFields(returnTo),
          email,
          signInHref: withTyped(reply, parts, loginUrl('/signin', returnTo), email),
          recoveryHref: withTyped(reply, parts, loginUrl('/signin/recovery', returnTo), email),
        }),
    }),
  });
}
