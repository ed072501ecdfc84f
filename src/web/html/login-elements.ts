// Shared elements of the login pages: destination, purpose, and cancel forms and links.
import type { Messages } from '../../i18n/index.ts';
import { submitButton } from './buttons.ts';
import { type FormState, form } from './form.ts';
import { type Html, html } from './html.ts';

export function destination(
  continueTo: string,
  application: { name: string; host: string },
  picture?: Html,
): Html {
  const text = html`${continueTo} <strong><bdi>${application.name}</bdi></strong> <span class="host">${application.host}</span>`;
  return picture === undefined
    ? html`<p class="destination">${text}</p>`
    : html`<div class="destination destination--pictured">${picture}<p>${text}</p></div>`;
}

export const loginPurpose = (messages: Messages, next: string | undefined): Html | undefined =>
  next?.startsWith('/device') ? html`<p class="destination">${messages.device.signInFor}</p>` : undefined;

type CancelState = Pick<FormState, 'messages' | 'csrf' | 'pending'>;

/** Submitting this form sends `access_denied` to the client. */
export function cancelForm(
  { messages, csrf, pending }: CancelState,
  application: { name: string } | undefined,
): Html | undefined {
  if (pending === undefined || application === undefined) return undefined;
  const text = messages.signIn.cancel(application.name);
  return form({ action: '/signin/cancel', csrf, pending, body: submitButton({ text, kind: 'link' }) });
}

/** Links to the account page if no client started the flow. The user must be signed in. */
export const cancelOrAccountLink = (
  view: CancelState,
  application: { name: string } | undefined,
): Html | undefined =>
  application === undefined
    ? html`<p class="aside"><a href="/account">${view.messages.signIn.toAccount}</a></p>`
    : cancelForm(view, application);
