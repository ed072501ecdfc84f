// POST /applications/withdraw: a person takes back what they agreed to share with an application (D28).
import type { FastifyInstance } from 'fastify';
import { invalidRequest } from '../oauth/errors.ts';
import type { Parts } from '../parts.ts';
import { chosenLanguage, sessionIdOf, sessionOf } from '../plugins/browser.ts';
import { formRefused, isCsrfToken, requireOwnOrigin } from '../plugins/csrf.ts';
import { formOf, requireForm } from '../plugins/parameters.ts';
import { withdrawConsent } from '../store/consents.ts';
import { WITHDRAWN } from './home.ts';

export function withdrawPage(app: FastifyInstance, parts: Parts): void {
  // Where the language links of an error page lead that answered the form.
  app.get('/applications/withdraw', async (request, reply) => {
    const language = chosenLanguage(request);
    return reply.redirect(language === undefined ? '/' : `/?lang=${language}`, 303);
  });

  app.post('/applications/withdraw', { preHandler: requireForm }, async (request, reply) => {
    requireOwnOrigin(request, parts.config.baseUrl);
    const id = sessionIdOf(request, parts);
    const session = await sessionOf(request, parts);
    if (id === undefined || session === undefined) return reply.redirect('/signin', 303);
    const form = formOf(request);
    if (!isCsrfToken(parts.sealer, form.get('csrf'), [id])) throw formRefused();
    const clientId = form.get('client_id');
    if (clientId === undefined) throw invalidRequest('client_id is missing.');
    // Withdrawn already, from another tab or by a second click: what the person asked for is so, and is said.
    await withdrawConsent(parts.database, session.userId, clientId, parts.now());
    return reply.redirect(WITHDRAWN, 303);
  });
}
