// Owns the look of taking an application that is on offer.

import { OVERLAPS } from '../../applications/secrets.ts';
import type { Messages } from '../../i18n/index.ts';
import type { Handover } from '../../store/handover.ts';
import type { ReceivedOffer } from '../../store/transfer-offers.ts';
import {
  buttonLink,
  choiceField,
  confirmationField,
  type FormState,
  form,
  formStatus,
  hiddenInput,
  selectField,
  submitButton,
} from '../../web/html/form.ts';
import { type Html, html, type Renderable } from '../../web/html/html.ts';
import { day, moment } from '../../web/html/time.ts';
import { APPLICATIONS, applicationAddress, way } from './parts-view.ts';
import { listedSecret } from './secrets-view.ts';

export type AcceptView = FormState & {
  offer: ReceivedOffer;
  handover: Handover;
  choice: { keep: readonly number[]; overlap: string };
  shown: string;
};

export function acceptView(view: AcceptView): Html {
  const { messages, csrf, offer, handover, choice, shown, errors } = view;
  const { transfer: text, list, secrets } = messages.applications;
  return html`${way(messages)}
${formStatus(view)}
<h1>${text.acceptTitle(offer.name)}</h1>
<dl class="facts facts--framed facts--application">
<div><dt>${text.from}</dt><dd><bdi>${offer.ownerName}</bdi> (${offer.ownerEmail})</dd></div>
<div><dt>${list.offerEnds}</dt><dd>${day(offer.expiresAt, messages)}</dd></div>
</dl>
<p>${text.acceptText}</p>
<h2>${text.ends}</h2>
<dl class="facts facts--framed facts--application">
<div><dt>${text.keys}</dt><dd>${keysOf(handover, text.none)}</dd></div>
<div><dt>${text.backchannel}</dt><dd>${handover.backchannelLogoutUri ?? text.none}</dd></div>
<div><dt>${text.postLogout}</dt><dd>${linesIn(handover.postLogoutRedirectUris, text.none)}</dd></div>
<div><dt>${text.serviceAccess}</dt><dd>${linesIn(
    handover.serviceAccess.map(({ api, scopes }) => `${api} (${scopes.join(' ')})`),
    text.noServiceAccess,
  )}</dd></div>
</dl>
<h2>${text.stays}</h2>
<dl class="facts facts--framed facts--application">
<div><dt>${text.secrets}</dt><dd>${secretsOf(handover, messages)}</dd></div>
<div><dt>${text.scopes}</dt><dd>${handover.scopes.map((scope) => html`<code class="tag">${scope}</code> `)}</dd></div>
</dl>
${form({
  action: applicationAddress(offer.clientId, 'transfer/accept'),
  csrf,
  body: html`${hiddenInput('shown', shown)}
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
        errors,
      })
}
${confirmationField(view)}
<div class="actions">
${submitButton({ text: text.accept })}
${buttonLink({ text: text.later, href: APPLICATIONS, kind: 'secondary' })}
</div>`,
})}`;
}

export const linesIn = (lines: readonly (Html | string)[], none: string): Renderable =>
  lines.length === 0 ? none : lines.map((line, place) => html`${place > 0 && html`<br>`}${line}`);

export const keysOf = ({ jwks }: Pick<Handover, 'jwks'>, none: string): Renderable =>
  linesIn(
    (jwks?.keys ?? []).map(({ kty, kid }) => [kty, kid].filter(Boolean).join(' ')),
    none,
  );

/** The secrets that come along, of an application or of an API. */
export const secretsOf = ({ secrets }: Pick<Handover, 'secrets'>, messages: Messages): Renderable => {
  const { created, until, noSecret } = messages.applications.transfer;
  return linesIn(
    secrets.map(
      (secret) =>
        html`${listedSecret(secret, messages)}, ${created} ${moment(secret.createdAt, messages)}${
          secret.expiresAt && html`, ${until} ${moment(secret.expiresAt, messages)}`
        }`,
    ),
    noSecret,
  );
};
