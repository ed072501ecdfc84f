// /console/operations/accounts/:userId/edit: edits an account's name, email and phone number.
import type { FastifyInstance } from 'fastify';
import { cleanName } from '../../accounts/account-fields.ts';
import { parsePhone } from '../../accounts/phone.ts';
import { editAccount } from '../../credentials/account-edit.ts';
import { readForm } from '../../http/parameters.ts';
import type { Services } from '../../http/services.ts';
import { formatEditablePhone } from '../../i18n/phones.ts';
import { normalizeEmail } from '../../oauth/email.ts';
import { notFound } from '../../oauth/errors.ts';
import type { Parameters } from '../../oauth/parameters.ts';
import { type AccountDetail, findAccountDetail, isUuid } from '../../store/admin-accounts.ts';
import { findUserIdByEmail } from '../../store/emails.ts';
import { validateEmail, validateName } from '../../web/credential-forms.ts';
import type { ValidationError } from '../../web/form-errors.ts';
import { buttonLink, submitButton } from '../../web/html/buttons.ts';
import { choiceField, emailField, hiddenInput, textField } from '../../web/html/fields.ts';
import { type FormState, form, formStatus } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { reauthenticationFields } from '../../web/html/reauthentication-fields.ts';
import { signedInUser } from '../../web/session-guard.ts';
import { moderatorOf, parseReason, reasonField, validateReason } from './actions.ts';
import { emailTakenError } from './invite.ts';
import { ACCOUNTS_URL, adminNavigation } from './layout.ts';

interface EditFields {
  name: string;
  email: string;
  phone: string;
  verified: boolean;
  reason: string;
}

const accountPath = ({ userId }: { userId: string }): string => `${ACCOUNTS_URL}/${userId}`;
export const editAccountPath = (account: { userId: string }): string => `${accountPath(account)}/edit`;

export function editAccountPage(area: FastifyInstance, services: Services): void {
  const { database, mailer } = services;
  area.formPage({
    path: `${ACCOUNTS_URL}/:userId/edit`,
    async loadSubject(request) {
      const { userId = '' } = request.params as Record<string, string>;
      const account = isUuid(userId) ? await findAccountDetail(database, userId, services.now()) : undefined;
      if (account === undefined) throw notFound();
      return account;
    },
    respondInstead: (account, request) =>
      account.userId === signedInUser(request).userId ? accountPath(account) : undefined,
    initialFields: ({ name, email, phone }): EditFields => ({
      name,
      email,
      phone: phone === null ? '' : formatEditablePhone(phone),
      verified: false,
      reason: '',
    }),
    parse: (form): EditFields => ({
      name: cleanName(form.get('name') ?? ''),
      email: normalizeEmail(form.get('email')),
      phone: form.get('phone')?.trim() ?? '',
      verified: form.get('verified') === 'yes',
      reason: parseReason(form),
    }),
    validate({ request, fields: { name, email, phone, reason } }) {
      const errors: ValidationError[] = [...validateName(name), ...validateEmail(email)];
      if (phone !== '' && parsePhone(phone, request.headers['accept-language']) === undefined)
        errors.push({ field: 'phone', text: (messages) => messages.account.profile.phoneInvalid });
      return [...errors, ...validateReason(reason)];
    },
    requiresReauthentication: true,
    async act({ request, subject: account, fields }) {
      const { name, email, verified, reason } = fields;
      const phone = fields.phone === '' ? null : parsePhone(fields.phone, request.headers['accept-language']);
      const edit = { name, email, phone, verified, basedOn: parseVersion(readForm(request)) };
      const by = moderatorOf(request, reason);
      const outcome = await editAccount(services, account.userId, edit, by, services.now());
      switch (outcome) {
        case 'notAdmin':
        case 'notFound':
          throw notFound();
        case 'taken':
          return { errors: [emailTakenError(await findUserIdByEmail(database, email))] };
        case 'unchanged':
          return accountPath(account);
        case 'done':
        case 'requested':
          return `${accountPath(account)}?done=edit`;
        case 'stale':
          return { status: 409, errors: [{ text: ({ operations }) => operations.edit.stale }] };
        case 'tooMany':
          return {
            status: 429,
            errors: [{ field: 'email', text: ({ operations }) => operations.refusals.tooMany }],
          };
        case 'self':
          return { errors: [{ text: ({ operations }) => operations.refusals.self }] };
      }
    },
    render: ({ subject: account, fields }) => ({
      title: ({ operations }) => operations.actionOn(operations.edit.action, account.name),
      main: (state) => editView({ ...state, ...fields, account, mailAvailable: mailer.available }),
    }),
  });
}

/** A missing or malformed version becomes an invalid date, so the edit is rejected as outdated. */
const parseVersion = (form: Parameters): Date => new Date(Number(form.get('version') ?? Number.NaN));

type EditView = FormState & EditFields & { account: AccountDetail; mailAvailable: boolean };

function editView(view: EditView): Html {
  const { messages, errors, account } = view;
  const text = messages.operations;
  const needsConfirmation = account.emailVerified && view.mailAvailable;
  return html`${adminNavigation(messages, 'accounts', { within: true })}
${formStatus(view)}
<h1>${text.actionOn(text.edit.action, account.name)}</h1>
${view.mailAvailable && html`<p class="lead">${text.edit.text}</p>`}
${form({
  action: editAccountPath(account),
  csrf: view.csrf,
  body: html`${hiddenInput('version', String(account.profileUpdatedAt.getTime()))}${textField({ name: 'name', label: text.name, value: view.name, autocomplete: 'off', errors })}
${emailField({ label: text.email, value: view.email, autocomplete: 'off', errors })}
${choiceField({
  name: 'verified',
  kind: 'checkbox',
  legend: text.edit.verification,
  choices: [
    {
      value: 'yes',
      label: text.edit.verified,
      hint: needsConfirmation ? text.edit.verifiedHint : text.edit.unverifiedHint,
      checked: view.verified,
    },
  ],
})}
${textField({
  name: 'phone',
  label: text.phone,
  hint: messages.account.profile.phoneHint,
  type: 'tel',
  value: view.phone,
  autocomplete: 'off',
  inputmode: 'tel',
  optional: messages.fields.optional,
  errors,
})}
${reasonField(view, view.reason)}
${reauthenticationFields(view)}
<p class="actions">
${submitButton({ text: text.edit.submit })}
${buttonLink({ text: text.cancel, href: accountPath(account), kind: 'secondary' })}
</p>`,
})}`;
}
