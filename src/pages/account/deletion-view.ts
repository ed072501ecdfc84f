// Owns the look of deleting the account.

import { accountFrame } from '../../web/html/account-frame.ts';
import {
  buttonLink,
  confirmationField,
  type FormState,
  form,
  formStatus,
  submitButton,
  textField,
} from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';

export type DeletionView = FormState & {
  email: string;
  typed: string;
  consents: number;
  /** Applications that the person registered, and how many people use each. */
  own: readonly { name: string; users: number }[];
  apis: readonly { name: string }[];
  remembered: number;
};

export function deletionView(view: DeletionView): Html {
  const { messages, errors, own, apis } = view;
  const text = messages.account.deletion;
  return accountFrame(
    messages,
    'data',
    html`${formStatus(view)}
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
}${
  apis.length > 0 &&
  html`<li>${text.apis}
<ul>
${apis.map(
  ({ name }) => html`<li><strong><bdi>${name}</bdi></strong></li>
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
${confirmationField(view)}<p class="actions">
${submitButton({ text: text.confirm, kind: 'danger' })}
${buttonLink({ text: text.cancel, href: '/account', kind: 'secondary' })}
</p>`,
})}`,
    { within: true },
  );
}
