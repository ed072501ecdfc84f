// /account/sessions: lists and revokes the account's sessions.
import type { FastifyInstance } from 'fastify';
import { endOtherSessions, endSession } from '../../accounts/sessions.ts';
import { type DeviceKind, getDeviceKind, parseUserAgent } from '../../accounts/user-agent.ts';
import { readForm } from '../../http/parameters.ts';
import { clientNetwork } from '../../http/rate-limit.ts';
import type { Services } from '../../http/services.ts';
import type { Messages } from '../../i18n/index.ts';
import { invalidRequest } from '../../oauth/errors.ts';
import { isUuid } from '../../store/admin-accounts.ts';
import { listSessions, type SessionRow } from '../../store/sessions.ts';
import { doneMessage } from '../../web/form-errors.ts';
import { accountLayout } from '../../web/html/account-layout.ts';
import { submitButton } from '../../web/html/buttons.ts';
import { type Entry, entryIcon, entryList } from '../../web/html/entry-list.ts';
import { hiddenInput } from '../../web/html/fields.ts';
import { form } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { icon } from '../../web/html/icons.ts';
import { notice } from '../../web/html/notices.ts';
import {
  type BrowserAndSystem,
  browserIconOf,
  DEVICE_ICONS,
  describeDevice,
} from '../../web/html/sign-in-text.ts';
import { tag } from '../../web/html/tag.ts';
import { timeAgo } from '../../web/html/time.ts';
import { signedInUser } from '../../web/session-guard.ts';

const PATH = '/account/sessions';

/** How long a session counts as active after a request, in milliseconds. */
const ACTIVE_PERIOD = 5 * 60_000;

export function sessionsPage(area: FastifyInstance, services: Services): void {
  const { database } = services;

  area.get(PATH, async (request, reply) => {
    const user = signedInUser(request);
    const now = services.now();
    const sessions = (await listSessions(database, user.userId, now)).map((session) => {
      const current = session.idHash.equals(user.idHash);
      const device = parseUserAgent(session.userAgent);
      return {
        ...session,
        ...device,
        kind: getDeviceKind(device.system, session.userAgent),
        current,
        isActive: current || now.getTime() - session.lastSeenAt.getTime() < ACTIVE_PERIOD,
        // The time and IP address of this request aren't in the database yet.
        ...(current && { lastSeenAt: now, ip: clientNetwork(request) }),
      };
    });
    return reply.page({
      title: (messages) => messages.account.sessions.title,
      main: (messages) => {
        const { ended, othersEnded } = messages.account.sessions;
        return sessionsView({
          messages,
          csrf: user.csrf,
          sessions: sessions.sort((a, b) => Number(b.current) - Number(a.current)),
          notice: doneMessage(request, { ended, 'others-ended': othersEnded }),
        });
      },
    });
  });

  area.embeddedForm({
    path: `${PATH}/end`,
    page: PATH,
    async act(request) {
      const { userId } = signedInUser(request);
      const sid = readForm(request).get('session') ?? '';
      if (!isUuid(sid))
        throw invalidRequest('The session parameter is missing or malformed.', { kind: 'page_form_invalid' });
      const ended = await endSession(database, { userId, sid, ip: clientNetwork(request) }, services.now());
      return { to: `${PATH}?done=ended`, notice: ended ? 'sessions_ended' : undefined };
    },
  });

  area.embeddedForm({
    path: `${PATH}/end-others`,
    page: PATH,
    async act(request) {
      const { userId, idHash: exceptIdHash } = signedInUser(request);
      const ip = clientNetwork(request);
      const ended = await endOtherSessions(database, { userId, exceptIdHash, ip }, services.now());
      return { to: `${PATH}?done=others-ended`, notice: ended > 0 ? 'sessions_ended' : undefined };
    },
  });
}

type SessionEntry = BrowserAndSystem &
  Pick<SessionRow, 'sid' | 'ip' | 'lastSeenAt' | 'authTime'> & {
    kind: DeviceKind;
    current: boolean;
    isActive: boolean;
  };

type SessionsView = {
  messages: Messages;
  csrf: string;
  sessions: readonly SessionEntry[];
  notice: string | undefined;
};

function sessionsView(view: SessionsView): Html {
  const { messages, csrf, sessions } = view;
  const text = messages.account.sessions;
  return accountLayout(
    messages,
    'sessions',
    html`${notice(view.notice)}
<h1>${text.title}</h1>
<p class="lead">${text.lead}</p>
${entryList(sessions.map((session) => sessionEntry(session, view)))}
${
  sessions.length > 1
    ? form({
        action: `${PATH}/end-others`,
        csrf,
        body: submitButton({ text: text.endOthers, kind: 'secondary' }),
      })
    : html`<p class="quiet">${text.onlyThis}</p>`
}`,
  );
}

function sessionEntry(session: SessionEntry, { messages, csrf }: SessionsView): Entry {
  const text = messages.account.sessions;
  const device = describeDevice(session, messages);
  const lastSeen = messages.instant(session.lastSeenAt);
  return {
    picture: entryIcon(DEVICE_ICONS[session.kind]),
    title: html`<h2>${session.browser && html`${icon(browserIconOf(session.browser), 16)} `}${device}${session.current && html` ${tag(text.current, 'good')}`}</h2>`,
    text: html`<p class="quiet">${session.isActive ? text.activeNow : html`${text.active} ${timeAgo(session.lastSeenAt, messages)}`}\u00a0· ${session.ip === '' ? text.noAddress : html`<span class="ip">${session.ip}</span>`}\u00a0· ${text.signedIn} ${timeAgo(session.authTime, messages)}</p>`,
    end:
      !session.current &&
      form({
        action: `${PATH}/end`,
        csrf,
        body: html`${hiddenInput('session', session.sid)}${submitButton({ text: text.end, kind: 'secondary', hiddenText: text.endWhich(device, lastSeen) })}`,
      }),
  };
}
