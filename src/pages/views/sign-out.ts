// Owns the look of the page that confirms signing out.
import { form, hiddenInput, submitButton } from '../../html/form.ts';
import { type Html, html } from '../../html/html.ts';
import type { Messages } from '../../i18n/index.ts';

export type SignOutView = {
  messages: Messages;
  csrf: string;
  account: { name: string; email: string };
  /** Where an application wants the person afterwards, sealed. */
  logout?: string | undefined;
};

export function signOutView(view: SignOutView): Html {
  const { messages, account } = view;
  return html`<h1>${messages.signOut.title}</h1>
<p class="destination"><strong><bdi>${account.name}</bdi></strong> <span class="host">${account.email}</span></p>
<p>${messages.signOut.text}</p>
${form({
  action: '/signout',
  csrf: view.csrf,
  body: html`${hiddenInput('logout', view.logout)}${submitButton({ text: messages.signOut.action })}`,
})}
<p class="aside"><a href="/">${messages.signOut.cancel}</a></p>`;
}
