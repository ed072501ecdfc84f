// /signin/recovery: signs in with a recovery code.
import type { FastifyInstance } from 'fastify';
import { signInByRecoveryCode } from '../../credentials/recovery-codes.ts';
import { formOf } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import { readEmail } from '../../oauth/email.ts';
import { codeFaults, emailFaults } from '../../web/credential-forms.ts';
import {
  codeField,
  emailField,
  type FormState,
  formStatus,
  loginForm,
  submitButton,
} from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { noticeSignIn } from '../../web/known-browsers.ts';
import { attemptingOf, finishLogin, originOfCode } from '../../web/login.ts';
import { isInLogin, loginUrl, parseReturnTo } from '../../web/return-to.ts';

const PATH = '/signin/recovery';
const SECURITY = '/account/security';

export function recoveryPage(app: FastifyInstance, parts: Parts): void {
  app.formPage({
    url: PATH,
    about: (request, reply) => parseReturnTo(request, reply, parts),
    read: (form) => ({ email: readEmail(form.get('email')) }),
    faults: ({ request, fields: { email } }) => [
      ...emailFaults(email),
      ...codeFaults(request, ({ signIn }) => signIn.recovery.codeMissing),
    ],
    async act({ request, reply, about: returnTo, fields: { email } }) {
      const code = formOf(request).get('code') ?? '';
      const from = attemptingOf(request, parts);
      const origin = originOfCode(request, parts, email, code);
      const session = await signInByRecoveryCode(parts, { email, code }, from, origin, parts.now);
      if (session === undefined)
        return { status: 401, faults: [{ text: ({ signIn }) => signIn.recovery.wrong }] };
      await noticeSignIn(reply, parts, session);
      return () =>
        finishLogin(reply, session, isInLogin(returnTo) ? returnTo : { ...returnTo, next: SECURITY });
    },
    address: (returnTo) => loginUrl(PATH, returnTo),
    page: ({ about: returnTo, fields: { email } }) => ({
      returnTo,
      title: (messages) => messages.signIn.recovery.title,
      main: (form) => recoveryView(form, email, loginUrl('/signin', returnTo)),
    }),
  });
}

function recoveryView(view: FormState, email: string, signInHref: string): Html {
  const { messages, errors } = view;
  const text = messages.signIn.recovery;
  return html`${formStatus(view)}
<h1>${text.title}</h1>
<p class="lead">${text.text}</p>
${loginForm(
  view,
  PATH,
  html`${emailField({ label: messages.fields.email, value: email, autofocus: errors.length === 0, errors })}
${codeField({ label: messages.fields.recoveryCode, autocomplete: 'off', errors })}
${submitButton({ text: messages.signIn.action })}`,
)}
<p class="aside"><a href="${signInHref}">${messages.account.credentials.forgot.signIn}</a></p>`;
}
