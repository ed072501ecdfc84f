// GET and POST /signout: a session ends on the server, not only in the browser.
import type { FastifyInstance } from 'fastify';
import { formOf, queryOf, requireForm } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import type { Messages } from '../../i18n/index.ts';
import { logoutAddress, openLogoutTarget } from '../../oauth/logout-request.ts';
import { callbackHost } from '../../oauth/redirect-uri.ts';
import { findLogoutApplication } from '../../store/clients.ts';
import { accountsHere, endHere } from '../../web/accounts-here.ts';
import { browserIdsOf, ensureBrowserId } from '../../web/browser.ts';
import { csrfToken, formRefused, isCsrfToken, requireOwnOrigin } from '../../web/csrf.ts';
import { farewell } from '../../web/farewells.ts';
import type { AccountRow } from '../../web/html/account-rows.ts';
import { destination } from '../../web/html/entrance.ts';
import { form, hiddenInput, submitButton } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';

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
    const application = (await destinationOf(logout))?.application;
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
    return reply.redirect((await destinationOf(logout))?.address ?? farewell(left), 303);
  });

  /** What the application wants that asked for the sign-out; an address that it no longer has counts as none. */
  async function destinationOf(sealed: string | undefined): Promise<Destination | undefined> {
    const target = sealed === undefined ? undefined : openLogoutTarget(sealer, sealed);
    if (target === undefined) return undefined;
    const found = await findLogoutApplication(database, target.clientId, target.redirectUri);
    if (found === undefined) return undefined;
    const application = { name: found.name, host: callbackHost(target.redirectUri) };
    return { address: logoutAddress(target), application };
  }
}

type Logout = { sealed: string | undefined; application: Destination['application'] };

function signOutView(view: {
  messages: Messages;
  csrf: string;
  account: AccountRow;
  others: readonly { email: string }[];
  logout: Logout | undefined;
}): Html {
  const { messages, account, others, logout } = view;
  return html`<h1>${messages.signOut.title}</h1>
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
function leaveView(view: { messages: Messages; csrf: string; logout: Logout }): Html {
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
