// /accounts: switches between the accounts that are signed in to this browser (ADR 12).
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readForm } from '../../http/parameters.ts';
import type { Services } from '../../http/services.ts';
import { matchesLoginHint } from '../../oauth/authorization-step.ts';
import { findClientBranding } from '../../store/owned-clients.ts';
import { writeSessionCookies } from '../../web/browser.ts';
import { type AccountRow, accountRows } from '../../web/html/account-rows.ts';
import { type FormState, formStatus, loginForm } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { icon } from '../../web/html/icons.ts';
import { cancelForm, destination } from '../../web/html/login-elements.ts';
import { logo } from '../../web/html/pictures.ts';
import { sealForBrowser } from '../../web/pending-requests.ts';
import {
  addAccountUrl,
  destinationClient,
  loginUrl,
  parseReturnTo,
  type ReturnTo,
  returnUrl,
} from '../../web/return-to.ts';
import { findSignedInAccounts } from '../../web/signed-in-accounts.ts';

export function accountsPage(app: FastifyInstance, services: Services): void {
  app.formPage({
    path: '/accounts',
    loadSubject: async (request: FastifyRequest, reply: FastifyReply) => ({
      returnTo: await parseReturnTo(request, reply, services),
      accounts: await findSignedInAccounts(request, services),
    }),
    respondInstead: ({ returnTo, accounts }) =>
      accounts.length === 0 ? loginUrl('/signin', returnTo) : undefined,
    parse: () => ({}),
    async act({ request, reply, subject: { returnTo, accounts } }) {
      const sid = readForm(request).get('account');
      const chosen = accounts.find((account) => account.sid === sid);
      if (chosen === undefined) return { errors: [{ text: ({ accounts: text }) => text.over }] };
      const others = accounts.filter((account) => account !== chosen).map(({ id }) => id);
      return () => {
        if (!chosen.active) writeSessionCookies(reply, chosen.id, others);
        const { page, next } = returnTo;
        const pending = page && { ...page.pending, selectedUserId: chosen.userId };
        const sealed = pending && { ...page, sealed: sealForBrowser(reply, services, pending) };
        return reply.redirect(returnUrl({ page: sealed, next }), 303);
      };
    },
    doneMessages: ({ accounts }) => ({ 'signed-out': accounts.signedOut }),
    pageUrl: ({ returnTo }) => loginUrl('/accounts', returnTo),
    async render({ subject: { returnTo, accounts } }) {
      const client = destinationClient(returnTo);
      const branding = client && (await findClientBranding(services.database, client.clientId));
      return {
        returnTo,
        title: (messages) => messages.accounts.title,
        main: (form) =>
          accountsView({
            ...form,
            returnTo,
            accounts: sortHintedFirst(accounts, returnTo.page?.pending.request.loginHint),
            application: client && { ...client, logo: branding?.logo },
          }),
      };
    },
  });
}

type AccountsView = FormState & {
  returnTo: ReturnTo;
  accounts: readonly AccountRow[];
  application: (Parameters<typeof logo>[0] & { host: string }) | undefined;
};

function accountsView(view: AccountsView): Html {
  const { messages, returnTo, accounts, application } = view;
  const { accounts: text, signIn } = messages;
  const addAccountLink = html`<a class="account" href="${addAccountUrl('/signin', returnTo)}"><span class="account-another">${icon('plus', 18)}</span> <span class="account-identity">${text.another}</span></a>`;
  return html`${formStatus(view)}
<h1>${text.title}</h1>
${application && destination(signIn.continueTo, application, logo(application, 40))}
${loginForm(view, '/accounts', accountRows(accounts, messages, addAccountLink))}
${accounts[0] && html`<p class="aside"><a href="/signout">${text.signOut(accounts[0].email)}</a></p>`}
${cancelForm(view, application)}`;
}

const sortHintedFirst = <Account extends { email: string }>(
  accounts: readonly Account[],
  hint: string | undefined,
): Account[] => {
  const isHinted = ({ email }: Account) => matchesLoginHint(hint, email);
  return accounts.toSorted((one, other) => Number(isHinted(other)) - Number(isHinted(one)));
};
