// Owns the look of the pages that confirm signing out, and going on to where an application wants the person then.

import type { Messages } from '../../i18n/index.ts';
import type { AccountRow } from '../../web/html/account-rows.ts';
import { destination } from '../../web/html/entrance.ts';
import { attention, form, hiddenInput, submitButton } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';

/** Where an application wants the person afterwards: sealed, and in words. */
type Logout = { sealed: string | undefined; application: { name: string; host: string } };

export type SignOutView = {
  messages: Messages;
  csrf: string;
  account: AccountRow;
  /** The other accounts that are signed in in this browser. */
  others: readonly { email: string }[];
  logout?: Logout | undefined;
  /** The code of a request whose return address is none of the application's: nobody is led there. */
  incident?: string | undefined;
};

export function signOutView(view: SignOutView): Html {
  const { messages, account, others, logout, incident } = view;
  return html`${attention(incident && messages.signOut.stranded(incident))}<h1>${messages.signOut.title}</h1>
<p class="destination"><strong><bdi>${account.name}</bdi></strong> <span class="host">${account.email}</span></p>
<p>${messages.signOut.text}</p>
${logout && destination(messages.signOut.goOnTo, logout.application)}
${form({
  action: '/signout',
  csrf: view.csrf,
  body: html`${hiddenInput('logout', logout?.sealed)}${hiddenInput('account', account.sid)}${submitButton({ text: messages.signOut.action })}${
    others.length > 0 &&
    html`
<p class="also">${messages.signOut.also(others.map(({ email }) => email))}</p>
${submitButton({ text: messages.signOut.all, kind: 'secondary', name: 'all', value: 'yes' })}`
  }`,
})}
<p class="aside"><a href="/">${messages.signOut.cancel}</a></p>`;
}

/** Signed out already: whether to go where the application says. Anybody may have made the link, so that nothing leads there by itself. */
export function leaveView(view: { messages: Messages; csrf: string; logout: Logout }): Html {
  const { messages, logout } = view;
  return html`<h1>${messages.signOut.leaveTitle}</h1>
<p>${messages.signOut.leaveText}</p>
${destination(messages.signOut.leaveTo, logout.application)}
${form({
  action: '/signout',
  csrf: view.csrf,
  body: html`${hiddenInput('logout', logout.sealed)}<p class="actions">${submitButton({ text: messages.signOut.leave(logout.application.host), kind: 'secondary' })}</p>`,
})}
<p class="aside"><a href="/">${messages.signOut.stay}</a></p>`;
}
