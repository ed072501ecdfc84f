// POST /password/strength: how strong a new password is, in words, for the script of the page that it is typed on.
import type { FastifyInstance } from 'fastify';
import { judgePassword, STRENGTH } from '../../credentials/password-strength.ts';
import { formOf, requireForm } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import { messagesFor } from '../../i18n/index.ts';
import { browserIdsOf, localeOf, sessionIdOf, sessionOf } from '../../web/browser.ts';
import { passwordFaultText } from '../../web/credential-forms.ts';
import { formRefused, isCsrfToken, requireOwnOrigin } from '../../web/csrf.ts';

/** zxcvbn's numbers of what is not refused. */
const WORDS = { 2: 'fair', 3: 'good', 4: 'strong' } as const;

export function strengthRoute(app: FastifyInstance, parts: Parts): void {
  app.post(STRENGTH.address, { preHandler: requireForm }, async (request, reply) => {
    requireOwnOrigin(request);
    const form = formOf(request);
    const holders = [sessionIdOf(request), ...browserIdsOf(request)];
    if (!isCsrfToken(parts.sealer, form.get('csrf'), holders)) throw formRefused();
    const member = await sessionOf(request, parts);
    const about = [form.get('name'), form.get('email'), member?.name, member?.email].filter(
      (text) => text !== undefined,
    );
    const judged = await judgePassword(
      form.get('password') ?? '',
      [...about, parts.config.serviceName],
      member === undefined ? 'anonymousPage' : 'signedInPage',
    );
    const messages = messagesFor(localeOf(request, undefined, member?.locale));
    return reply
      .header('cache-control', 'no-store')
      .type('application/json; charset=utf-8')
      .send(JSON.stringify(answer()));

    function answer() {
      if (judged.fault !== undefined)
        return { weak: true, strength: 'weak', text: passwordFaultText(judged.fault, messages) };
      const word = WORDS[judged.strength.score as keyof typeof WORDS];
      const strength = word === 'fair' ? 'fair' : 'good';
      return { weak: false, strength, text: messages.fields.strength[word] };
    }
  });
}
