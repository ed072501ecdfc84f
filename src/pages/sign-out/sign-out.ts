// /signout: ends sessions on the server and in the browser.
import type { FastifyInstance } from 'fastify';
import { readForm, readQuery, requireForm } from '../../http/parameters.ts';
import type { Services } from '../../http/services.ts';
import type { Messages } from '../../i18n/index.ts';
import { buildLogoutRedirectUrl, openLogoutTarget } from '../../oauth/logout-request.ts';
import { getRedirectUriHost } from '../../oauth/redirect-uri.ts';
import { findPostLogoutClient } from '../../store/clients.ts';
import { browserIdsOf, ensureBrowserId } from '../../web/browser.ts';
import { createCsrfToken, csrfError, isCsrfToken, requireSameOrigin } from '../../web/csrf.ts';
import type { AccountRow } from '../../web/html/account-rows.ts';
import { buttonLink, submitButton } from '../../web/html/buttons.ts';
import { hiddenInput } from '../../web/html/fields.ts';
import { form } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { destination } from '../../web/html/login-elements.ts';
import { logo } from '../../web/html/pictures.ts';
import { withProviderLogout } from '../../web/provider-logout.ts';
import { signedOutUrl } from '../../web/sign-out-redirects.ts';
import { findSignedInAccounts, signOutAccounts } from '../../web/signed-in-accounts.ts';

interface Destination {
  url: string;
  application: Parameters<typeof logo>[0] & { host: string };
}

export function signOutPage(app: FastifyInstance, services: Services): void {
  const { database, sealer } = services;

  app.get('/signout', async (request, reply) => {
    const accounts = await findSignedInAccounts(request, services);
    const [account] = accounts;
    const logout = readQuery(request).get('logout');
    const application = (await openDestination(logout))?.application;
    if (account !== undefined)
      return reply.page({
        title: (messages) => messages.signOut.title,
        account,
        postsToClient: application !== undefined,
        main: (messages) =>
          signOutView({
            messages,
            csrf: createCsrfToken(sealer, account.id),
            account,
            others: accounts.slice(1),
            logout: application && { sealed: logout, application },
          }),
      });
    if (application === undefined) return reply.redirect('/', 303);
    // Without confirmation, this would be an open redirect because anyone can register a client.
    return reply.page({
      title: (messages) => messages.signOut.leaveTitle,
      postsToClient: true,
      main: (messages) =>
        confirmRedirectView({
          messages,
          csrf: createCsrfToken(sealer, ensureBrowserId(reply)),
          logout: { sealed: logout, application },
        }),
    });
  });

  app.post('/signout', { preHandler: requireForm }, async (request, reply) => {
    requireSameOrigin(request);
    // An anonymous user's CSRF token is bound to the browser id.
    const accounts = await findSignedInAccounts(request, services);
    const form = readForm(request);
    const logout = form.get('logout');
    const tokenHolders = accounts.length === 0 ? browserIdsOf(request) : accounts.map(({ id }) => id);
    if (!isCsrfToken(sealer, form.get('csrf'), tokenHolders)) {
      // The user already signed out in another tab.
      if (accounts.length === 0) return reply.redirect('/', 303);
      throw csrfError();
    }
    // The user may have switched accounts in another tab.
    const selectedSid = form.get('account') ?? accounts[0]?.sid;
    const ended =
      form.get('all') === undefined ? accounts.filter(({ sid }) => sid === selectedSid) : accounts;
    const remaining = await signOutAccounts(reply, services, { accounts, ended });
    const url = (await openDestination(logout))?.url ?? signedOutUrl(remaining);
    return reply.redirect(await withProviderLogout(reply, services, ended, url), 303);
  });

  async function openDestination(sealed: string | undefined): Promise<Destination | undefined> {
    const target = sealed === undefined ? undefined : openLogoutTarget(sealer, sealed);
    if (target === undefined) return undefined;
    const client = await findPostLogoutClient(database, target.clientId, target.redirectUri);
    if (client === undefined) return undefined;
    const { clientId, redirectUri } = target;
    const application = { ...client, clientId, host: getRedirectUriHost(redirectUri) };
    return { url: buildLogoutRedirectUrl(target), application };
  }
}

type PendingLogout = { sealed: string | undefined; application: Destination['application'] };

function signOutView(view: {
  messages: Messages;
  csrf: string;
  account: AccountRow;
  others: readonly { email: string }[];
  logout: PendingLogout | undefined;
}): Html {
  const { messages, account, others, logout } = view;
  return html`<h1>${messages.signOut.title}</h1>
<p class="destination"><strong><bdi>${account.name}</bdi></strong> <span class="host">${account.email}</span></p>
<p>${messages.signOut.text}</p>
${logout && destination(messages.signOut.goOnTo, logout.application, logo(logout.application, 40))}
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
<p class="actions">${buttonLink({ text: messages.errorPages.staySignedIn, href: '/', kind: 'secondary' })}</p>`;
}

function confirmRedirectView(view: { messages: Messages; csrf: string; logout: PendingLogout }): Html {
  const { messages, logout } = view;
  return html`<h1>${messages.signOut.leaveTitle}</h1>
<p>${messages.signOut.leaveText}</p>
${destination(messages.signOut.leaveTo, logout.application, logo(logout.application, 40))}
${form({
  action: '/signout',
  csrf: view.csrf,
  body: html`${hiddenInput('logout', logout.sealed)}<p class="actions">${submitButton({ text: messages.signOut.leave(logout.application.host), kind: 'secondary' })}</p>`,
})}
<p class="aside"><a href="/">${messages.signOut.stay}</a></p>`;
}
