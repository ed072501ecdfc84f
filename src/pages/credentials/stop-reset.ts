// /security/stop-reset: the link in the mail that says that operators are about to take the second factor away. And the button
// that stops it on the account's own page.
import type { FastifyInstance, FastifyReply } from 'fastify';
import { stopFactorReset, stopFactorResetByLink } from '../../credentials/second-factor-reset.ts';
import { formOf, queryOf, requireForm } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import { addressOf } from '../../http/rate-limit.ts';
import { STOP_RESET, tokenHash } from '../../mail/links.ts';
import { findResetByLink } from '../../store/second-factor-resets.ts';
import { deadLink, openFormToken, requireOpenForm } from '../../web/asking.ts';
import { memberOf } from '../../web/member.ts';
import { finishedView } from './letters-view.ts';
import { SECURITY } from './security-form-view.ts';
import { notWaitingView, STOP_HERE, stopResetView } from './stop-reset-view.ts';

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
        main: ({ account: { security } }) =>
          finishedView({
            title: security.reset.stoppedTitle,
            text: security.reset.stoppedText,
            link: { href: SECURITY, text: security.title },
          }),
      });
    }
  });

  app.post(STOP_RESET, { preHandler: requireForm }, async (request, reply) => {
    requireOpenForm(request, parts);
    const hash = tokenHash(formOf(request).get('token'));
    if (hash === undefined) throw deadLink();
    const stopped = await stopFactorResetByLink(parts, hash, addressOf(request), parts.now());
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
      const stopped = await stopFactorReset(parts, { userId, address: addressOf(request) }, parts.now());
      return stopped ? `${SECURITY}?done=reset-stopped` : SECURITY;
    },
  });
}
