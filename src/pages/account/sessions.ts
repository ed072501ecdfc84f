// GET /account/sessions, POST /account/sessions/end, /account/sessions/end-others.
import type { FastifyInstance } from 'fastify';
import { readDevice } from '../../accounts/browser-name.ts';
import { endOtherSessions, endSession } from '../../accounts/sessions.ts';
import { formOf } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import { addressOf } from '../../http/rate-limit.ts';
import { invalidRequest } from '../../oauth/errors.ts';
import { isUuid } from '../../store/account-lists.ts';
import { listSessions } from '../../store/sessions.ts';
import { doneOf } from '../../web/faults.ts';
import { memberOf } from '../../web/member.ts';
import { sessionsView } from './sessions-view.ts';

const PAGE = '/account/sessions';

export function sessionsPage(area: FastifyInstance, parts: Parts): void {
  const { database } = parts;

  area.get(PAGE, async (request, reply) => {
    const member = memberOf(request);
    const now = parts.now();
    const sessions = (await listSessions(database, member.userId, now)).map((session) => {
      const current = session.idHash.equals(member.idHash);
      return {
        ...session,
        ...readDevice(session.userAgent),
        current,
        // This request is not written yet.
        ...(current && { lastSeenAt: now, address: addressOf(request) }),
      };
    });
    return reply.page({
      title: (messages) => messages.account.sessions.title,
      main: (messages) => {
        const { ended, othersEnded } = messages.account.sessions;
        return sessionsView({
          messages,
          csrf: member.csrf,
          sessions: sessions.sort((a, b) => Number(b.current) - Number(a.current)),
          notice: doneOf(request, { ended, 'others-ended': othersEnded }),
        });
      },
    });
  });

  area.formWithin({
    url: `${PAGE}/end`,
    page: PAGE,
    async act(request) {
      const { userId } = memberOf(request);
      const sid = formOf(request).get('session') ?? '';
      if (!isUuid(sid)) throw invalidRequest('session is missing or is no session.', { kind: 'page_form' });
      // Over already, from another tab or by a second click: what the person asked for is so, and is said.
      const ended = await endSession(database, { userId, sid, address: addressOf(request) }, parts.now());
      return { to: `${PAGE}?done=ended`, notice: ended ? 'sessions_ended' : undefined };
    },
  });

  area.formWithin({
    url: `${PAGE}/end-others`,
    page: PAGE,
    async act(request) {
      const { userId, idHash: keptHash } = memberOf(request);
      const address = addressOf(request);
      const ended = await endOtherSessions(database, { userId, keptHash, address }, parts.now());
      return { to: `${PAGE}?done=others-ended`, notice: ended > 0 ? 'sessions_ended' : undefined };
    },
  });
}
