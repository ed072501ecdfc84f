// Owns the look of offering an application or an API to another account.

import type { Messages } from '../../i18n/index.ts';
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
import type { Owned } from './parts-view.ts';

type Offer = { email: string; expiresAt: Date };

export type OfferView = FormState & {
  owned: Owned;
  words: Pick<Messages['applications']['transfer'], 'title' | 'lead' | 'action'>;
  offer: Offer | undefined;
  email: string;
};

export function offerView(view: OfferView): Html {
  const { messages, csrf, owned, words, offer, email, errors } = view;
  const text = messages.applications.transfer;
  return html`${owned.way(messages)}
${formStatus(view)}
<h1>${words.title(owned.name)}</h1>
<p class="lead">${words.lead}</p>
${offer && pending(view, offer)}
${form({
  action: owned.address('transfer'),
  csrf,
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
${submitButton({ text: words.action })}`,
})}`;
}

function pending({ messages, csrf, owned }: OfferView, offer: Offer): Html {
  const text = messages.applications.transfer;
  return html`<h2>${text.pending}</h2>
<dl class="facts facts--framed">
<div><dt>${text.pendingTo}</dt><dd>${offer.email}</dd></div>
<div><dt>${text.pendingUntil}</dt><dd>${day(offer.expiresAt, messages)}</dd></div>
</dl>
${form({
  action: owned.address('transfer/cancel'),
  csrf,
  body: submitButton({ text: text.cancel, kind: 'secondary' }),
})}`;
}
