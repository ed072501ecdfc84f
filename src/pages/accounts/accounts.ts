// /accounts: which of the accounts that are signed in in this browser continues, or another one (ADR 12).
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { formOf } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import { matchesLoginHint } from '../../oauth/next-step.ts';
import { accountsHere } from '../../web/accounts-here.ts';
import { keepSessions } from '../../web/browser.ts';
import { type AccountRow, accountRows } from '../../web/html/account-rows.ts';
import { cancelForm, destination } from '../../web/html/entrance.ts';
import { type FormState, formStatus, loginForm } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { seal } from '../../web/pending.ts';
import {
  addAccountUrl,
  destinationOf,
  loginUrl,
  parseReturnTo,
  type ReturnTo,
  returnUrl,
} from '../../web/return-to.ts';

export function accountsPage(app: FastifyInstance, parts: Parts): void {
  app.formPage({
    url: '/accounts',
    about: async (request: FastifyRequest, reply: FastifyReply) => ({
      returnTo: await parseReturnTo(request, reply, parts),
      accounts: await accountsHere(request, parts),
    }),
    elsewhere: ({ returnTo, accounts }) =>
      accounts.length === 0 ? loginUrl('/signin', returnTo) : undefined,
    read: () => ({}),
    async act({ request, reply, about: { returnTo, accounts } }) {
      const sid = formOf(request).get('account');
      const chosen = accounts.find((account) => account.sid === sid);
      if (chosen === undefined) return { faults: [{ text: ({ accounts: text }) => text.over }] };
      const others = accounts.filter((account) => account !== chosen).map(({ id }) => id);
      return () => {
        if (!chosen.active) keepSessions(reply, chosen.id, others);
        const { page, next } = returnTo;
        const pending = page && { ...page.pending, chosen: chosen.userId };
        const sealed = pending && { ...page, sealed: seal(reply, parts, pending) };
        return reply.redirect(returnUrl({ page: sealed, next }), 303);
      };
    },
    done: ({ accounts }) => ({ 'signed-out': accounts.signedOut }),
    address: ({ returnTo }) => loginUrl('/accounts', returnTo),
    page: ({ about: { returnTo, accounts } }) => ({
      returnTo,
      title: (messages) => messages.accounts.title,
      main: (form) =>
        accountsView(form, returnTo, hintedFirst(accounts, returnTo.page?.pending.request.loginHint)),
    }),
  });
}

function accountsView(view: FormState, returnTo: ReturnTo, accounts: readonly AccountRow[]): Html {
  const { messages } = view;
  const { accounts: text, signIn } = messages;
  const application = destinationOf(returnTo);
  const another = html`<a class="account" href="${addAccountUrl('/signin', returnTo)}"><span class="account-another" aria-hidden="true">+</span> <span class="account-who">${text.another}</span></a>`;
  return html`${formStatus(view)}
<h1>${text.title}</h1>
${application && destination(signIn.continueTo, application)}
${loginForm(view, '/accounts', accountRows(accounts, messages, another))}
<p class="aside"><a href="/signout">${text.signOut}</a></p>
${cancelForm(view, application)}`;
}

/** The account that the application suggests comes first. */
const hintedFirst = <Account extends { email: string }>(
  accounts: readonly Account[],
  hint: string | undefined,
): Account[] => {
  const isHinted = ({ email }: Account) => matchesLoginHint(hint, email);
  return accounts.toSorted((one, other) => Number(isHinted(other)) - Number(isHinted(one)));
};
