// Stops a pending reset of MFA, by a link or a button.
import type { FastifyInstance } from 'fastify';
import { stopFactorReset } from '../../credentials/second-factor-reset.ts';
import { PageFault } from '../../http/failures.ts';
import { parametersOf } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import { addressOf } from '../../http/rate-limit.ts';
import type { Messages } from '../../i18n/index.ts';
import { readLink, STOP_RESET } from '../../mail/links.ts';
import { invalidRequest } from '../../oauth/errors.ts';
import { findResetByLink, type PendingReset } from '../../store/second-factor-resets.ts';
import { attention, form, hiddenInput, submitButton } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { resetInWords } from '../../web/html/sign-in-words.ts';
import { memberOf } from '../../web/member.ts';
import { finishedView } from './confirm.ts';
import { SECURITY } from './security-form-view.ts';

export function stopResetPage(app: FastifyInstance, parts: Parts): void {
  app.formPage({
    url: STOP_RESET,
    async about(request) {
      const token = parametersOf(request).get('token');
      const link = readLink(token);
      const reset = link && (await findResetByLink(parts.database, link));
      if (token === undefined || link === undefined || reset === undefined) throw resetOver();
      return { token, link, reset };
    },
    read: () => ({}),
    async act({ request, about: { link } }) {
      const stopped = await stopFactorReset(parts, { link }, addressOf(request), parts.now());
      if (!stopped) throw resetOver();
      return STOPPED;
    },
    address: ({ token }) => `${STOP_RESET}?token=${token}`,
    page: ({ about: { token, reset } }) => ({
      token,
      title: (messages) => messages.account.security.reset.title,
      main: ({ messages, csrf }) => stopResetView({ messages, csrf, token, reset }),
    }),
  });

  app.get(STOPPED, async (_request, reply) =>
    reply.page({
      title: (messages) => messages.account.security.reset.stoppedTitle,
      reach: true,
      main: ({ account: { security, parts: names } }) =>
        finishedView({
          title: security.reset.stoppedTitle,
          text: security.reset.stoppedText,
          link: { href: SECURITY, text: names.security },
        }),
    }),
  );
}

const resetOver = (): PageFault =>
  new PageFault('resetOver', invalidRequest('No reset is pending.', { kind: 'page_form' }));

const STOPPED = '/security/reset-stopped';

/** No proof is asked for: it leaves everything as it is. */
export function stopResetButton(area: FastifyInstance, parts: Parts): void {
  area.formWithin({
    url: STOP_HERE,
    page: SECURITY,
    async act(request) {
      const { userId } = memberOf(request);
      const stopped = await stopFactorReset(parts, { userId }, addressOf(request), parts.now());
      return stopped ? `${SECURITY}?done=reset-stopped` : SECURITY;
    },
  });
}

const STOP_HERE = '/account/security/reset/stop';

interface Stopping {
  messages: Messages;
  csrf: string;
  reset: PendingReset;
}

function stopResetView({ messages, csrf, token, reset }: Stopping & { token: string }): Html {
  const text = messages.account.security.reset;
  return html`<h1>${text.title}</h1>
<p class="lead">${resetInWords(reset, messages)} ${text.afterwards}</p>
${form({
  action: STOP_RESET,
  csrf,
  body: html`${hiddenInput('token', token)}${submitButton({ text: text.stop })}`,
})}`;
}

/** Says in the account that one waits. */
export function pendingReset({ messages, csrf, reset }: Stopping): Html {
  const text = messages.account.security.reset;
  return html`${attention(html`${resetInWords(reset, messages)} ${text.unlessYou}`)}
${form({ action: STOP_HERE, csrf, body: submitButton({ text: text.stop, kind: 'secondary' }) })}`;
}
