// /account/verify: the account's own address is verified by the code of a mail, sent on demand.
import type { FastifyInstance } from 'fastify';
import { askForVerification, confirmByCode } from '../../credentials/email-address.ts';
import { formOf, parametersOf } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import { newestToken } from '../../store/one-time-tokens.ts';
import { fromOf } from '../../web/browser.ts';
import { askerOf, codeFaults, refusedCode } from '../../web/credential-forms.ts';
import { accountFrame } from '../../web/html/account-frame.ts';
import {
  buttonLink,
  type FormState,
  form,
  formStatus,
  hiddenInput,
  submitButton,
} from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { memberOf } from '../../web/member.ts';
import { isMemberAddress, loginUrl } from '../../web/return-to.ts';
import { codeForm, noMail } from './email.ts';

const PATH = '/account/verify';

export function verifyPage(area: FastifyInstance, parts: Parts): void {
  const { mailer } = parts;

  area.formPage({
    url: PATH,
    about: (request) => ({ ...memberOf(request), next: nextOf(parametersOf(request).get('next')) }),
    elsewhere: ({ emailVerified, next }) => (emailVerified ? (next ?? '/account/email') : undefined),
    read: () => ({}),
    faults: ({ request }) => codeFaults(request, ({ account }) => account.credentials.codeMissing),
    async act({ request, about: { userId, next } }) {
      const typed = formOf(request).get('code') ?? '';
      const wanted = { userId, kind: 'verify_email', typed } as const;
      const { outcome } = await confirmByCode(parts, wanted, fromOf(request), parts.now());
      if (outcome === 'verified') return next ?? '/account/email?done=verified';
      return refusedCode(outcome);
    },
    address: ({ next }) => urlWith(next),
    done: ({ account }) => account.credentials.verify.done,
    async page({ about: { userId, email, next } }) {
      const isWaiting =
        (await newestToken(parts.database, userId, 'verify_email', parts.now())) !== undefined;
      return {
        title: ({ account }) => account.credentials.verify.title,
        reach: !mailer.available,
        main: (form) =>
          verifyView({
            ...form,
            next,
            email,
            mailAvailable: mailer.available,
            isWaiting,
            // Where no code is waited for, there is no field to point to.
            errors: isWaiting ? form.errors : form.errors.map(({ text }) => ({ text })),
          }),
      };
    },
  });

  area.formWithin({
    url: `${PATH}/send`,
    page: PATH,
    async act(request) {
      if (!mailer.available || memberOf(request).emailVerified) return PATH;
      const next = nextOf(formOf(request).get('next'));
      const returnTo = next === undefined ? {} : { next };
      const asked = await askForVerification(parts, askerOf(request), parts.now(), returnTo);
      if (asked === 'sent') return urlWith(next, { done: 'sent' });
      return { status: 429, faults: [{ text: ({ account }) => account.credentials.tooManyMails }] };
    },
  });
}

/** Where the person was going before; not to this page, which says by itself that it is done. */
const nextOf = (next: string | undefined): string | undefined =>
  next !== undefined && isMemberAddress(next) && !next.startsWith(PATH) ? next : undefined;

const urlWith = (next: string | undefined, more = {}): string =>
  loginUrl(PATH, { page: undefined, next }, more);

type VerifyView = FormState & {
  email: string;
  mailAvailable: boolean;
  isWaiting: boolean;
  next?: string | undefined;
};

function verifyView(view: VerifyView): Html {
  const { messages, csrf, email, errors, isWaiting, next } = view;
  const text = messages.account.credentials.verify;
  return accountFrame(
    messages,
    'email',
    html`${formStatus(view)}
<h1>${text.title}</h1>
<p class="lead">${text.text(email)}</p>
${view.mailAvailable ? ways() : noMail(messages)}
${next !== undefined && html`<p class="actions">${buttonLink({ href: next, text: text.later, kind: 'secondary' })}</p>`}`,
    { within: true },
  );

  function ways(): Html {
    return html`${
      isWaiting &&
      html`<p>${text.waiting}</p>
${codeForm(messages, PATH, csrf, errors, next)}`
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
