// Owns the look of the pages about all data of an account: taking it away, and deleting it.

import type { Messages } from '../../i18n/index.ts';
import { accountFrame } from '../../web/html/account-frame.ts';
import { problemsTitle } from '../../web/html/entrance.ts';
import {
  buttonLink,
  confirmationField,
  errorSummary,
  type FormError,
  form,
  submitButton,
  textField,
} from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';

export type DataView = {
  messages: Messages;
  csrf: string;
  /** Whether the person signed in recently enough to be given everything. */
  recent: boolean;
  errors: readonly FormError[];
};

export function dataView(view: DataView): Html {
  const { messages, errors } = view;
  const text = messages.account.data;
  return accountFrame(
    messages,
    'data',
    html`${errorSummary({ title: problemsTitle(messages, errors.length), errors })}
<h1>${text.title}</h1>
<p class="lead">${text.lead}</p>
<h2>${text.exportTitle}</h2>
<p>${text.exportText}</p>
${form({
  action: '/account/data',
  csrf: view.csrf,
  body: html`${confirm(view)}${submitButton({ text: text.export, kind: 'secondary' })}`,
})}
<h2>${text.deleteTitle}</h2>
<p>${text.deleteText}</p>
<p>${buttonLink({ text: text.delete, href: '/account/delete', kind: 'danger' })}</p>`,
  );
}

export type DeletionView = DataView & {
  email: string;
  /** What was typed to confirm. */
  typed: string;
  /** How many applications the person lets read something. */
  consents: number;
  /** Applications that the person registered, and how many people use each. */
  own: readonly { name: string; users: number }[];
  /** For how many days the log remembers. */
  remembered: number;
};

export function deletionView(view: DeletionView): Html {
  const { messages, errors, own } = view;
  const text = messages.account.deletion;
  return accountFrame(
    messages,
    'data',
    html`${errorSummary({ title: problemsTitle(messages, errors.length), errors })}
<h1>${text.title}</h1>
<p>${text.goes}</p>
<ul>
<li>${text.profile}</li>
<li>${text.sessions}</li>
<li>${text.consents(view.consents)}</li>
${
  own.length > 0 &&
  html`<li>${text.own}
<ul>
${own.map(
  ({ name, users }) => html`<li><strong><bdi>${name}</bdi></strong> (${text.ownUsers(users)})</li>
`,
)}</ul>
</li>
`
}</ul>
${own.some(({ users }) => users > 0) && html`<p>${text.ownText}</p>`}
<p>${text.stays(view.remembered)}</p>
${form({
  action: '/account/delete',
  csrf: view.csrf,
  body: html`${textField({
    name: 'email',
    label: text.typeEmail,
    hint: text.typeEmailHint(view.email),
    type: 'email',
    inputmode: 'email',
    autocomplete: 'off',
    value: view.typed,
    errors,
  })}
${confirm(view)}<p class="actions">
${submitButton({ text: text.confirm, kind: 'danger' })}
${buttonLink({ text: text.cancel, href: '/account', kind: 'secondary' })}
</p>`,
})}`,
  );
}

const confirm = ({ messages, recent, errors }: DataView): Html | undefined =>
  confirmationField({
    recent,
    label: messages.fields.confirmPassword,
    hint: messages.fields.confirmPasswordHint,
    errors,
  });
