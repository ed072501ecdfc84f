// /account/verify: verifies the account's email address with an emailed code.
import type { FastifyInstance } from 'fastify';
import { confirmEmailWithCode, requestVerification } from '../../credentials/email-verification.ts';
import { readForm, readQueryOrForm } from '../../http/parameters.ts';
import type { Services } from '../../http/services.ts';
import type { Messages } from '../../i18n/index.ts';
import { findNewestToken } from '../../store/one-time-tokens.ts';
import { requestContext } from '../../web/browser.ts';
import { credentialRequesterOf, emailedCodeRejection, requireCode } from '../../web/credential-forms.ts';
import { accountLayout } from '../../web/html/account-layout.ts';
import { submitButton } from '../../web/html/buttons.ts';
import { hiddenInput } from '../../web/html/fields.ts';
import { type FormState, form, formStatus } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { resendForm } from '../../web/html/resend.ts';
import { isAllowedNextUrl, loginUrl } from '../../web/return-to.ts';
import { secondsUntilResend } from '../../web/sent-email.ts';
import { signedInUser } from '../../web/session-guard.ts';
import { emailCodeForm, emailUnavailableNotice } from './change-email.ts';

const PATH = '/account/verify';

export function verifyEmailPage(area: FastifyInstance, services: Services): void {
  const { mailer } = services;

  area.formPage({
    path: PATH,
    loadSubject: (request) => ({
      ...signedInUser(request),
      next: parseNext(readQueryOrForm(request).get('next')),
    }),
    respondInstead: ({ emailVerified, next }) => (emailVerified ? (next ?? '/account/email') : undefined),
    parse: () => ({}),
    validate: ({ request }) => requireCode(request, ({ account }) => account.credentials.codeMissing),
    async act({ request, subject: { userId, next } }) {
      const enteredCode = readForm(request).get('code') ?? '';
      const { outcome } = await confirmEmailWithCode(
        services,
        { userId, kind: 'verify_email', entered: enteredCode },
        requestContext(request),
        services.now(),
      );
      if (outcome === 'verified') return next ?? '/account/email?done=verified';
      return emailedCodeRejection(outcome);
    },
    pageUrl: ({ next }) => verifyUrl(next),
    doneMessages: ({ account }) => account.credentials.verify.done,
    async render({ subject: { userId, email, next } }) {
      const sent = mailer.available
        ? await findNewestToken(services.database, userId, 'verify_email', services.now())
        : undefined;
      return {
        title: ({ account: { credentials } }) => pageTitle(credentials.verify, sent),
        showsSupportContact: !mailer.available,
        main: (form) =>
          verifyView({
            ...form,
            next,
            email,
            mailAvailable: mailer.available,
            sent: sent && { secondsLeft: secondsUntilResend(sent.createdAt, services) },
            // Before a code is sent, the page has no code field to link to.
            errors: sent ? form.errors : form.errors.map(({ text }) => ({ text })),
          }),
      };
    },
  });

  area.embeddedForm({
    path: `${PATH}/send`,
    page: PATH,
    async act(request) {
      if (!mailer.available || signedInUser(request).emailVerified) return PATH;
      const next = parseNext(readForm(request).get('next'));
      const returnTo = next === undefined ? {} : { next };
      const outcome = await requestVerification(
        services,
        credentialRequesterOf(request),
        services.now(),
        returnTo,
      );
      if (outcome === 'sent') return verifyUrl(next, { done: 'sent' });
      return { status: 429, errors: [{ text: ({ account }) => account.credentials.tooManyEmails }] };
    },
  });
}

/** Undefined if `next` is this page or not allowed. */
const parseNext = (next: string | undefined): string | undefined =>
  next !== undefined && isAllowedNextUrl(next) && !next.startsWith(PATH) ? next : undefined;

const verifyUrl = (next: string | undefined, parameters = {}): string =>
  loginUrl(PATH, { page: undefined, next }, parameters);

const pageTitle = (
  { sentTitle, title }: Messages['account']['credentials']['verify'],
  sent: object | undefined,
): string => (sent === undefined ? title : sentTitle);

type VerifyView = FormState & {
  email: string;
  mailAvailable: boolean;
  /** Undefined if no emailed code is valid. */
  sent: { secondsLeft: number } | undefined;
  next?: string | undefined;
};

function verifyView(view: VerifyView): Html {
  const { messages, csrf, email, errors, sent, next } = view;
  const text = messages.account.credentials.verify;
  return accountLayout(
    messages,
    'email',
    html`${formStatus(view)}
<h1>${pageTitle(text, sent)}</h1>
<p class="lead">${sent === undefined ? text.text(email) : text.sent(email)}</p>
${view.mailAvailable ? codeForms() : emailUnavailableNotice(messages)}
<p class="aside"><a href="/account/email">${messages.account.credentials.confirm.another}</a></p>
${next !== undefined && html`<p class="aside"><a href="${next}">${text.later}</a></p>`}`,
    { within: true },
  );

  function codeForms(): Html {
    const [action, hidden] = [`${PATH}/send`, hiddenInput('next', next)];
    if (sent === undefined)
      return form({ action, csrf, body: html`${hidden}${submitButton({ text: text.send })}` });
    return html`${emailCodeForm({ messages, action: PATH, csrf, errors, next, autofocus: errors.length === 0 })}
${resendForm({ messages, action, csrf, fields: hidden, secondsLeft: sent.secondsLeft })}`;
  }
}
