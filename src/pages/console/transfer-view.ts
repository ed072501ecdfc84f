// Owns the look of offering an application to another account.

import type { OwnApplication } from '../../store/applications.ts';
import {
  confirmationField,
  type FormState,
  form,
  formStatus,
  submitButton,
  textField,
} from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { day } from '../../web/html/time.ts';
import { applicationAddress, way } from './parts-view.ts';

type Offer = { email: string; expiresAt: Date };

export type OfferView = FormState & {
  application: OwnApplication;
  offer: Offer | undefined;
  email: string;
};

export function offerView(view: OfferView): Html {
  const { messages, csrf, application, offer, email, errors } = view;
  const text = messages.applications.transfer;
  return html`${way(messages, application, { below: 'overview' })}
${formStatus(view)}
<h1>${text.title(application.name)}</h1>
<p class="lead">${text.lead}</p>
${offer && pending(view, offer)}
${form({
  action: applicationAddress(application.clientId, 'transfer'),
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
${submitButton({ text: text.action })}`,
})}`;
}

function pending({ messages, csrf, application }: OfferView, offer: Offer): Html {
  const text = messages.applications.transfer;
  return html`<h2>${text.pending}</h2>
<dl class="facts facts--framed">
<div><dt>${text.pendingTo}</dt><dd>${offer.email}</dd></div>
<div><dt>${text.pendingUntil}</dt><dd>${day(offer.expiresAt, messages)}</dd></div>
</dl>
${form({
  action: applicationAddress(application.clientId, 'transfer/cancel'),
  csrf,
  body: submitButton({ text: text.cancel, kind: 'secondary' }),
})}`;
}
