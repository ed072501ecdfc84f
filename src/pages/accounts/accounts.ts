// /accounts: which of the accounts that are signed in in this browser goes on, or another one (ADR 12).
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { formOf } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import { matchesLoginHint } from '../../oauth/next-step.ts';
import { accountsHere } from '../../web/accounts-here.ts';
import { keepSessions } from '../../web/browser.ts';
import { addAccountUrl, destinationOf } from '../../web/login.ts';
import { seal } from '../../web/pending.ts';
import { loginUrl, parseReturnTo, returnFields, returnUrl } from '../../web/return-to.ts';
import { accountsView } from './accounts-view.ts';

export function accountsPage(app: FastifyInstance, parts: Parts): void {
  const about = async (request: FastifyRequest, reply: FastifyReply) => ({
    returnTo: await parseReturnTo(request, reply, parts),
    accounts: await accountsHere(request, parts),
  });

  app.formPage({
    url: '/accounts',
    about,
    elsewhere: ({ returnTo, accounts }) =>
      accounts.length === 0 ? loginUrl('/signin', returnTo) : undefined,
    read: () => ({}),
    async act({ request, reply, about: { returnTo, accounts } }) {
      const sid = formOf(request).get('account');
      const chosen = accounts.find((account) => account.sid === sid);
      // It ended meanwhile: the page shows those that are left.
      if (chosen === undefined) return { faults: [{ text: ({ accounts: text }) => text.over }] };
      const others = accounts.filter((account) => account !== chosen).map(({ id }) => id);
      return () => {
        if (!chosen.active) keepSessions(reply, chosen.id, others);
        const { page, next } = returnTo;
        if (page === undefined) return reply.redirect(returnUrl({ page, next }), 303);
        const pending = { ...page.pending, chosen: chosen.userId };
        return reply.redirect(
          returnUrl({ page: { ...page, sealed: seal(reply, parts, pending) }, next }),
          303,
        );
      };
    },
    done: ({ accounts }) => ({ 'signed-out': accounts.signedOut }),
    address: ({ returnTo }) => loginUrl('/accounts', returnTo),
    page: ({ about: { returnTo, accounts } }) => ({
      returnTo,
      title: (messages) => messages.accounts.title,
      main: (form) =>
        accountsView({
          ...form,
          ...returnFields(returnTo),
          application: destinationOf(returnTo),
          accounts: hintedFirst(accounts, returnTo.page?.pending.request.loginHint),
          anotherHref: addAccountUrl('/signin', returnTo),
        }),
    }),
  });
}

/** The account that the application would rather have comes first. */
const hintedFirst = <Account extends { email: string }>(
  accounts: readonly Account[],
  hint: string | undefined,
): Account[] => {
  const isHinted = ({ email }: Account) => matchesLoginHint(hint, email);
  return accounts.toSorted((one, other) => Number(isHinted(other)) - Number(isHinted(one)));
};
