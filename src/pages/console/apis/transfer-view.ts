// Owns the look of offering an API to another account.

import type { OwnApi } from '../../../store/own-apis.ts';
import {
  confirmationField,
  type FormState,
  form,
  formStatus,
  submitButton,
  textField,
} from '../../../web/html/form.ts';
import { type Html, html } from '../../../web/html/html.ts';
import { day } from '../../../web/html/time.ts';
import { apiAddress, apiWay } from './frame-view.ts';

type Offer = { email: string; expiresAt: Date };

export type TransferView = FormState & { api: OwnApi; offer: Offer | undefined; email: string };

export function transferView(view: TransferView): Html {
  const { messages, csrf, api, offer, email, errors } = view;
  const { title, lead, action } = messages.apis.transfer;
  const text = messages.applications.transfer;
  return html`${apiWay(messages, api, { below: 'overview' })}
${formStatus(view)}
<h1>${title(api.name)}</h1>
<p class="lead">${lead}</p>
${offer && pending(view, offer)}
${form({
  action: apiAddress(api.apiId, 'transfer'),
  csrf,
  typed: true,
  body: html`${textField({
    name: 'email',
    label: text.email,
    hint: text.emailHint,
    type: 'email',
    inputmode: 'email',
    value: email,
    autocomplete: 'off',
    errors,
  })}
${confirmationField(view)}
${offer && html`<p class="quiet">${text.replace}</p>`}
${submitButton({ text: action })}`,
})}`;
}

function pending({ messages, csrf, api }: TransferView, offer: Offer): Html {
  const text = messages.applications.transfer;
  return html`<h2>${text.pending}</h2>
<dl class="facts facts--framed">
<div><dt>${text.pendingTo}</dt><dd>${offer.email}</dd></div>
<div><dt>${text.pendingUntil}</dt><dd>${day(offer.expiresAt, messages)}</dd></div>
</dl>
${form({
  action: apiAddress(api.apiId, 'transfer/cancel'),
  csrf,
  body: submitButton({ text: text.cancel, kind: 'secondary' }),
})}`;
}
