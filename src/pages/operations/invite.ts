// /console/operations/accounts/new: an operator makes an account for somebody, who gets a link to choose its password.
import type { FastifyInstance } from 'fastify';
import { cleanName, isEmail } from '../../accounts/account-fields.ts';
import { invite } from '../../credentials/operator-mails.ts';
import type { Parts } from '../../http/parts.ts';
import { isLocale, type Locale } from '../../i18n/index.ts';
import { readEmail } from '../../oauth/email.ts';
import { notFound } from '../../oauth/errors.ts';
import { localeOf } from '../../web/browser.ts';
import { nameFaults } from '../../web/credential-forms.ts';
import type { Fault } from '../../web/faults.ts';
import {
  buttonLink,
  confirmationField,
  type FormState,
  form,
  formStatus,
  selectField,
  submitButton,
  textField,
} from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { memberOf } from '../../web/member.ts';
import { operatorOf } from './actions.ts';
import { ACCOUNTS, operationsNavigation } from './frame-view.ts';

export function invitePage(area: FastifyInstance, parts: Parts): void {
  area.formPage({
    url: `${ACCOUNTS}/new`,
    about: (request) => ({ language: localeOf(request, undefined, memberOf(request).locale) }),
    begin: ({ language }) => ({ name: '', email: '', language }),
    read(form, { language }) {
      const chosen = form.get('language');
      return {
        name: cleanName(form.get('name') ?? ''),
        email: readEmail(form.get('email')),
        language: isLocale(chosen) ? chosen : language,
      };
    },
    faults({ fields: { name, email } }) {
      const faults: Fault[] = nameFaults(name);
      if (!isEmail(email)) faults.push({ field: 'email', text: ({ problems }) => problems.emailInvalid });
      if (!parts.mailer.available) faults.push({ text: ({ operations }) => operations.invite.noMail });
      return faults;
    },
    proof: true,
    async act({ request, fields: { name, email, language: locale } }) {
      const by = operatorOf(request);
      const done = await invite(parts, { name, email, locale }, by, parts.now());
      switch (done.outcome) {
        case 'notOperator':
          throw notFound();
        case 'taken':
          return { faults: [takenBy(done.userId)] };
        case 'invited':
          return `${ACCOUNTS}/${done.userId}?done=invitation`;
      }
    },
    page: ({ fields }) => ({
      title: (messages) => messages.operations.invite.title,
      main: (form) => inviteView({ ...form, ...fields, available: parts.mailer.available }),
    }),
  });
}

const takenBy = (userId: string | undefined): Fault => ({
  field: 'email',
  text: ({ operations }) => operations.invite.taken,
  ...(userId && {
    link: { href: `${ACCOUNTS}/${userId}`, text: ({ operations }) => operations.invite.seeTaken },
  }),
});

type InviteView = FormState & { name: string; email: string; language: Locale; available: boolean };

function inviteView(view: InviteView): Html {
  const { messages, errors } = view;
  const text = messages.operations.invite;
  const languages = Object.entries(messages.layout.languageNames);
  return html`${operationsNavigation(messages, 'accounts', { within: true })}
${formStatus(view)}
<h1>${text.title}</h1>
<p class="lead">${text.text}</p>
${!view.available && errors.length === 0 && html`<p class="warning">${text.noMail}</p>`}
${form({
  action: `${ACCOUNTS}/new`,
  csrf: view.csrf,
  body: html`${textField({ name: 'name', label: text.name, value: view.name, autocomplete: 'off', errors })}
${textField({ name: 'email', type: 'email', label: text.email, hint: text.emailHint, value: view.email, autocomplete: 'off', inputmode: 'email', errors })}
${selectField({ name: 'language', label: text.language, options: languages.map(([value, label]) => ({ value, label })), value: view.language })}
${confirmationField(view)}
<p class="actions">
${submitButton({ text: text.submit })}
${buttonLink({ text: messages.operations.cancel, href: ACCOUNTS, kind: 'secondary' })}
</p>`,
})}`;
}
