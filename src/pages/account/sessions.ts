// GET /account/sessions, POST /account/sessions/end, /account/sessions/end-others.
import type { FastifyInstance } from 'fastify';
import { readDevice } from '../../accounts/browser-name.ts';
import { endOtherSessions, endSession } from '../../accounts/sessions.ts';
import { formOf } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import { addressOf } from '../../http/rate-limit.ts';
import type { Messages } from '../../i18n/index.ts';
import { invalidRequest } from '../../oauth/errors.ts';
import { isUuid } from '../../store/account-lists.ts';
import { listSessions, type SessionRow } from '../../store/sessions.ts';
import { doneOf } from '../../web/faults.ts';
import { accountFrame } from '../../web/html/account-frame.ts';
import { form, hiddenInput, notice, submitButton } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { deviceInWords, type NamedDevice } from '../../web/html/sign-in-words.ts';
import { tag } from '../../web/html/tag.ts';
import { ago, moment } from '../../web/html/time.ts';
import { memberOf } from '../../web/member.ts';

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
      const { userId, idHash: kept } = memberOf(request);
      const address = addressOf(request);
      const ended = await endOtherSessions(database, { userId, kept, address }, parts.now());
      return { to: `${PAGE}?done=others-ended`, notice: ended > 0 ? 'sessions_ended' : undefined };
    },
  });
}

type SessionEntry = NamedDevice &
  Pick<SessionRow, 'sid' | 'address' | 'lastSeenAt' | 'authTime'> & { current: boolean };

type SessionsView = {
  messages: Messages;
  csrf: string;
  sessions: readonly SessionEntry[];
  notice: string | undefined;
};

function sessionsView(view: SessionsView): Html {
  const { messages, csrf, sessions } = view;
  const text = messages.account.sessions;
  return accountFrame(
    messages,
    'sessions',
    html`${notice(view.notice)}
<h1>${text.title}</h1>
<p class="lead">${text.lead}</p>
<ul class="connected">
${sessions.map((session) => entry(session, view))}</ul>
${
  sessions.length > 1
    ? form({
        action: `${PAGE}/end-others`,
        csrf,
        body: submitButton({ text: text.endOthers, kind: 'secondary' }),
      })
    : html`<p class="quiet">${text.onlyThis}</p>`
}`,
  );
}

function entry(session: SessionEntry, { messages, csrf }: SessionsView): Html {
  const text = messages.account.sessions;
  const device = deviceInWords(session, messages);
  const lastSeen = messages.instant(session.lastSeenAt);
  return html`<li>
<div class="connected-who">
<h2>${device}${session.current && html` ${tag(text.current, 'good')}`}</h2>
</div>
<dl class="facts">
<div><dt>${text.address}</dt><dd>${session.address === '' ? text.noAddress : session.address}</dd></div>
<div><dt>${text.lastSeen}</dt><dd>${ago(session.lastSeenAt, messages)}</dd></div>
<div><dt>${text.signedIn}</dt><dd>${moment(session.authTime, messages)}</dd></div>
</dl>
${
  !session.current &&
  form({
    action: `${PAGE}/end`,
    csrf,
    body: html`${hiddenInput('session', session.sid)}${submitButton({ text: text.end, kind: 'secondary', unseen: text.endWhich(device, lastSeen) })}`,
  })
}
</li>
`;
}
