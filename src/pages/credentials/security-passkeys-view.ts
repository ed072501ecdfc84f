// Views of passkeys: their list, and the pages that create, offer, rename and delete one.
import type { Messages } from '../../i18n/index.ts';
import type { Passkey } from '../../store/passkeys.ts';
import { accountFrame } from '../../web/html/account-frame.ts';
import { wayBack } from '../../web/html/entrance.ts';
import {
  confirmationField,
  type FormState,
  form,
  formStatus,
  hiddenInput,
  needsScript,
  submitButton,
  textField,
} from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { passkeyMaker } from '../../web/html/passkey.ts';
import { ago, day } from '../../web/html/time.ts';
import { NEW_PASSKEY, OFFER_PASSKEY } from '../../web/passkeys.ts';
import { SECURITY, securityForm } from './security-form-view.ts';

export function passkeyList(messages: Messages, passkeys: readonly Passkey[], mayAdd: boolean): Html {
  const text = messages.account.security.passkeys;
  return html`<h2>${text.title}</h2>
${passkeys.length === 0 ? html`<p class="quiet">${text.none}</p>` : html`<p>${text.lead}</p>`}
${
  passkeys.length > 0 &&
  html`<ul class="connected">
${passkeys.map(
  ({ credentialId, name, synced, createdAt, lastUsedAt }) => html`<li>
<div class="connected-who"><h3><bdi>${name}</bdi></h3></div>
<dl class="facts">
<div><dt>${text.kept}</dt><dd>${synced ? text.synced : text.bound}</dd></div>
<div><dt>${text.created}</dt><dd>${day(createdAt, messages)}</dd></div>
<div><dt>${text.lastUsed}</dt><dd>${lastUsedAt === null ? text.neverUsed : ago(lastUsedAt, messages)}</dd></div>
</dl>
<p class="actions"><a class="change" href="${SECURITY}/passkeys/rename?passkey=${credentialId}">${text.rename}<span class="unseen"> ${name}</span></a>
<a class="change" href="${SECURITY}/passkeys/remove?passkey=${credentialId}">${text.remove}<span class="unseen"> ${name}</span></a></p>
</li>
`,
)}</ul>`
}
${mayAdd && html`<p class="actions"><a class="button button--secondary" href="${NEW_PASSKEY}"><span>${text.add}</span></a></p>`}`;
}

export type NewPasskeyView = FormState & {
  pending: string | undefined;
  next: string | undefined;
  /** On the way to something: what, undefined for a page of ours, and the token of the way back. */
  entry: { application: { name: string } | undefined; cancelCsrf: string } | undefined;
  options: string;
};

export function newPasskeyView(view: NewPasskeyView): Html {
  const { messages } = view;
  const text = messages.account.security.passkeys;
  const body = html`${formStatus(view)}
<h1>${text.newTitle}</h1>
<p class="lead">${text.newText}</p>
${form({
  action: NEW_PASSKEY,
  csrf: view.csrf,
  pending: view.pending,
  body: html`${hiddenInput('next', view.next)}${confirmationField(view)}
${passkeyMaker(messages, view.options, text.make)}`,
})}
${needsScript(messages.passkeys.needsScript)}
<p class="aside">${text.newAdvice}</p>`;
  if (view.entry === undefined) return accountFrame(messages, 'security', body, { within: true });
  const { application, cancelCsrf: csrf } = view.entry;
  return html`${body}
${wayBack({ ...view, csrf }, application)}`;
}

export function renamePasskeyView(view: FormState & { shown: Passkey; name: string }): Html {
  const { messages, shown, errors } = view;
  const text = messages.account.security.passkeys;
  const name = textField({ name: 'name', label: text.name, hint: text.nameHint, value: view.name, errors });
  return securityForm(view, {
    title: text.renameTitle,
    below: 'passkeys/rename',
    fields: html`${hiddenInput('passkey', shown.credentialId)}${name}`,
    does: { text: text.renameAction },
  });
}

export function removePasskeyView(view: FormState & { shown: Passkey }): Html {
  const text = view.messages.account.security.passkeys;
  return securityForm(view, {
    title: text.removeTitle(view.shown.name),
    lead: text.removeText,
    below: 'passkeys/remove',
    fields: hiddenInput('passkey', view.shown.credentialId),
    does: { text: text.removeAction, kind: 'danger' },
  });
}

export type PasskeyOfferView = FormState & {
  pending: string | undefined;
  next: string | undefined;
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
