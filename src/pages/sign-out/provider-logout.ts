// GET /signout/provider: leads to a provider's logout endpoint, and receives its response.
import type { FastifyInstance } from 'fastify';
import { readQuery } from '../../http/parameters.ts';
import type { Services } from '../../http/services.ts';
import { buttonLink } from '../../web/html/buttons.ts';
import { html } from '../../web/html/html.ts';
import { openLogoutState, PROVIDER_LOGOUT_PATH, startProviderLogout } from '../../web/provider-logout.ts';
import { signedOutUrl } from '../../web/sign-out-redirects.ts';

export function providerLogoutPage(app: FastifyInstance, services: Services): void {
  app.get(PROVIDER_LOGOUT_PATH, async (request, reply) => {
    const state = readQuery(request).get('state') ?? '';
    const url = openLogoutState(request, services, state);
    if (url === undefined) return reply.redirect(signedOutUrl([]), 303);
    const logout = await startProviderLogout(reply, services, state);
    if (logout === undefined) return reply.redirect(url, 303);
    const { name, url: logoutUrl } = logout;
    // Browsers would block a redirect because `form-action` also applies to redirects after a form
    // submission (ADR 6).
    return reply.header('refresh', `0;url=${logoutUrl.href}`).page({
      title: ({ signOut }) => signOut.atProvider.title(name),
      main: ({ signOut: { atProvider } }) => html`<h1>${atProvider.title(name)}</h1>
<p class="lead">${atProvider.text(name)}</p>
<p class="actions">${buttonLink({ text: atProvider.action(name), href: logoutUrl.href, isExternal: true })}</p>`,
    });
  });
}
