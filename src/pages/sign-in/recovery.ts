// /signin/recovery: signs in with a recovery code.
import type { FastifyInstance } from 'fastify';
import { signInWithRecoveryCode } from '../../credentials/recovery-codes.ts';
import { readForm } from '../../http/parameters.ts';
import type { Services } from '../../http/services.ts';
import { normalizeEmail } from '../../oauth/email.ts';
import { requireCode, validateEmail } from '../../web/credential-forms.ts';
import { submitButton } from '../../web/html/buttons.ts';
import { codeField, emailField } from '../../web/html/fields.ts';
import { type FormState, formStatus, loginForm } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { notifyNewSignIn } from '../../web/known-browsers.ts';
import { attemptContext, codeSignInContext, finishLogin } from '../../web/login.ts';
import { hasReturnTarget, loginUrl, parseReturnTo } from '../../web/return-to.ts';

const PATH = '/signin/recovery';
const SECURITY_PATH = '/account/security';

export function recoveryPage(app: FastifyInstance, services: Services): void {
  app.formPage({
    path: PATH,
    loadSubject: (request, reply) => parseReturnTo(request, reply, services),
    parse: (form) => ({ email: normalizeEmail(form.get('email')) }),
    validate: ({ request, fields: { email } }) => [
      ...validateEmail(email),
      ...requireCode(request, ({ signIn }) => signIn.recovery.codeMissing),
    ],
    async act({ request, reply, subject: returnTo, fields: { email } }) {
      const code = readForm(request).get('code') ?? '';
      const context = attemptContext(request, services);
      const signInContext = codeSignInContext(request, services, email, code);
      const session = await signInWithRecoveryCode(
        services,
        { email, code },
        context,
        signInContext,
        services.now,
      );
      if (session === undefined)
        return { status: 401, errors: [{ text: ({ signIn }) => signIn.recovery.wrong }] };
      await notifyNewSignIn(reply, services, session);
      return () =>
        finishLogin(
          reply,
          session,
          hasReturnTarget(returnTo) ? returnTo : { ...returnTo, next: SECURITY_PATH },
        );
    },
    pageUrl: (returnTo) => loginUrl(PATH, returnTo),
    render: ({ subject: returnTo, fields: { email } }) => ({
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
${codeField('recovery', { label: messages.fields.recoveryCode, autocomplete: 'off', errors })}
${submitButton({ text: messages.signIn.action })}`,
)}
<p class="aside"><a href="${signInHref}">${messages.account.credentials.forgot.signIn}</a></p>`;
}
