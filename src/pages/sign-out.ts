// GET and POST /signout: a session ends on the server, not only in the browser.
import type { FastifyInstance } from 'fastify';
import { sha256 } from '../oauth/secrets.ts';
import type { Parts } from '../parts.ts';
import { sessionIdOf, sessionOf } from '../plugins/browser.ts';
import { writeCookie } from '../plugins/cookies.ts';
import { csrfToken, formRefused, isCsrfToken, requireOwnOrigin } from '../plugins/csrf.ts';
import { sendPage } from '../plugins/page.ts';
import { formOf, requireForm } from '../plugins/parameters.ts';
import { deleteSession } from '../store/sessions.ts';
import { SIGNED_OUT } from './home.ts';
import { signOutView } from './views/sign-out.ts';

export function signOutPage(app: FastifyInstance, parts: Parts): void {
  app.get('/signout', async (request, reply) => {
    const id = sessionIdOf(request, parts);
    const session = await sessionOf(request, parts);
    if (id === undefined || session === undefined) return reply.redirect('/', 303);
    return sendPage(request, reply, parts, {
      title: (messages) => messages.signOut.title,
      account: session,
      main: (messages) => signOutView({ messages, csrf: csrfToken(parts.sealer, id), account: session }),
    });
  });

  app.post('/signout', { preHandler: requireForm }, async (request, reply) => {
    requireOwnOrigin(request, parts.config.baseUrl);
    const id = sessionIdOf(request, parts);
    if (id === undefined) return reply.redirect('/', 303);
    if (!isCsrfToken(parts.sealer, formOf(request).get('csrf'), [id])) throw formRefused();
    await deleteSession(parts.database, sha256(id));
    writeCookie(reply, 'session', '', { secure: parts.config.secure, maxAge: 0 });
    return reply.redirect(SIGNED_OUT, 303);
  });
}
