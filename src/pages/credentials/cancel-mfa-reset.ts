// Cancels a pending MFA reset through an emailed link or the security page.
import type { FastifyInstance } from 'fastify';
import { cancelMfaResetAsUser } from '../../credentials/mfa-reset.ts';
import { PageError } from '../../http/page-error.ts';
import { readQueryOrForm } from '../../http/parameters.ts';
import { clientNetwork } from '../../http/rate-limit.ts';
import type { Services } from '../../http/services.ts';
import { CANCEL_RESET_PATH, parseLinkToken } from '../../mail/links.ts';
import { invalidRequest } from '../../oauth/errors.ts';
import { findMfaResetByLink } from '../../store/mfa-resets.ts';
import { submitButton } from '../../web/html/buttons.ts';
import { hiddenInput } from '../../web/html/fields.ts';
import { form } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { CANCEL_MFA_RESET_URL, type PendingResetView } from '../../web/html/pending-mfa-reset.ts';
import { describeMfaReset } from '../../web/html/sign-in-text.ts';
import { signedInUser } from '../../web/session-guard.ts';
import { completedView } from './confirm-email.ts';
import { SECURITY_URL } from './security-form-view.ts';

export function cancelMfaResetPage(app: FastifyInstance, services: Services): void {
  app.formPage({
    path: CANCEL_RESET_PATH,
    async loadSubject(request) {
      const token = readQueryOrForm(request).get('token');
      const link = parseLinkToken(token);
      const reset = link && (await findMfaResetByLink(services.database, link));
      if (token === undefined || link === undefined || reset === undefined) throw noPendingResetError();
      return { token, link, reset };
    },
    parse: () => ({}),
    async act({ request, subject: { link } }) {
      const canceled = await cancelMfaResetAsUser(services, { link }, clientNetwork(request), services.now());
      if (!canceled) throw noPendingResetError();
      return CANCELED_URL;
    },
    pageUrl: ({ token }) => `${CANCEL_RESET_PATH}?token=${token}`,
    render: ({ subject: { token, reset } }) => ({
      token,
      title: (messages) => messages.account.security.reset.title,
      main: ({ messages, csrf }) => cancelResetView({ messages, csrf, token, reset }),
    }),
  });

  app.get(CANCELED_URL, async (_request, reply) =>
    reply.page({
      title: (messages) => messages.account.security.reset.stoppedTitle,
      showsSupportContact: true,
      main: ({ account: { credentials, security } }) =>
        completedView({
          title: security.reset.stoppedTitle,
          text: security.reset.stoppedText,
          link: { href: '/account/password', text: credentials.password.action },
        }),
    }),
  );
}

const noPendingResetError = (): PageError =>
  new PageError('resetOver', invalidRequest('No reset is pending.', { kind: 'page_form_invalid' }));

const CANCELED_URL = '/security/reset-stopped';

/** Requires no re-authentication because canceling changes no credentials. */
export function cancelMfaResetForm(area: FastifyInstance, services: Services): void {
  area.embeddedForm({
    path: CANCEL_MFA_RESET_URL,
    page: SECURITY_URL,
    async act(request) {
      const { userId } = signedInUser(request);
      const canceled = await cancelMfaResetAsUser(
        services,
        { userId },
        clientNetwork(request),
        services.now(),
      );
      return canceled ? `${SECURITY_URL}?done=reset-stopped` : SECURITY_URL;
    },
  });
}

function cancelResetView({ messages, csrf, token, reset }: PendingResetView & { token: string }): Html {
  const text = messages.account.security.reset;
  return html`<h1>${text.title}</h1>
<p class="lead">${describeMfaReset(reset, messages)} ${text.afterwards}</p>
${form({
  action: CANCEL_RESET_PATH,
  csrf,
  body: html`${hiddenInput('token', token)}${submitButton({ text: text.stop })}`,
})}`;
}
