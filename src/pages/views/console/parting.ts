// Owns the look of parting with an application: deleting it, offering it to somebody, taking what is offered.
import {
  buttonLink,
  confirmationField,
  type FormError,
  form,
  submitButton,
  textField,
} from '../../../html/form.ts';
import { type Html, html } from '../../../html/html.ts';
import type { Messages } from '../../../i18n/index.ts';
import type { OwnApplication } from '../../../store/applications.ts';
import type { ReceivedOffer } from '../../../store/transfer-offers.ts';
import { hostsOf } from './list.ts';
import { APPLICATIONS, applicationAddress, day, faultsAbove, way } from './parts.ts';

type Asked = {
  messages: Messages;
  csrf: string;
  recent: boolean;
  errors: readonly FormError[];
};

export type DeleteView = Asked & { application: OwnApplication; people: number; typed: string };

export function deleteView(view: DeleteView): Html {
  const { messages, application, errors } = view;
  const text = messages.applications.remove;
  return html`${way(messages, application, { below: 'overview' })}
${faultsAbove(messages, errors)}
<h1>${text.title(application.name)}</h1>
<p class="warning">${text.people(view.people)} ${text.text}</p>
${form({
  action: applicationAddress(application.clientId, 'delete'),
  csrf: view.csrf,
  body: html`${textField({
    name: 'name',
    label: text.name,
    hint: text.nameHint(application.name),
    value: view.typed,
    autocomplete: 'off',
    errors,
  })}
${confirm(view)}
<div class="actions">
${submitButton({ text: text.action, kind: 'danger' })}
${buttonLink({ text: text.cancel, href: applicationAddress(application.clientId), kind: 'secondary' })}
</div>`,
})}`;
}

export type OfferView = Asked & {
  application: OwnApplication;
  offer: { email: string; expiresAt: Date } | undefined;
  email: string;
};

export function offerView(view: OfferView): Html {
  const { messages, application, offer, errors } = view;
  const text = messages.applications.transfer;
  return html`${way(messages, application, { below: 'overview' })}
${faultsAbove(messages, errors)}
<h1>${text.title(application.name)}</h1>
<p class="lead">${text.lead}</p>
${offer && pending(view, offer)}
${form({
  action: applicationAddress(application.clientId, 'transfer'),
  csrf: view.csrf,
  body: html`${textField({
    name: 'email',
    label: text.email,
    hint: text.emailHint,
    type: 'email',
    inputmode: 'email',
    value: view.email,
    autocomplete: 'off',
    errors,
  })}
${confirm(view)}
${offer && html`<p class="quiet">${text.replace}</p>`}
${submitButton({ text: text.action })}`,
})}`;
}

function pending(
  { messages, csrf, application }: OfferView,
  offer: { email: string; expiresAt: Date },
): Html {
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

export type AcceptView = Asked & { offer: ReceivedOffer };

export function acceptView(view: AcceptView): Html {
  const { messages, offer, errors } = view;
  const { transfer: text, list } = messages.applications;
  return html`${way(messages)}
${faultsAbove(messages, errors)}
<h1>${text.acceptTitle(offer.name)}</h1>
<dl class="facts facts--framed">
<div><dt>${text.from}</dt><dd><bdi>${offer.ownerName}</bdi> (${offer.ownerEmail})</dd></div>
<div><dt>${text.callbacks}</dt><dd>${hostsOf(offer.redirectUris)}</dd></div>
<div><dt>${list.offerEnds}</dt><dd>${day(offer.expiresAt, messages)}</dd></div>
</dl>
<p>${text.acceptText}</p>
${form({
  action: applicationAddress(offer.clientId, 'transfer/accept'),
  csrf: view.csrf,
  body: html`${confirm(view)}
<div class="actions">
${submitButton({ text: text.accept })}
${buttonLink({ text: text.later, href: APPLICATIONS, kind: 'secondary' })}
</div>`,
})}`;
}

const confirm = ({ messages, recent, errors }: Asked) =>
  confirmationField({
    recent,
    label: messages.fields.confirmPassword,
    hint: messages.fields.confirmPasswordHint,
    errors,
  });
