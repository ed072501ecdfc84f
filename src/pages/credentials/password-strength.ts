// POST /password/strength: returns how strong a new password is, for display below the field.
import type { FastifyInstance } from 'fastify';
import { assessPassword, PASSWORD_STRENGTH_ENDPOINT } from '../../credentials/password-strength.ts';
import { readForm, requireForm } from '../../http/parameters.ts';
import type { Services } from '../../http/services.ts';
import { messagesFor } from '../../i18n/index.ts';
import { activeSessionId, browserIdsOf, loadSession, localeOf } from '../../web/browser.ts';
import { passwordErrorText } from '../../web/credential-forms.ts';
import { csrfError, isCsrfToken, requireSameOrigin } from '../../web/csrf.ts';

/** By zxcvbn score. Scores below 2 are rejected. */
const STRENGTH_LABELS = { 2: 'fair', 3: 'good', 4: 'strong' } as const;

export function passwordStrengthRoute(app: FastifyInstance, services: Services): void {
  app.post(PASSWORD_STRENGTH_ENDPOINT.url, { preHandler: requireForm }, async (request, reply) => {
    requireSameOrigin(request);
    const form = readForm(request);
    const holders = [activeSessionId(request), ...browserIdsOf(request)];
    if (!isCsrfToken(services.sealer, form.get('csrf'), holders)) throw csrfError();
    const user = await loadSession(request, services);
    const userInputs = [form.get('name'), form.get('email'), user?.name, user?.email].filter(
      (text) => text !== undefined,
    );
    const verdict = await assessPassword(
      form.get('password') ?? '',
      [...userInputs, services.config.serviceName],
      user === undefined ? 'anonymousPage' : 'signedInPage',
    );
    const messages = messagesFor(localeOf(request, undefined, user?.locale));
    return reply
      .header('cache-control', 'no-store')
      .type('application/json; charset=utf-8')
      .send(JSON.stringify(buildResponseBody()));

    function buildResponseBody() {
      if (verdict.error !== undefined)
        return { weak: true, strength: 'weak', text: passwordErrorText(verdict.error, messages) };
      const label = STRENGTH_LABELS[verdict.strength.score as keyof typeof STRENGTH_LABELS];
      const strength = label === 'fair' ? 'fair' : 'good';
      return { weak: false, strength, text: messages.fields.strength[label] };
    }
  });
}
