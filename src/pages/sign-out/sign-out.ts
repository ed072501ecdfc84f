// GET and POST /signout: a session ends on the server, not only in the browser.
import type { FastifyInstance } from 'fastify';
import { formOf, queryOf, requireForm } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import { logoutAddress, openLogoutWish } from '../../oauth/logout-request.ts';
import { callbackHost } from '../../oauth/redirect-uri.ts';
import { findLogoutApplication } from '../../store/clients.ts';
import { accountsHere, endHere } from '../../web/accounts-here.ts';
import { browserIdsOf, ensureBrowserId } from '../../web/browser.ts';
import { csrfToken, formRefused, isCsrfToken, requireOwnOrigin } from '../../web/csrf.ts';
import { farewell } from '../../web/farewells.ts';
import { leaveView, signOutView } from './sign-out-view.ts';

/** Where a person goes after signing out, as far as it still is an address of the application. */
interface Destination {
  address: string;
  application: { name: string; host: string };
}

export function signOutPage(app: FastifyInstance, parts: Parts): void {
  const { database, sealer } = parts;

  app.get('/signout', async (request, reply) => {
    const accounts = await accountsHere(request, parts);
    const [account] = accounts;
    const logout = queryOf(request).get('logout');
    const wish = logout === undefined ? undefined : await wishOf(logout);
    const application = wish?.destination?.application;
    if (account !== undefined)
      return reply.page({
        title: (messages) => messages.signOut.title,
        account,
        formsLeave: application !== undefined,
        main: (messages) =>
          signOutView({
            messages,
            csrf: csrfToken(sealer, account.id),
            account,
            others: accounts.slice(1),
            logout: application && { sealed: logout, application },
            incident: wish?.incident,
          }),
      });
    if (application === undefined) return reply.redirect('/', 303);
    // Nobody is signed in, and no address leads away from here unasked: anybody can register one.
    return reply.page({
      title: (messages) => messages.signOut.leaveTitle,
      formsLeave: true,
      main: (messages) =>
        leaveView({
          messages,
          csrf: csrfToken(sealer, ensureBrowserId(reply)),
          logout: { sealed: logout, application },
        }),
    });
  });

  app.post('/signout', { preHandler: requireForm }, async (request, reply) => {
    requireOwnOrigin(request);
    // Sessions that are over have nothing to end, and the page was made for the browser then.
    const accounts = await accountsHere(request, parts);
    const form = formOf(request);
    const logout = form.get('logout');
    const own = accounts.length === 0 ? browserIdsOf(request) : accounts.map(({ id }) => id);
    if (!isCsrfToken(sealer, form.get('csrf'), own)) {
      // Signed out meanwhile, in another tab: there is nothing left to do.
      if (accounts.length === 0) return reply.redirect('/', 303);
      throw formRefused();
    }
    // The account that the page named, even where another tab has switched to another one meanwhile.
    const named = form.get('account') ?? accounts[0]?.sid;
    const ended = form.get('all') === undefined ? accounts.filter(({ sid }) => sid === named) : accounts;
    const left = await endHere(reply, parts, { accounts, ended });
    const wish = logout === undefined ? undefined : await wishOf(logout);
    return reply.redirect(wish?.destination?.address ?? farewell(left), 303);
  });

  /** What the application wants that asked for the sign-out; an address that it no longer has counts as none. */
  async function wishOf(
    sealed: string,
  ): Promise<{ destination?: Destination; incident?: string } | undefined> {
    const wish = openLogoutWish(sealer, sealed);
    if (wish === undefined) return undefined;
    if ('refused' in wish) return { incident: wish.incident };
    const found = await findLogoutApplication(database, wish.clientId, wish.redirectUri);
    if (found === undefined) return undefined;
    const application = { name: found.name, host: callbackHost(wish.redirectUri) };
    return { destination: { address: logoutAddress(wish), application } };
  }
}
