// Owns the look of the page that offers a passkey on the way.

import {
  confirmationField,
  type FormState,
  form,
  formStatus,
  hiddenInput,
  needsScript,
  submitButton,
} from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { passkeyMaker } from '../../web/html/passkey.ts';
import { OFFER_PASSKEY } from '../../web/login.ts';

export type PasskeyOfferView = FormState & {
  pending: string | undefined;
  next: string | undefined;
  /** What the browser is asked for, as JSON. */
  options: string;
};

export function passkeyOfferView(view: PasskeyOfferView): Html {
  const { messages, csrf, pending } = view;
  const { offer: text } = messages.passkeys;
  const next = hiddenInput('next', view.next);
  return html`${formStatus(view)}
<h1>${text.title}</h1>
<p class="lead">${text.text}</p>
${form({
  action: OFFER_PASSKEY,
  csrf,
  pending,
  body: html`${next}${confirmationField(view)}
${passkeyMaker(messages, view.options, text.make)}`,
})}
${needsScript(messages.passkeys.needsScript)}
${form({
  action: OFFER_PASSKEY,
  csrf,
  pending,
  body: html`${next}<p class="actions">${submitButton({ text: text.later, kind: 'secondary', name: 'choice', value: 'later' })}
${submitButton({ text: text.never, kind: 'secondary', name: 'choice', value: 'never' })}</p>`,
})}`;
}
