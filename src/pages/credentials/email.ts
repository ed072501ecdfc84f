// /account/email: the address of the account, and changing it once the new mailbox has answered.
import type { FastifyInstance } from 'fastify';
import { askForChange, confirmByCode } from '../../credentials/email-address.ts';
import { formOf } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import type { Messages } from '../../i18n/index.ts';
import { readEmail } from '../../oauth/email.ts';
import { forgetTokens, newestToken } from '../../store/one-time-tokens.ts';
import { fromOf } from '../../web/browser.ts';
import { askerOf, emailFaults, refusedCode } from '../../web/credential-forms.ts';
import type { Refusal } from '../../web/faults.ts';
import { accountFrame } from '../../web/html/account-frame.ts';
import {
  buttonLink,
  codeField,
  confirmationField,
  emailField,
  type FormError,
  type FormState,
  form,
  formStatus,
  hiddenInput,
  submitButton,
} from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { tag } from '../../web/html/tag.ts';
import { knownSince } from '../../web/known-browsers.ts';
import { memberOf } from '../../web/member.ts';

const PATH = '/account/email';

export function emailPage(area: FastifyInstance, parts: Parts): void {
  const { database, mailer } = parts;

  area.formPage({
    url: PATH,
    about: memberOf,
    read: (form) => ({ email: readEmail(form.get('new_email')) }),
    faults: ({ fields: { email } }) => (mailer.available ? emailFaults(email, 'new_email') : []),
    proof: () => mailer.available,
    async act({ request, about: { userId }, fields: { email } }) {
      // The page says so itself, and has no form.
      if (!mailer.available) return { faults: [] };
      const wish = { email, knownSince: await knownSince(request, parts, userId) };
      const asked = await askForChange(parts, askerOf(request), wish, parts.now());
      if (asked === 'sent') return `${PATH}?done=sent`;
      if (asked !== 'tooMany') return refusal('new_email', ({ credentials }) => credentials.email[asked]);
      return { ...refusal('new_email', ({ credentials }) => credentials.tooManyMails), status: 429 };
    },
    done: ({ account }) => account.credentials.email.done,
    async page({ about: present, fields: { email } }) {
      const waiting = await newestToken(database, present.userId, 'change_email', parts.now());
      return {
        title: (messages) => messages.account.parts.email,
        reach: !mailer.available,
        main: (form) =>
          emailView({
            ...form,
            present,
            mailAvailable: mailer.available,
            waitingFor: waiting?.email,
            email,
            // Where no code is waited for any more, there is no field to point to.
            errors: form.errors.map(({ field, text }) =>
              field === 'code' && waiting === undefined ? { text } : { field, text },
            ),
          }),
      };
    },
  });

  area.formWithin({
    url: `${PATH}/code`,
    page: PATH,
    async act(request) {
      const typed = formOf(request).get('code');
      if (typed === undefined) return refusal('code', ({ credentials }) => credentials.codeMissing);
      const wanted = { userId: memberOf(request).userId, kind: 'change_email', typed } as const;
      const { outcome } = await confirmByCode(parts, wanted, fromOf(request), parts.now());
      switch (outcome) {
        case 'changed':
        case 'verified':
          return `${PATH}?done=changed`;
        case 'taken':
          return refusal('code', ({ credentials }) => credentials.email.taken);
        default:
          return refusedCode(outcome);
      }
    },
  });

  area.formWithin({
    url: `${PATH}/cancel`,
    page: PATH,
    async act(request) {
      await forgetTokens(database, memberOf(request).userId, 'change_email');
      return `${PATH}?done=cancelled`;
    },
  });
}

const refusal = (field: 'new_email' | 'code', text: (account: Messages['account']) => string): Refusal => ({
  faults: [{ field, text: ({ account }) => text(account) }],
});

/** The form of a mailed code. */
export function codeForm(
  messages: Messages,
  action: string,
  csrf: string,
  errors: readonly FormError[],
  next?: string,
): Html {
  const text = messages.account.credentials;
  return form({
    action,
    csrf,
    body: html`${hiddenInput('next', next)}${codeField({ label: text.code, inputmode: 'numeric', errors })}
${submitButton({ text: text.codeAction })}`,
  });
}

type EmailView = FormState & {
  present: { email: string; emailVerified: boolean };
  mailAvailable: boolean;
  waitingFor: string | undefined;
  email: string;
};

function emailView(view: EmailView): Html {
  const { messages, csrf, errors, present, waitingFor } = view;
  const text = messages.account.credentials;
  return accountFrame(
    messages,
    'email',
    html`${formStatus(view)}
<h1>${messages.account.parts.email}</h1>
<dl class="facts facts--framed">
<div><dt>${text.email.present}</dt><dd>${present.email} ${present.emailVerified ? tag(text.verified, 'good') : tag(text.notVerified, 'waiting')}</dd></div>
</dl>
${
  !present.emailVerified &&
  view.mailAvailable &&
  html`<p>${buttonLink({ href: '/account/verify', text: text.email.verify, kind: 'secondary' })}</p>`
}
${
  waitingFor !== undefined &&
  html`<h2>${text.email.waitingTitle}</h2>
<p>${text.email.waiting(waitingFor)}</p>
${codeForm(messages, '/account/email/code', csrf, errors)}
${form({ action: '/account/email/cancel', csrf, body: submitButton({ text: text.email.cancel, kind: 'secondary' }) })}`
}
<h2>${text.email.changeTitle}</h2>
${view.mailAvailable ? changeForm(view) : noMail(messages)}`,
  );
}

function changeForm(view: EmailView): Html {
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
${confirmationField(view)}
${submitButton({ text: text.action, kind: view.waitingFor === undefined ? 'primary' : 'secondary' })}`,
  });
}

export const noMail = (messages: Messages): Html => html`<p>${messages.account.credentials.noMail.text}</p>`;
