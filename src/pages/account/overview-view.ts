// Owns the look of the overview of an account: who it is, what it opens, and where to change things.

import type { Locale, Messages } from '../../i18n/index.ts';
import { phoneInWords } from '../../i18n/phones.ts';
import { accountFrame } from '../../web/html/account-frame.ts';
import { buttonLink, form, notice, submitButton } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { tag } from '../../web/html/tag.ts';
import { tiles } from '../../web/html/tiles.ts';
import { day } from '../../web/html/time.ts';

export type OverviewView = {
  messages: Messages;
  serviceName: string;
  csrf: string;
  account: {
    name: string;
    email: string;
    emailVerified: boolean;
    avatar: string;
    phone: string | null;
    locale: Locale | null;
    createdAt: Date;
  };
  /** Names of the applications that the person lets read something, latest first. */
  applications: readonly string[];
  notice?: string | undefined;
};

/** How many applications the overview names. */
const NAMED = 5;

export function overviewView(view: OverviewView): Html {
  const { messages, account, applications } = view;
  const text = messages.account.overview;
  const state = account.emailVerified ? text.emailVerified : text.emailNotVerified;
  const change = (href: string, what: string) =>
    html`<a class="change" href="${href}">${text.change}<span class="unseen"> ${what}</span></a>`;
  return accountFrame(
    messages,
    'overview',
    html`${notice(view.notice)}
<div class="inside">
<img class="avatar" src="${account.avatar}" alt="" width="72" height="72">
<h1>${text.greeting(account.name)}</h1>
</div>
<p class="lead">${text.purpose(view.serviceName)}</p>
<div class="heading">
<h2>${text.facts}</h2>
${change('/account/profile', text.changeWhat.profile)}
</div>
<dl class="facts facts--framed">
<div><dt>${text.name}</dt><dd><bdi>${account.name}</bdi></dd></div>
<div><dt>${text.email}</dt><dd class="row"><span class="host">${account.email}</span> ${tag(state, account.emailVerified ? 'good' : 'waiting')}${change('/account/email', text.changeWhat.email)}</dd></div>
<div><dt>${text.phone}</dt><dd>${account.phone === null ? html`<span class="quiet">${text.noPhone}</span>` : phoneInWords(account.phone)}</dd></div>
<div><dt>${text.language}</dt><dd>${account.locale === null ? text.browserLanguage : messages.layout.languageNames[account.locale]}</dd></div>
<div><dt>${text.memberSince}</dt><dd>${day(account.createdAt, messages)}</dd></div>
</dl>
<h2>${text.applications}</h2>
${
  applications.length === 0
    ? html`<p class="quiet">${text.noApplication}</p>`
    : html`<p class="tags">${applications
        .slice(0, NAMED)
        .map(
          (name) => html`<bdi class="tag">${name}</bdi> `,
        )}${applications.length > NAMED && html`<span class="quiet">+ ${applications.length - NAMED}</span>`}</p>
<p>${buttonLink({ text: text.allApplications, href: '/account/applications', kind: 'secondary' })}</p>`
}
<h2>${text.parts}</h2>
${tiles(
  (
    [
      ['profile', text.profileText],
      ['email', text.emailText],
      ['password', text.passwordText],
      ['sessions', text.sessionsText],
      ['applications', text.applicationsText],
      ['data', text.dataText],
    ] as const
  ).map(([part, hint]) => ({ href: `/account/${part}`, text: messages.account.parts[part], hint })),
)}
${form({ action: '/signout', csrf: view.csrf, body: submitButton({ text: messages.signOut.action, kind: 'secondary' }) })}`,
  );
}
