// What the pages of the login flow share: where it leads, and the way back.
import type { Messages } from '../../i18n/index.ts';
import { type FormState, form, submitButton } from './form.ts';
import { type Html, html } from './html.ts';

/** « pour continuer vers NAME », with the host that the person will land on. */
export function destination(continueTo: string, application: { name: string; host: string }): Html {
  return html`<p class="destination">${continueTo} <strong><bdi>${application.name}</bdi></strong> <span class="host">${application.host}</span></p>`;
}

/** What a page of our own is entered for, where its address alone would leave people wondering. */
export const purposeOf = (messages: Messages, next: string | undefined): Html | undefined =>
  next?.startsWith('/device') ? html`<p class="destination">${messages.device.signInFor}</p>` : undefined;

type Cancelling = Pick<FormState, 'messages' | 'csrf' | 'pending'>;

/** Back to the application that sent the user, which is told that they did not want to. */
export function cancelForm(
  { messages, csrf, pending }: Cancelling,
  application: { name: string } | undefined,
): Html | undefined {
  if (pending === undefined || application === undefined) return undefined;
  const text = messages.signIn.cancel(application.name);
  return form({ action: '/signin/cancel', csrf, pending, body: submitButton({ text, kind: 'way' }) });
}

/** The same for a signed-in user: from a page of this service, back to the account. */
export const wayBack = (view: Cancelling, application: { name: string } | undefined): Html | undefined =>
  application === undefined
    ? html`<p class="aside"><a href="/account">${view.messages.signIn.toAccount}</a></p>`
    : cancelForm(view, application);
