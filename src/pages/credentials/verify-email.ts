// /account/verify: verifies the account's email address with an emailed code.
import type { FastifyInstance } from 'fastify';
import { confirmEmailByCode, requestVerification } from '../../credentials/email-verification.ts';
import { readForm, readQueryOrForm } from '../../http/parameters.ts';
import type { Services } from '../../http/services.ts';
import { findNewestToken } from '../../store/one-time-tokens.ts';
import { requestContext } from '../../web/browser.ts';
import { credentialRequesterOf, emailedCodeRejection, requireCode } from '../../web/credential-forms.ts';
import { accountLayout } from '../../web/html/account-layout.ts';
import { buttonLink, submitButton } from '../../web/html/buttons.ts';
import { hiddenInput } from '../../web/html/fields.ts';
import { type FormState, form, formStatus } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { isAllowedNextUrl, loginUrl } from '../../web/return-to.ts';
import { signedInUser } from '../../web/session-guard.ts';
import { emailCodeForm, emailUnavailableNotice } from './change-email.ts';

const PATH = '/account/verify';

export function verifyEmailPage(area: FastifyInstance, services: Services): void {
  const { mailer } = services;

  area.formPage({
    path: PATH,
    loadSubject: (request) => ({
      ...signedInUser(request),
      next: nextOf(readQueryOrForm(request).get('next')),
    }),
    respondInstead: ({ emailVerified, next }) => (emailVerified ? (next ?? '/account/email') : undefined),
    parse: () => ({}),
    validate: ({ request }) => requireCode(request, ({ account }) => account.credentials.codeMissing),
    async act({ request, subject: { userId, next } }) {
      const enteredCode = readForm(request).get('code') ?? '';
      const { outcome } = await confirmEmailByCode(
        services,
        { userId, kind: 'verify_email', entered: enteredCode },
        requestContext(request),
        services.now(),
      );
      if (outcome === 'verified') return next ?? '/account/email?done=verified';
      return emailedCodeRejection(outcome);
    },
    pageUrl: ({ next }) => urlWith(next),
    doneMessages: ({ account }) => account.credentials.verify.done,
    async render({ subject: { userId, email, next } }) {
      const isWaiting =
        (await findNewestToken(services.database, userId, 'verify_email', services.now())) !== undefined;
      return {
        title: ({ account }) => account.credentials.verify.title,
        showsSupportContact: !mailer.available,
        main: (form) =>
          verifyView({
            ...form,
            next,
            email,
            mailAvailable: mailer.available,
            isWaiting,
            // Until a code has been sent, there is no code field for the error to link to.
            errors: isWaiting ? form.errors : form.errors.map(({ text }) => ({ text })),
          }),
      };
    },
  });

  area.embeddedForm({
    path: `${PATH}/send`,
    page: PATH,
    async act(request) {
      if (!mailer.available || signedInUser(request).emailVerified) return PATH;
      const next = nextOf(readForm(request).get('next'));
      const returnTo = next === undefined ? {} : { next };
      const outcome = await requestVerification(
        services,
        credentialRequesterOf(request),
        services.now(),
        returnTo,
      );
      if (outcome === 'sent') return urlWith(next, { done: 'sent' });
      return { status: 429, errors: [{ text: ({ account }) => account.credentials.tooManyEmails }] };
    },
  });
}

/** Returns the page to continue to after verification, or undefined if `next` is this page or not allowed. */
const nextOf = (next: string | undefined): string | undefined =>
  next !== undefined && isAllowedNextUrl(next) && !next.startsWith(PATH) ? next : undefined;

const urlWith = (next: string | undefined, parameters = {}): string =>
  loginUrl(PATH, { page: undefined, next }, parameters);

type VerifyView = FormState & {
  email: string;
  mailAvailable: boolean;
  isWaiting: boolean;
  next?: string | undefined;
};

function verifyView(view: VerifyView): Html {
  const { messages, csrf, email, errors, isWaiting, next } = view;
  const text = messages.account.credentials.verify;
  return accountLayout(
    messages,
    'email',
    html`${formStatus(view)}
<h1>${text.title}</h1>
<p class="lead">${text.text(email)}</p>
${view.mailAvailable ? codeForms() : emailUnavailableNotice(messages)}
${next !== undefined && html`<p class="actions">${buttonLink({ href: next, text: text.later, kind: 'secondary' })}</p>`}
<p class="aside"><a href="/account/email">${messages.account.credentials.confirm.another}</a></p>`,
    { within: true },
  );

  function codeForms(): Html {
    return html`${
      isWaiting &&
      html`<p>${text.waiting}</p>
${emailCodeForm(messages, PATH, csrf, errors, next)}`
    }
${form({
  action: `${PATH}/send`,
  csrf,
  body: html`${hiddenInput('next', next)}${submitButton({
    text: isWaiting ? text.sendAgain : text.send,
    kind: isWaiting ? 'secondary' : 'primary',
  })}`,
})}`;
  }
}
