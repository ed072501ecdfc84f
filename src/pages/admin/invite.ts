// /console/operations/accounts/new: creates an account and emails a link for choosing a password.
import type { FastifyInstance } from 'fastify';
import { cleanName, isEmail } from '../../accounts/account-fields.ts';
import { sendInvitation } from '../../credentials/admin-emails.ts';
import type { Services } from '../../http/services.ts';
import { isLocale, type Locale } from '../../i18n/index.ts';
import { normalizeEmail } from '../../oauth/email.ts';
import { notFound } from '../../oauth/errors.ts';
import { localeOf } from '../../web/browser.ts';
import { validateName } from '../../web/credential-forms.ts';
import type { ValidationError } from '../../web/form-errors.ts';
import { buttonLink, submitButton } from '../../web/html/buttons.ts';
import { selectField, textField } from '../../web/html/fields.ts';
import { type FormState, form, formStatus } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { reauthenticationFields } from '../../web/html/reauthentication-fields.ts';
import { signedInUser } from '../../web/session-guard.ts';
import { moderatorOf } from './actions.ts';
import { ACCOUNTS_URL, adminNavigation } from './layout.ts';

export function invitePage(area: FastifyInstance, services: Services): void {
  area.formPage({
    path: `${ACCOUNTS_URL}/new`,
    loadSubject: (request) => ({ language: localeOf(request, undefined, signedInUser(request).locale) }),
    initialFields: ({ language }) => ({ name: '', email: '', language }),
    parse(form, { language }) {
      const chosen = form.get('language');
      return {
        name: cleanName(form.get('name') ?? ''),
        email: normalizeEmail(form.get('email')),
        language: isLocale(chosen) ? chosen : language,
      };
    },
    validate({ fields: { name, email } }) {
      const errors: ValidationError[] = validateName(name);
      if (!isEmail(email)) errors.push({ field: 'email', text: ({ formErrors }) => formErrors.emailInvalid });
      if (!services.mailer.available) errors.push({ text: ({ operations }) => operations.invite.noMail });
      return errors;
    },
    requiresReauthentication: true,
    async act({ request, fields: { name, email, language: locale } }) {
      const moderator = moderatorOf(request);
      const outcome = await sendInvitation(services, { name, email, locale }, moderator, services.now());
      switch (outcome.outcome) {
        case 'notAdmin':
          throw notFound();
        case 'taken':
          return { errors: [emailTakenError(outcome.userId)] };
        case 'invited':
          return `${ACCOUNTS_URL}/${outcome.userId}?done=invitation`;
      }
    },
    render: ({ fields }) => ({
      title: (messages) => messages.operations.invite.title,
      main: (form) => inviteView({ ...form, ...fields, available: services.mailer.available }),
    }),
  });
}

export const emailTakenError = (userId: string | undefined): ValidationError => ({
  field: 'email',
  text: ({ operations }) => operations.invite.taken,
  ...(userId && {
    link: { href: `${ACCOUNTS_URL}/${userId}`, text: ({ operations }) => operations.invite.seeTaken },
  }),
});

type InviteView = FormState & { name: string; email: string; language: Locale; available: boolean };

function inviteView(view: InviteView): Html {
  const { messages, errors } = view;
  const text = messages.operations.invite;
  const languages = Object.entries(messages.layout.languageNames);
  return html`${adminNavigation(messages, 'accounts', { within: true })}
${formStatus(view)}
<h1>${text.title}</h1>
<p class="lead">${text.text}</p>
${!view.available && errors.length === 0 && html`<p class="warning">${text.noMail}</p>`}
${form({
  action: `${ACCOUNTS_URL}/new`,
  csrf: view.csrf,
  body: html`${textField({ name: 'name', label: text.name, value: view.name, autocomplete: 'off', errors })}
${textField({ name: 'email', type: 'email', label: text.email, hint: text.emailHint, value: view.email, autocomplete: 'off', inputmode: 'email', errors })}
${selectField({ name: 'language', label: text.language, options: languages.map(([value, label]) => ({ value, label })), value: view.language })}
${reauthenticationFields(view)}
<p class="actions">
${submitButton({ text: text.submit })}
${buttonLink({ text: messages.operations.cancel, href: ACCOUNTS_URL, kind: 'secondary' })}
</p>`,
})}`;
}
