// Owns the look of the page on which a person chooses among the accounts that are signed in in this browser.

import { type AccountRow, accountRows } from '../../web/html/account-rows.ts';
import { cancelForm, destination } from '../../web/html/entrance.ts';
import { type FormState, form, formStatus, hiddenInput } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';

export type AccountsView = FormState & {
  /** The sealed authorization request that an account is chosen for, if any. */
  pending?: string | undefined;
  /** The page of our own that choosing leads to, if any. */
  next?: string | undefined;
  application?: { name: string; host: string } | undefined;
  accounts: readonly AccountRow[];
  /** Where to sign in with an account that is not among them. */
  anotherHref: string;
};

export function accountsView(view: AccountsView): Html {
  const { messages, accounts } = view;
  const { accounts: text, signIn } = messages;
  const another = html`<a class="account" href="${view.anotherHref}"><span class="account-another" aria-hidden="true">+</span> <span class="account-who">${text.another}</span></a>`;
  return html`${formStatus(view)}
<h1>${text.title}</h1>
${view.application && destination(signIn.continueTo, view.application)}
${form({
  action: '/accounts',
  csrf: view.csrf,
  pending: view.pending,
  body: html`${hiddenInput('next', view.next)}${accountRows(accounts, messages, another)}`,
})}
<p class="aside"><a href="/signout">${text.signOut}</a></p>
${cancelForm(messages, view)}`;
}
