// /password/forgot: a link by mail. The same answer in the same time, whether or not there is an account.
import type { FastifyInstance } from 'fastify';
import { isEmail } from '../../accounts/account-fields.ts';
import { mayAskForMail } from '../../accounts/limits.ts';
import { askForReset } from '../../credentials/password-change.ts';
import { queryOf } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import { isSafe } from '../../http/safe-methods.ts';
import { readEmail } from '../../oauth/email.ts';
import { fromOf } from '../../web/browser.ts';
import {
  entranceAddress,
  onTheWay,
  onTheWayOfForm,
  onwardHere,
  onwardToKeep,
  withParameter,
} from '../../web/entering.ts';
import { typedEmail, withTyped } from '../../web/typed-email.ts';
import { forgotView, noMailView, sentView } from './password-view.ts';

const PATH = '/password/forgot';

export function forgotPage(app: FastifyInstance, parts: Parts): void {
  const { mailer } = parts;

  app.formPage({
    url: PATH,
    about: (request, reply) => onwardHere(request, reply, parts),
    elsewhere(onward, request, reply) {
      const email = typedEmail(request, parts) ?? '';
      const signInHref = withTyped(reply, parts, entranceAddress('/signin', onward), email);
      if (!mailer.available)
        return () =>
          reply.page({
            ...onTheWay(onward),
            reach: true,
            title: (messages) => messages.account.credentials.forgot.title,
            main: (messages) => noMailView(messages, signInHref),
          });
      const done = queryOf(request).get('done');
      if (!isSafe(request) || (done !== 'sent' && done !== 'unverified')) return undefined;
      return () =>
        reply.page({
          ...onTheWay(onward),
          title: (messages) => messages.account.credentials.forgot.sentTitle,
          main: (messages) =>
            sentView(messages, {
              // That the account is unverified is known to everyone who tried to sign up with its address.
              sent: messages.account.credentials.forgot[done],
              againHref: withTyped(reply, parts, entranceAddress(PATH, onward), email),
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
    async act({ request, reply, about: onward, fields: { email } }) {
      const { address, locale } = fromOf(request);
      if (!(await mayAskForMail(parts, address, parts.now())))
        return { status: 429, faults: [{ text: ({ account }) => account.credentials.tooManyMails }] };
      await askForReset(parts, { email, locale, onward: onwardToKeep(onward) });
      return withTyped(reply, parts, withParameter(entranceAddress(PATH, onward), 'done', 'sent'), email);
    },
    address: (onward) => entranceAddress(PATH, onward),
    page: ({ reply, about: onward, fields: { email } }) => ({
      ...onTheWay(onward),
      title: (messages) => messages.account.credentials.forgot.title,
      main: (form) =>
        forgotView({
          ...form,
          ...onTheWayOfForm(onward),
          email,
          signInHref: withTyped(reply, parts, entranceAddress('/signin', onward), email),
          recoveryHref: withTyped(reply, parts, entranceAddress('/signin/recovery', onward), email),
        }),
    }),
  });
}
