// /account/email: shows the email address, and changes it once the new address is verified.
import type { FastifyInstance } from 'fastify';
import { confirmEmailWithCode, requestEmailChange } from '../../credentials/email-verification.ts';
import { readForm } from '../../http/parameters.ts';
import type { Services } from '../../http/services.ts';
import type { Messages } from '../../i18n/index.ts';
import { normalizeEmail } from '../../oauth/email.ts';
import { deleteTokens, findNewestToken } from '../../store/one-time-tokens.ts';
import { requestContext } from '../../web/browser.ts';
import { credentialRequesterOf, emailedCodeRejection, validateEmail } from '../../web/credential-forms.ts';
import type { Rejection } from '../../web/form-errors.ts';
import { accountLayout } from '../../web/html/account-layout.ts';
import { breakable } from '../../web/html/breakable.ts';
import { buttonLink, submitButton } from '../../web/html/buttons.ts';
import { codeField, emailField, hiddenInput } from '../../web/html/fields.ts';
import { type FormState, form, formStatus } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { reauthenticationFields } from '../../web/html/reauthentication-fields.ts';
import { resendForm } from '../../web/html/resend.ts';
import { tag } from '../../web/html/tag.ts';
import { findKnownSince } from '../../web/known-browsers.ts';
import { secondsUntilResend } from '../../web/sent-email.ts';
import { signedInUser } from '../../web/session-guard.ts';

const PATH = '/account/email';

export function changeEmailPage(area: FastifyInstance, services: Services): void {
  const { database, mailer } = services;

  area.formPage({
    path: PATH,
    loadSubject: signedInUser,
    parse: (form) => ({ email: normalizeEmail(form.get('new_email')) }),
    validate: ({ fields: { email } }) => (mailer.available ? validateEmail(email, 'new_email') : []),
    requiresReauthentication: () => mailer.available,
    async act({ request, subject: { userId }, fields: { email } }) {
      if (!mailer.available) return { errors: [] };
      const change = { email, knownSince: await findKnownSince(request, services, userId) };
      const outcome = await requestEmailChange(
        services,
        credentialRequesterOf(request),
        change,
        services.now(),
      );
      if (outcome === 'sent') return `${PATH}?done=sent`;
      if (outcome !== 'tooMany')
        return fieldRejection('new_email', ({ credentials }) => credentials.email[outcome]);
      return { ...fieldRejection('new_email', ({ credentials }) => credentials.tooManyEmails), status: 429 };
    },
    doneMessages: ({ account }) => account.credentials.email.done,
    async render({ subject: present, fields: { email } }) {
      const pendingChange = await findNewestToken(database, present.userId, 'change_email', services.now());
      return {
        title: (messages) => messages.account.navigation.email,
        showsSupportContact: !mailer.available,
        main: (form) =>
          emailView({
            ...form,
            present,
            mailAvailable: mailer.available,
            pendingChange: pendingChange && {
              email: pendingChange.email,
              secondsLeft: secondsUntilResend(pendingChange.createdAt, services),
            },
            email,
            // The page shows either `code` or `new_email`, so an error in the other field must not link to it.
            errors: form.errors.map(({ field, text }) =>
              field === (pendingChange === undefined ? 'code' : 'new_email') ? { text } : { field, text },
            ),
          }),
      };
    },
  });

  area.embeddedForm({
    path: `${PATH}/code`,
    page: PATH,
    async act(request) {
      const enteredCode = readForm(request).get('code');
      if (enteredCode === undefined)
        return fieldRejection('code', ({ credentials }) => credentials.codeMissing);
      const { userId } = signedInUser(request);
      const { outcome } = await confirmEmailWithCode(
        services,
        { userId, kind: 'change_email', entered: enteredCode },
        requestContext(request),
        services.now(),
      );
      switch (outcome) {
        case 'changed':
        case 'verified':
          return `${PATH}?done=changed`;
        case 'taken':
          return fieldRejection('code', ({ credentials }) => credentials.email.taken);
        default:
          return emailedCodeRejection(outcome);
      }
    },
  });

  area.embeddedForm({
    path: `${PATH}/cancel`,
    page: PATH,
    async act(request) {
      await deleteTokens(database, signedInUser(request).userId, 'change_email');
      return `${PATH}?done=canceled`;
    },
  });
}

const fieldRejection = (
  field: 'new_email' | 'code',
  text: (account: Messages['account']) => string,
): Rejection => ({
  errors: [{ field, text: ({ account }) => text(account) }],
});

export function emailCodeForm({
  next,
  autofocus,
  ...view
}: Pick<FormState, 'messages' | 'csrf' | 'errors' | 'next'> & {
  action: string;
  autofocus?: boolean;
}): Html {
  const text = view.messages.account.credentials;
  return form({
    ...view,
    body: html`${hiddenInput('next', next)}${codeField('email', { label: text.code, autofocus, errors: view.errors })}
${submitButton({ text: text.codeAction })}`,
  });
}

type EmailView = FormState & {
  present: { email: string; emailVerified: boolean };
  mailAvailable: boolean;
  pendingChange: { email: string; secondsLeft: number } | undefined;
  /** Empty unless the form was rejected. */
  email: string;
};

function emailView(view: EmailView): Html {
  const { messages, csrf, errors, present, pendingChange } = view;
  const text = messages.account.credentials;
  return accountLayout(
    messages,
    'email',
    html`${formStatus(view)}
<h1>${messages.account.navigation.email}</h1>
<dl class="facts facts--framed">
<div><dt>${text.email.present}</dt><dd>${breakable(present.email)} ${present.emailVerified ? tag(text.verified, 'good') : tag(text.notVerified, 'waiting')}</dd></div>
</dl>
${
  pendingChange === undefined
    ? html`${
        !present.emailVerified &&
        view.mailAvailable &&
        html`<p>${buttonLink({ href: '/account/verify', text: text.email.verify })}</p>`
      }
<h2>${text.email.changeTitle}</h2>
${view.mailAvailable ? changeEmailForm(view) : emailUnavailableNotice(messages)}`
    : html`<h2>${text.email.waitingTitle}</h2>
<p>${text.email.waiting(pendingChange.email)}</p>
${emailCodeForm({ messages, action: '/account/email/code', csrf, errors })}
${
  (view.isRecent || view.email !== '') &&
  view.mailAvailable &&
  resendForm({
    messages,
    action: PATH,
    csrf,
    fields: html`${hiddenInput('new_email', pendingChange.email)}${reauthenticationFields(view)}`,
    secondsLeft: pendingChange.secondsLeft,
  })
}
${form({ action: '/account/email/cancel', csrf, body: submitButton({ text: text.email.cancel, kind: 'link' }) })}`
}`,
  );
}

function changeEmailForm(view: EmailView): Html {
  const { messages, csrf, email, errors } = view;
  const text = messages.account.credentials.email;
  return form({
    action: '/account/email',
    csrf,
    body: html`${emailField({
      name: 'new_email',
      label: text.newEmail,
      hint: text.newEmailHint,
      value: email,
      autocomplete: 'email',
      errors,
    })}
${reauthenticationFields(view)}
${submitButton({ text: text.action, kind: view.present.emailVerified ? 'primary' : 'secondary' })}`,
  });
}

export const emailUnavailableNotice = (messages: Messages): Html =>
  html`<p>${messages.account.credentials.noMail.text}</p>`;
