// GET and POST /signout: a session ends on the server, not only in the browser.
import type { FastifyInstance } from 'fastify';
import { signOut } from '../accounts/sessions.ts';
import { logoutAddress, openLogoutTarget } from '../oauth/logout-request.ts';
import { sha256 } from '../oauth/secrets.ts';
import type { Parts } from '../parts.ts';
import { sessionIdOf, sessionOf } from '../plugins/browser.ts';
import { writeCookie } from '../plugins/cookies.ts';
import { csrfToken, formRefused, isCsrfToken, requireOwnOrigin } from '../plugins/csrf.ts';
import { sendPage } from '../plugins/page.ts';
import { formOf, queryOf, requireForm } from '../plugins/parameters.ts';
import { addressOf } from '../plugins/rate-limit.ts';
import { isLogoutAddress } from '../store/clients.ts';
import { SIGNED_OUT } from './home.ts';
import { signOutView } from './views/sign-out.ts';

export function signOutPage(app: FastifyInstance, parts: Parts): void {
  app.get('/signout', async (request, reply) => {
    const id = sessionIdOf(request, parts);
    const session = await sessionOf(request, parts);
    const logout = queryOf(request).get('logout');
    if (id === undefined || session === undefined)
      return reply.redirect((await targetOf(logout)) ?? '/', 303);
    return sendPage(request, reply, parts, {
      title: (messages) => messages.signOut.title,
      account: session,
      formsLeave: logout !== undefined,
      main: (messages) =>
        signOutView({ messages, csrf: csrfToken(parts.sealer, id), account: session, logout }),
    });
  });

  app.post('/signout', { preHandler: requireForm }, async (request, reply) => {
    requireOwnOrigin(request, parts.config.baseUrl);
    const id = sessionIdOf(request, parts);
    const form = formOf(request);
    if (id === undefined) return reply.redirect((await targetOf(form.get('logout'))) ?? '/', 303);
    if (!isCsrfToken(parts.sealer, form.get('csrf'), [id])) throw formRefused();
    await signOut(parts.database, sha256(id), addressOf(request), parts.now());
    writeCookie(reply, 'session', '', { secure: parts.config.secure, maxAge: 0 });
    return reply.redirect((await targetOf(form.get('logout'))) ?? SIGNED_OUT, 303);
  });

  /** The address that an application wants the person back at, where one asked for the sign-out. */
  async function targetOf(sealed: string | undefined): Promise<string | undefined> {
    const target = sealed === undefined ? undefined : openLogoutTarget(parts.sealer, sealed);
    if (target === undefined) return undefined;
    const stands = await isLogoutAddress(parts.database, target.clientId, target.redirectUri);
    return stands ? logoutAddress(target) : undefined;
  }
}
