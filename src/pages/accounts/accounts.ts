// /accounts: which of the accounts that are signed in in this browser goes on, or another one (ADR 12).
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { formOf } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import { matchesLoginHint } from '../../oauth/next-step.ts';
import { accountsHere } from '../../web/accounts-here.ts';
import { keepSessions } from '../../web/browser.ts';
import {
  anotherAddress,
  destinationOf,
  entranceAddress,
  onTheWay,
  onTheWayOfForm,
  onwardHere,
  sendOn,
} from '../../web/entering.ts';
import { seal } from '../../web/pending.ts';
import { accountsView } from './accounts-view.ts';

export function accountsPage(app: FastifyInstance, parts: Parts): void {
  const about = async (request: FastifyRequest, reply: FastifyReply) => ({
    onward: await onwardHere(request, reply, parts),
    accounts: await accountsHere(request, parts),
  });

  app.formPage({
    url: '/accounts',
    about,
    elsewhere: ({ onward, accounts }) =>
      accounts.length === 0 ? entranceAddress('/signin', onward) : undefined,
    read: () => ({}),
    async act({ request, reply, about: { onward, accounts } }) {
      const sid = formOf(request).get('account');
      const chosen = accounts.find((account) => account.sid === sid);
      // It ended meanwhile: the page shows those that are left.
      if (chosen === undefined) return { faults: [{ text: ({ accounts: text }) => text.over }] };
      const others = accounts.filter((account) => account !== chosen).map(({ id }) => id);
      return () => {
        if (!chosen.active) keepSessions(reply, chosen.id, others);
        const { page, next } = onward;
        if (page === undefined) return sendOn(reply, { page, next });
        const pending = { ...page.pending, chosen: chosen.userId };
        return sendOn(reply, { page: { ...page, sealed: seal(reply, parts, pending) }, next });
      };
    },
    done: ({ accounts }) => ({ 'signed-out': accounts.signedOut }),
    address: ({ onward }) => entranceAddress('/accounts', onward),
    page: ({ about: { onward, accounts } }) => ({
      ...onTheWay(onward),
      title: (messages) => messages.accounts.title,
      main: (form) =>
        accountsView({
          ...form,
          ...onTheWayOfForm(onward),
          application: onward.page && destinationOf(onward.page),
          accounts: hintedFirst(accounts, onward.page?.pending.request.loginHint),
          anotherHref: anotherAddress('/signin', onward),
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
