// Owns the look of the page about all data of an account.

import { accountFrame } from '../../web/html/account-frame.ts';
import {
  buttonLink,
  confirmationField,
  type FormState,
  form,
  formStatus,
  submitButton,
} from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';

export function dataView(view: FormState): Html {
  const { messages } = view;
  const text = messages.account.data;
  return accountFrame(
    messages,
    'data',
    html`${formStatus(view)}
<h1>${text.title}</h1>
<p class="lead">${text.lead}</p>
<h2>${text.exportTitle}</h2>
<p>${text.exportText}</p>
${form({
  action: '/account/data',
  csrf: view.csrf,
  body: html`${confirmationField(view)}${submitButton({ text: text.export, kind: 'secondary' })}`,
})}
<h2>${text.deleteTitle}</h2>
<p>${text.deleteText}</p>
<p>${buttonLink({ text: text.delete, href: '/account/delete', kind: 'danger' })}</p>`,
  );
}
