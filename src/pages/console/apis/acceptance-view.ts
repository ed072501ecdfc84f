// Owns the look of taking an API that is on offer: everything that comes along with it.

import { OVERLAPS } from '../../../applications/secrets.ts';
import type { Locale } from '../../../i18n/index.ts';
import type { ApiHandover } from '../../../store/api-handover.ts';
import type { ReceivedApiOffer } from '../../../store/transfer-offers.ts';
import {
  buttonLink,
  confirmationField,
  type FormState,
  form,
  formStatus,
  hiddenInput,
  selectField,
  submitButton,
} from '../../../web/html/form.ts';
import { type Html, html } from '../../../web/html/html.ts';
import { day } from '../../../web/html/time.ts';
import { keysOf, linesIn, secretsOf } from '../acceptance-view.ts';
import { APIS, apiAddress, apiWay } from './frame-view.ts';

export type AcceptanceView = FormState & {
  offer: ReceivedApiOffer;
  handover: ApiHandover;
  overlap: string;
  shown: string;
  locale: Locale;
};

export function acceptanceView(view: AcceptanceView): Html {
  const { messages, csrf, offer, handover, overlap, shown, locale } = view;
  const { transfer: text, list, secrets } = messages.applications;
  const { detail, admits, transfer: ofApis } = messages.apis;
  return html`${apiWay(messages)}
${formStatus(view)}
<h1>${text.acceptTitle(offer.name)}</h1>
<dl class="facts facts--framed facts--application">
<div><dt>${text.from}</dt><dd><bdi>${offer.ownerName}</bdi> (${offer.ownerEmail})</dd></div>
<div><dt>${list.offerEnds}</dt><dd>${day(offer.expiresAt, messages)}</dd></div>
<div><dt>${detail.identifier}</dt><dd><code class="whole">${offer.identifier}</code></dd></div>
</dl>
<p>${text.acceptText}</p>
<h2>${text.ends}</h2>
<dl class="facts facts--framed facts--application">
<div><dt>${text.keys}</dt><dd>${keysOf(handover, text.none)}</dd></div>
</dl>
<h2>${text.stays}</h2>
<dl class="facts facts--framed facts--application">
<div><dt>${text.secrets}</dt><dd>${secretsOf(handover, messages)}</dd></div>
<div><dt>${detail.scopes}</dt><dd>${linesIn(
    handover.scopes.map((scope) => html`<code>${scope.name}</code> ${scope[locale]}`),
    text.none,
  )}</dd></div>
<div><dt>${detail.admits}</dt><dd>${admits[handover.admits]}</dd></div>
<div><dt>${ofApis.granted}</dt><dd>${linesIn(
    handover.granted.map(({ name, scopes }) => `${name} (${scopes.join(' ')})`),
    text.none,
  )}</dd></div>
<div><dt>${ofApis.cutOff}</dt><dd>${linesIn(
    handover.cutOff.map(({ name }) => name),
    text.none,
  )}</dd></div>
</dl>
${form({
  action: apiAddress(offer.apiId, 'transfer/accept'),
  csrf,
  body: html`${hiddenInput('shown', shown)}
${selectField({
  name: 'overlap',
  label: text.overlap,
  hint: ofApis.overlapHint,
  options: OVERLAPS.map((value) => ({ value, label: secrets.overlaps[value] })),
  value: overlap,
  errors: view.errors,
})}
${confirmationField(view)}
<div class="actions">
${submitButton({ text: ofApis.accept })}
${buttonLink({ text: text.later, href: APIS, kind: 'secondary' })}
</div>`,
})}`;
}
