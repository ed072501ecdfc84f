// Owns the look of the list of sessions.

import type { Messages } from '../../i18n/index.ts';
import { accountFrame } from '../../web/html/account-frame.ts';
import { deviceInWords } from '../../web/html/device.ts';
import { form, hiddenInput, notice, submitButton } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { tag } from '../../web/html/tag.ts';
import { ago, moment } from '../../web/html/time.ts';

export type SessionsView = {
  messages: Messages;
  csrf: string;
  sessions: readonly SessionEntry[];
  notice?: string | undefined;
};

type SessionEntry = {
  sid: string;
  /** Whether it is the one that looks at the page. */
  current: boolean;
  browser: string | undefined;
  system: string | undefined;
  address: string;
  lastSeenAt: Date;
  authTime: Date;
};

export function sessionsView(view: SessionsView): Html {
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
        action: '/account/sessions/end-others',
        csrf,
        body: submitButton({ text: text.endOthers, kind: 'secondary' }),
      })
    : html`<p class="quiet">${text.onlyThis}</p>`
}
<p class="quiet">${text.applications} <a href="/account/applications">${text.applicationsLink}</a>.</p>`,
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
    action: '/account/sessions/end',
    csrf,
    body: html`${hiddenInput('session', session.sid)}${submitButton({ text: text.end, kind: 'secondary', unseen: text.endWhich(device, lastSeen) })}`,
  })
}
</li>
`;
}
