// Stops a pending reset of MFA, by a link or a button.
import type { FastifyInstance, FastifyReply } from 'fastify';
import { stopFactorReset } from '../../credentials/second-factor-reset.ts';
import { formOf, queryOf, requireForm } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import { addressOf } from '../../http/rate-limit.ts';
import type { Messages } from '../../i18n/index.ts';
import { STOP_RESET, tokenHash } from '../../mail/links.ts';
import { findResetByLink, type PendingReset } from '../../store/second-factor-resets.ts';
import { deadLink } from '../../web/credential-forms.ts';
import { openFormToken, requireOpenForm } from '../../web/csrf.ts';
import { attention, buttonLink, form, hiddenInput, submitButton } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { resetInWords } from '../../web/html/sign-in-words.ts';
import { memberOf } from '../../web/member.ts';
import { finishedView } from './confirm.ts';
import { SECURITY } from './security-form-view.ts';

export function stopResetPage(app: FastifyInstance, parts: Parts): void {
  app.get(STOP_RESET, async (request, reply) => {
    const token = queryOf(request).get('token');
    const hash = tokenHash(token);
    if (token === undefined || hash === undefined) return showDone();
    const found = await findResetByLink(parts.database, hash);
    if (found === undefined) return notWaiting(reply);
    const csrf = openFormToken(reply, parts);
    return reply.page({
      title: (messages) => messages.account.security.reset.title,
      main: (messages) => stopResetView({ messages, csrf, token, reset: found }),
    });

    function showDone() {
      if (queryOf(request).get('done') !== 'stopped') throw deadLink();
      return reply.page({
        title: (messages) => messages.account.security.reset.stoppedTitle,
        reach: true,
        main: ({ account: { security, parts: names } }) =>
          finishedView({
            title: security.reset.stoppedTitle,
            text: security.reset.stoppedText,
            link: { href: SECURITY, text: names.security },
          }),
      });
    }
  });

  app.post(STOP_RESET, { preHandler: requireForm }, async (request, reply) => {
    requireOpenForm(request, parts);
    const hash = tokenHash(formOf(request).get('token'));
    if (hash === undefined) throw deadLink();
    const stopped = await stopFactorReset(parts, { linkHash: hash }, addressOf(request), parts.now());
    if (!stopped) return notWaiting(reply);
    return reply.redirect(`${STOP_RESET}?done=stopped`, 303);
  });
}

/** 400: what the link could have stopped is over, or never was. */
const notWaiting = (reply: FastifyReply): FastifyReply =>
  reply.page({
    status: 400,
    reach: true,
    title: (messages) => messages.account.security.reset.overTitle,
    main: notWaitingView,
  });

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
})}
<p class="aside">${text.advice}</p>`;
}

/** The link is about one that does not wait any more: nobody keeps which of the two ways it ended. */
function notWaitingView(messages: Messages): Html {
  const { reset: text } = messages.account.security;
  const title = messages.account.parts.security;
  return html`<div class="stopped">
<h1>${text.overTitle}</h1>
<p class="lead">${text.over}</p>
<p>${text.overAdvice}</p>
<p class="actions">${buttonLink({ href: SECURITY, text: title })}</p>
</div>`;
}

/** Says in the account that one waits. */
export function pendingReset({ messages, csrf, reset }: Stopping): Html {
  const text = messages.account.security.reset;
  return html`${attention(html`${resetInWords(reset, messages)} ${text.unlessYou}`)}
${form({ action: STOP_HERE, csrf, body: submitButton({ text: text.stop, kind: 'secondary' }) })}`;
}
