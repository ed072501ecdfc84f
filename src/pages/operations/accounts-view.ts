// Owns the look of the operators' list of accounts, and of one account.

import { readDevice } from '../../accounts/browser-name.ts';
import type { OperatorMail } from '../../credentials/operator-mails.ts';
import type { Messages } from '../../i18n/index.ts';
import { phoneInWords } from '../../i18n/phones.ts';
import type { AccountDetail, SessionRow } from '../../store/account-lists.ts';
import type { EventRow } from '../../store/events.ts';
import type { AccountAction } from '../../store/moderation.ts';
import type { SignIn } from '../../store/sign-ins.ts';
import type { UserRow } from '../../store/users.ts';
import { buttonLink, notice } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { deviceInWords, wayInWords } from '../../web/html/sign-in-words.ts';
import { tag } from '../../web/html/tag.ts';
import { ago, briefMoment, day, moment } from '../../web/html/time.ts';
import { eventsAbout } from './events-view.ts';
import {
  ACCOUNTS,
  APIS,
  APPLICATIONS,
  ip,
  operationsNavigation,
  ownedList,
  recordsTable,
} from './frame-view.ts';
import { type ListView, listView } from './list-view.ts';

export function accountsView(view: ListView<UserRow>): Html {
  const { messages } = view;
  const { operations: text } = messages;
  return listView(view, {
    section: 'accounts',
    begin: buttonLink({ text: text.invite.action, href: `${ACCOUNTS}/new` }),
    search: text.searchAccounts,
    states: text.accountStates,
    none: text.noAccount,
    headings: [text.email, text.name, text.state, text.created],
    cells: (account) => [
      html`<a href="${ACCOUNTS}/${account.userId}">${account.email}</a>`,
      html`<bdi>${account.name}</bdi>`,
      accountTags(account, messages),
      day(account.createdAt, messages),
    ],
  });
}

export function accountTags(account: UserRow, { operations: { tags } }: Messages): Html[] {
  return [
    ...(account.suspended ? [tag(tags.suspended, 'stopped')] : [tag(tags.active, 'good')]),
    ...(account.operator ? [tag(tags.operator)] : []),
    ...(account.invited ? [tag(tags.invited, 'waiting')] : []),
    ...(account.emailVerified || account.invited ? [] : [tag(tags.unverifiedEmail, 'waiting')]),
  ];
}

export type FactorDecision = 'reset' | 'stop';

export type AccountView = {
  messages: Messages;
  account: AccountDetail;
  /** Whether it is the operator's own. */
  own: boolean;
  actions: readonly AccountAction[];
  mails: readonly OperatorMail[];
  factorDecisions: readonly FactorDecision[];
  sessions: readonly SessionRow[];
  events: readonly EventRow[];
  lastSignIn: SignIn | undefined;
  notice?: string | undefined;
};

/** One account: what it is, where it was used, what happened to it, and what can be done about it. */
export function accountView(view: AccountView): Html {
  const { messages, account, sessions, events } = view;
  const text = messages.operations;
  const here = `${ACCOUNTS}/${account.userId}`;
  const isDanger = (action: AccountAction) => action === 'delete' || action === 'suspend';
  const choices = (which: (action: AccountAction) => boolean) =>
    view.actions.filter(which).map(
      (action) => html`${buttonLink({
        text: text.accountActions[action].action,
        href: `${here}/${action}`,
        kind: isDanger(action) ? 'danger' : 'secondary',
      })}
`,
    );
  const factor = (decision: FactorDecision) =>
    view.factorDecisions.includes(decision) &&
    html`${buttonLink({
      text: text.secondFactor[decision].action,
      href: `${here}/second-factor/${decision}`,
      kind: decision === 'reset' ? 'danger' : 'secondary',
    })}
`;
  return html`${operationsNavigation(messages, 'accounts', { within: true })}
${notice(view.notice)}
<h1><bdi>${account.name}</bdi></h1>
<dl class="facts facts--framed facts--roomy">
<div><dt>${text.email}</dt><dd>${account.email}</dd></div>
<div><dt>${text.state}</dt><dd class="tags">${accountTags(account, messages)}${view.own && tag(text.tags.you)}</dd></div>
${account.suspendedAt && html`<div><dt>${text.suspendedSince}</dt><dd>${moment(account.suspendedAt, messages)}</dd></div>`}
${account.phone && html`<div><dt>${text.phone}</dt><dd>${phoneInWords(account.phone)}</dd></div>`}
<div><dt>${text.identifier}</dt><dd><code>${account.userId}</code></dd></div>
<div><dt>${text.created}</dt><dd>${day(account.createdAt, messages)}</dd></div>
${account.invitedAt && html`<div><dt>${text.invitedSince}</dt><dd>${ago(account.invitedAt, messages)}</dd></div>`}
${account.passwordChosenAt && html`<div><dt>${text.passwordChosen}</dt><dd>${ago(account.passwordChosenAt, messages)}</dd></div>`}
${(account.appSince !== null || account.passkeys > 0) && html`<div><dt>${text.secondFactor.name}</dt><dd>${secondFactor(account, messages)}</dd></div>`}
${account.resetDueAt && html`<div><dt>${text.secondFactor.due}</dt><dd>${moment(account.resetDueAt, messages)}</dd></div>`}
${view.lastSignIn && html`<div><dt>${text.lastSignIn}</dt><dd>${lastSignIn(view.lastSignIn, messages)}</dd></div>`}
<div><dt>${text.openSessions}</dt><dd id="open-sessions">${text.number(account.openSessions)}</dd></div>
<div><dt>${text.connectedApplications}</dt><dd id="connected-applications">${text.number(account.connectedApplications)}</dd></div>
</dl>
<h2>${text.actions}</h2>
${view.own && html`<p class="quiet">${text.notYourself}</p>`}
<p class="actions actions--choices">
${view.mails.map(
  (
    mail,
  ) => html`${buttonLink({ text: text.accountMails[mail].action, href: `${here}/mail/${mail}`, kind: 'secondary' })}
`,
)}${choices((action) => !isDanger(action))}${factor('stop')}</p>
${
  (view.actions.some(isDanger) || view.factorDecisions.includes('reset')) &&
  html`<p class="actions actions--choices">
${factor('reset')}${choices(isDanger)}</p>`
}
<h2>${text.ownedApplications}</h2>
${
  account.ownedApplications.count === 0
    ? html`<p class="quiet">${text.noOwnedApplication}</p>`
    : ownedList(
        account.ownedApplications,
        ({ clientId, name }) => link(`${APPLICATIONS}/${clientId}`, name),
        messages,
      )
}
${
  account.ownedApis.count > 0 &&
  html`<h2>${text.ownedApis}</h2>
${ownedList(account.ownedApis, ({ apiId, name }) => link(`${APIS}/${apiId}`, name), messages)}
`
}<h2>${text.sessions}</h2>
${sessions.length === 0 ? html`<p class="quiet">${text.noSession}</p>` : sessionTable(sessions, messages)}
${eventsAbout({ account: account.userId }, events, messages)}`;
}

const link = (address: string, name: string) =>
  html`<a class="reachable" href="${address}"><bdi>${name}</bdi></a>`;

/** What the account is entered by beside its password, and what stands in for it. */
function secondFactor(
  { appSince, recoveryCodes, trustedBrowsers, passkeys }: AccountDetail,
  messages: Messages,
): Html {
  const text = messages.operations.secondFactor;
  return html`${passkeys > 0 && html`${text.passkeys(passkeys)}<br>`}${appSince && html`${text.app} ${day(appSince, messages)}<br>`}${text.codes(recoveryCodes)}${appSince && html`<br>${text.browsers(trustedBrowsers)}`}`;
}

function lastSignIn({ at, way }: SignIn, messages: Messages): Html {
  return html`${ago(at, messages)}<br>${wayInWords(way, messages)}`;
}

function sessionTable(sessions: readonly SessionRow[], messages: Messages): Html {
  const text = messages.operations;
  return recordsTable({
    caption: text.sessions,
    headings: [text.begun, text.lastSeen, text.address, text.device, text.state],
    rows: sessions.map((session) => [
      briefMoment(session.authTime, messages),
      briefMoment(session.lastSeenAt ?? session.authTime, messages),
      session.address === '' ? html`<span class="quiet">${text.forgotten}</span>` : ip(session.address),
      html`<span title="${session.userAgent}">${deviceInWords(readDevice(session.userAgent), messages)}</span>`,
      session.open ? tag(text.sessionOpen, 'good') : html`<span class="quiet">${text.sessionEnded}</span>`,
    ]),
  });
}
