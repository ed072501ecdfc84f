// /signin/recovery: signs in with a recovery code.
import type { FastifyInstance } from 'fastify';
import { isEmail } from '../../accounts/account-fields.ts';
import { signInByRecoveryCode } from '../../credentials/recovery-codes.ts';
import { formOf } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import { readEmail } from '../../oauth/email.ts';
import type { Fault } from '../../web/faults.ts';
import {
  type FormState,
  form,
  formStatus,
  hiddenInput,
  submitButton,
  textField,
} from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { noticeSignIn } from '../../web/known-browsers.ts';
import { attemptingOf, finishLogin, originOf, typedEmail } from '../../web/login.ts';
import { isInLogin, loginUrl, parseReturnTo, returnFields } from '../../web/return-to.ts';

const PATH = '/signin/recovery';
const SECURITY = '/account/security';

export function recoveryPage(app: FastifyInstance, parts: Parts): void {
  app.formPage({
    url: PATH,
    about: (request, reply) => parseReturnTo(request, reply, parts),
    begin: (_, request) => ({ email: typedEmail(request, parts) ?? '' }),
    read: (form) => ({ email: readEmail(form.get('email')) }),
    faults({ request, fields: { email } }) {
      const faults: Fault[] = [];
      if (!isEmail(email)) faults.push({ field: 'email', text: ({ problems }) => problems.emailInvalid });
      if (formOf(request).get('code') === undefined)
        faults.push({ field: 'code', text: ({ signIn }) => signIn.recovery.codeMissing });
      return faults;
    },
    async act({ request, reply, about: returnTo, fields: { email } }) {
      const code = formOf(request).get('code') ?? '';
      const from = attemptingOf(request, parts);
      const session = await signInByRecoveryCode(parts, { email, code }, from, originOf(request), parts.now);
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
      main: (form) =>
        recoveryView({
          ...form,
          ...returnFields(returnTo),
          email,
          signInHref: loginUrl('/signin', returnTo),
        }),
    }),
  });
}

type RecoveryView = FormState & {
  pending: string | undefined;
  next: string | undefined;
  email: string;
  signInHref: string;
};

function recoveryView(view: RecoveryView): Html {
  const { messages, errors } = view;
  const text = messages.signIn.recovery;
  return html`${formStatus(view)}
<h1>${text.title}</h1>
<p class="lead">${text.text}</p>
${form({
  action: '/signin/recovery',
  csrf: view.csrf,
  pending: view.pending,
  body: html`${hiddenInput('next', view.next)}${textField({
    name: 'email',
    label: messages.fields.email,
    type: 'email',
    value: view.email,
    autocomplete: 'username',
    inputmode: 'email',
    autofocus: errors.length === 0,
    errors,
  })}
${textField({ name: 'code', label: messages.fields.recoveryCode, autocomplete: 'off', errors })}
${submitButton({ text: messages.signIn.action })}`,
})}
<p class="aside"><a href="${view.signInHref}">${text.signIn}</a></p>`;
}
