// Owns what the sign-in and sign-up pages have in common: where one is going, and the way back.

import type { Messages } from '../../i18n/index.ts';
import { form, submitButton } from './form.ts';
import { type Html, html } from './html.ts';

/** « pour continuer vers NAME », with the host that the person will land on. */
export function destination(continueTo: string, application: { name: string; host: string }): Html {
  return html`<p class="destination">${continueTo} <strong><bdi>${application.name}</bdi></strong> <span class="host">${application.host}</span></p>`;
}

/** What a page of our own is entered for, where its address alone would leave people wondering. */
export const purposeOf = (messages: Messages, next: string | undefined): Html | undefined =>
  next?.startsWith('/device') ? html`<p class="destination">${messages.device.signInFor}</p>` : undefined;

/** Back to the application that sent the person, which is told that they did not want to. */
export function cancelForm(
  messages: Messages,
  view: { csrf: string; pending?: string | undefined; application?: { name: string } | undefined },
): Html | undefined {
  if (view.pending === undefined || view.application === undefined) return undefined;
  return form({
    action: '/signin/cancel',
    csrf: view.csrf,
    pending: view.pending,
    body: submitButton({ text: messages.signIn.cancel(view.application.name), kind: 'way' }),
  });
}

/** The same for somebody who is signed in: away from a page of our own, which nobody has to be told of, to their account. */
export const wayBack = (messages: Messages, view: Parameters<typeof cancelForm>[1]): Html | undefined =>
  view.application === undefined
    ? html`<p class="aside"><a href="/account">${messages.signIn.toAccount}</a></p>`
    : cancelForm(messages, view);
