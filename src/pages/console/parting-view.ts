// Owns the look of parting with an application: deleting it, keeping it after all, offering it to somebody, taking what is offered.

import type { Messages } from '../../i18n/index.ts';
import type { OwnApplication } from '../../store/applications.ts';
import type { Handover } from '../../store/handover.ts';
import type { ReceivedOffer } from '../../store/transfer-offers.ts';
import {
  buttonLink,
  choiceField,
  confirmationField,
  type FormError,
  form,
  hiddenInput,
  selectField,
  submitButton,
  textField,
} from '../../web/html/form.ts';
import { type Html, html, type Renderable } from '../../web/html/html.ts';
import { APPLICATIONS, applicationAddress, day, faultsAbove, moment, way } from './parts-view.ts';
import { OVERLAPS } from './secrets-view.ts';

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

export type ReleaseView = Asked & { application: OwnApplication };

export function releaseView(view: ReleaseView): Html {
  const { messages, application, errors } = view;
  const { release: text, detail } = messages.applications;
  const { clientId, name } = application;
  return html`${way(messages, application, { below: 'overview' })}
${faultsAbove(messages, errors)}
<h1>${text.title(name)}</h1>
<p class="warning">${messages.applications.held.own}</p>
<p>${text.text}</p>
${form({
  action: applicationAddress(clientId, 'release'),
  csrf: view.csrf,
  body: html`${confirm(view)}
<div class="actions">
${submitButton({ text: text.action })}
${buttonLink({ text: detail.delete, href: applicationAddress(clientId, 'delete'), kind: 'danger' })}
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

export type AcceptView = Asked & {
  offer: ReceivedOffer;
  handover: Handover;
  choice: { keep: readonly number[]; overlap: string };
  shown: string;
};

export function acceptView(view: AcceptView): Html {
  const { messages, offer, handover, choice, errors } = view;
  const { transfer: text, list, secrets } = messages.applications;
  return html`${way(messages)}
${faultsAbove(messages, errors)}
<h1>${text.acceptTitle(offer.name)}</h1>
<dl class="facts facts--framed">
<div><dt>${text.from}</dt><dd><bdi>${offer.ownerName}</bdi> (${offer.ownerEmail})</dd></div>
<div><dt>${list.offerEnds}</dt><dd>${day(offer.expiresAt, messages)}</dd></div>
</dl>
<p>${text.acceptText}</p>
<h2>${text.ends}</h2>
<dl class="facts facts--framed">
<div><dt>${text.keys}</dt><dd>${keysOf(handover, messages)}</dd></div>
<div><dt>${text.backchannel}</dt><dd>${handover.backchannelLogoutUri ?? text.none}</dd></div>
<div><dt>${text.postLogout}</dt><dd>${linesIn(handover.postLogoutRedirectUris, text.none)}</dd></div>
</dl>
<h2>${text.stays}</h2>
<dl class="facts facts--framed">
<div><dt>${text.secrets}</dt><dd>${secretsOf(handover, messages)}</dd></div>
<div><dt>${text.scopes}</dt><dd>${handover.scopes.join(' ')}</dd></div>
<div><dt>${text.resources}</dt><dd>${linesIn(handover.resources, text.none)}</dd></div>
<div><dt>${text.serviceScopes}</dt><dd>${handover.serviceScopes.join(' ') || text.noScope}</dd></div>
<div><dt>${text.serviceTokens}</dt><dd>${text.tokens(handover.serviceTokens)}</dd></div>
</dl>
${form({
  action: applicationAddress(offer.clientId, 'transfer/accept'),
  csrf: view.csrf,
  body: html`${hiddenInput('shown', view.shown)}
${choiceField({
  name: 'callbacks',
  kind: 'checkbox',
  legend: text.callbacks,
  hint: text.callbacksHint,
  choices: handover.redirectUris.map((uri, place) => ({
    value: String(place),
    label: uri,
    checked: choice.keep.includes(place),
  })),
  errors,
})}
${
  handover.type === 'public'
    ? html`${hiddenInput('overlap', '0')}<p class="quiet">${text.publicEnds}</p>`
    : selectField({
        name: 'overlap',
        label: text.overlap,
        hint: text.overlapHint,
        options: OVERLAPS.map((value) => ({ value, label: secrets.overlaps[value] })),
        value: choice.overlap,
      })
}
${confirm(view)}
<div class="actions">
${submitButton({ text: text.accept })}
${buttonLink({ text: text.later, href: APPLICATIONS, kind: 'secondary' })}
</div>`,
})}`;
}

const linesIn = (lines: readonly string[], none: string): Renderable =>
  lines.length === 0 ? none : lines.map((line, place) => html`${place > 0 && html`<br>`}${line}`);

const keysOf = ({ jwks }: Handover, { applications: { transfer } }: Messages): Renderable =>
  linesIn(
    (jwks?.keys ?? []).map(({ kty, kid }) => [kty, kid].filter(Boolean).join(' ')),
    transfer.none,
  );

const secretsOf = ({ secrets }: Handover, messages: Messages): Renderable =>
  secrets.length === 0
    ? messages.applications.transfer.noSecret
    : secrets.map(
        ({ number, createdAt, expiresAt }, place) =>
          html`${place > 0 && html`<br>`}${messages.applications.secrets.number(number)}, ${messages.applications.transfer.created} ${moment(createdAt, messages)}${
            expiresAt && html`, ${messages.applications.transfer.until} ${moment(expiresAt, messages)}`
          }`,
      );

const confirm = ({ messages, recent, errors }: Asked) =>
  confirmationField({
    recent,
    label: messages.fields.confirmPassword,
    hint: messages.fields.confirmPasswordHint,
    errors,
  });
