// /console/operations/accounts: lists, shows and moderates accounts.

import { moderateAccount, moderateAccountWithin } from '../../accounts/moderation.ts';
import { type AdminEmail, listSendableEmails, sendAdminEmail } from '../../credentials/admin-emails.ts';
import { cancelMfaResetAsAdmin, requestMfaReset } from '../../credentials/mfa-reset.ts';
import type { Services } from '../../http/services.ts';
import type { Messages } from '../../i18n/index.ts';
import { displayPhone } from '../../i18n/phones.ts';
import {
  type AccountDetail,
  type AccountState,
  findAccountDetail,
  isUuid,
  type ListedAccount,
  listAccountsPage,
} from '../../store/admin-accounts.ts';
import type { AccountAction } from '../../store/admin-actions.ts';
import { type LinkedIdentity, listIdentities } from '../../store/external-identities.ts';
import { listSignIns, type SignIn } from '../../store/sign-in-history.ts';
import type { UserRow } from '../../store/users.ts';
import { avatar } from '../../web/html/account-rows.ts';
import { breakable } from '../../web/html/breakable.ts';
import { buttonLink } from '../../web/html/buttons.ts';
import { choiceField } from '../../web/html/fields.ts';
import { type Html, html } from '../../web/html/html.ts';
import { logo } from '../../web/html/pictures.ts';
import { describeSignInMethod } from '../../web/html/sign-in-text.ts';
import { tag } from '../../web/html/tag.ts';
import { dateTime, day, timeAgo } from '../../web/html/time.ts';
import { signedInUser } from '../../web/session-guard.ts';
import { editAccountPath } from './edit-account.ts';
import { eventLabel } from './events-view.ts';
import { ACCOUNTS_URL, APIS_URL, APPLICATIONS_URL, emailLink, IMPORT_URL, ownedListView } from './layout.ts';
import type { Section } from './sections.ts';

type Row = AccountDetail & { lastSignIn: SignIn | undefined; identities: readonly LinkedIdentity[] };
type Action = AdminEmail | AccountAction | 'reset_mfa' | 'cancel_mfa_reset';

const EMAIL_ACTIONS = ['invitation', 'reset_password', 'verify_email'] as const satisfies AdminEmail[];
const isEmailAction = (action: Action): action is AdminEmail => EMAIL_ACTIONS.some((mail) => mail === action);

export const accountSection = (services: Services): Section<Row, AccountState, Action, ListedAccount> => ({
  section: 'accounts',
  idParameter: 'userId',
  isId: isUuid,
  idOf: ({ userId }) => userId,
  nameOf: ({ name }) => name,
  pictureOf: (account) => avatar(account, 40),
  eventFilter: 'userId',
  states: ['admin', 'suspended'],
  listRows: listAccountsPage,
  async findRow(userId) {
    const account = await findAccountDetail(services.database, userId, services.now());
    const [lastSignIn] = await listSignIns(services.database, userId);
    const identities = await listIdentities(services.database, userId);
    return account && { ...account, lastSignIn, identities };
  },
  describeList: (messages) => {
    const { operations: text } = messages;
    return {
      createLink: html`<p class="actions">${buttonLink({ text: text.invite.action, href: `${ACCOUNTS_URL}/new` })}
${buttonLink({ text: text.imports.action, href: IMPORT_URL, kind: 'secondary' })}</p>`,
      searchLabel: text.searchAccounts,
      states: text.accountStates,
      headings: [text.email, text.name, text.state, text.lastSignIn, text.created],
      cells: (account) => [
        emailLink(account.userId, account.email, avatar(account, 24)),
        html`<bdi>${account.name}</bdi>`,
        accountTags(account, messages),
        account.lastSignInAt ? timeAgo(account.lastSignInAt, messages) : messages.applications.list.never,
        day(account.createdAt, messages),
      ],
    };
  },
  facts(account, messages, _locale, request) {
    const { operations: text } = messages;
    const { lastSignIn } = account;
    const isOwn = account.userId === signedInUser(request).userId;
    return html`<div><dt>${text.email}</dt><dd>${breakable(account.email)}</dd></div>
<div><dt>${text.state}</dt><dd class="tags">${accountTags(account, messages)}${isOwn && tag(text.tags.you)}</dd></div>
${account.suspendedAt && html`<div><dt>${text.suspendedSince}</dt><dd>${dateTime(account.suspendedAt, messages)}</dd></div>`}
${account.phone && html`<div><dt>${text.phone}</dt><dd>${displayPhone(account.phone)}</dd></div>`}
<div><dt>${text.identifier}</dt><dd><code>${account.userId}</code></dd></div>
<div><dt>${text.created}</dt><dd>${day(account.createdAt, messages)}</dd></div>
${account.invitedAt && html`<div><dt>${text.invitedSince}</dt><dd>${timeAgo(account.invitedAt, messages)}</dd></div>`}
${account.passwordSetAt && html`<div><dt>${text.passwordChosen}</dt><dd>${timeAgo(account.passwordSetAt, messages)}</dd></div>`}
${account.hasImportedPassword && html`<div><dt>${text.password}</dt><dd>${text.passwordImported}</dd></div>`}
${account.identities.length > 0 && html`<div><dt>${messages.linkedAccounts.title}</dt><dd>${identityList(account.identities, messages)}</dd></div>`}
${hasMfa(account) && html`<div><dt>${text.secondFactor.name}</dt><dd>${mfaFacts(account, messages)}</dd></div>`}
${account.mfaResetDueAt && html`<div><dt>${text.secondFactor.due}</dt><dd>${dateTime(account.mfaResetDueAt, messages)}</dd></div>`}
${lastSignIn && html`<div><dt>${text.lastSignIn}</dt><dd>${timeAgo(lastSignIn.at, messages)}<br>${describeSignInMethod(lastSignIn.method, messages)}</dd></div>`}
<div><dt>${text.openSessions}</dt><dd id="open-sessions">${text.number(account.liveSessions)}</dd></div>
<div><dt>${text.connectedApplications}</dt><dd id="connected-applications">${text.number(account.connectedClients)}</dd></div>`;
  },
  summary(account, messages, action) {
    const { operations: text } = messages;
    const { lastSignIn, mfaResetDueAt } = account;
    const concernsMfa = action === 'reset_mfa' || action === 'cancel_mfa_reset';
    return html`<div><dt>${text.email}</dt><dd>${breakable(account.email)}</dd></div>
<div><dt>${text.state}</dt><dd class="tags">${accountTags(account, messages)}</dd></div>
${concernsMfa && html`<div><dt>${text.secondFactor.name}</dt><dd>${mfaFacts(account, messages)}</dd></div>`}
${concernsMfa && mfaResetDueAt && html`<div><dt>${text.secondFactor.due}</dt><dd>${dateTime(mfaResetDueAt, messages)}</dd></div>`}
${!concernsMfa && lastSignIn && html`<div><dt>${text.lastSignIn}</dt><dd>${timeAgo(lastSignIn.at, messages)}</dd></div>`}
${!concernsMfa && html`<div><dt>${text.openSessions}</dt><dd>${text.number(account.liveSessions)}</dd></div>`}`;
  },
  doneNotice(kind, { email, mfaResetDueAt }, messages) {
    const { operations: text } = messages;
    if (kind === 'account_invited' || kind === 'invitation_sent') return text.invite.sent(email);
    return kind === 'mfa_reset_requested' && mfaResetDueAt !== null
      ? html`${eventLabel(kind, messages)}. ${text.secondFactor.due} ${dateTime(mfaResetDueAt, messages)}.`
      : undefined;
  },
  editLink: (account, { operations: text, layout }, request) =>
    account.userId === signedInUser(request).userId
      ? buttonLink({ text: layout.account, href: '/account', kind: 'secondary' })
      : buttonLink({ text: text.edit.action, href: editAccountPath(account), kind: 'secondary' }),
  footer: owned,
  actions: [
    'unsuspend',
    ...EMAIL_ACTIONS,
    ...(['end', 'grant', 'revoke'] as const),
    ...(['cancel_mfa_reset', 'reset_mfa', 'suspend', 'delete'] as const),
  ],
  listPossible(account, request) {
    const { isAdmin, suspended, mfaResetDueAt, userId } = account;
    const always: Action[] = [...(services.mailer.available ? listSendableEmails(account) : []), 'end'];
    if (mfaResetDueAt !== null) always.push('cancel_mfa_reset');
    // Administrators must not lock themselves out.
    if (userId === signedInUser(request).userId) return always;
    const canReset = mfaResetDueAt === null && !suspended && hasMfa(account);
    return [
      ...always,
      isAdmin ? 'revoke' : 'grant',
      suspended ? 'unsuspend' : 'suspend',
      'delete',
      ...(canReset ? (['reset_mfa'] as const) : []),
    ];
  },
  offers: (action, { liveSessions, connectedClients }) =>
    action !== 'end' || liveSessions > 0 || connectedClients > 0,
  dangerous: ['reset_mfa', 'suspend', 'delete'],
  labels: ({ operations }) => operations.accountActions,
  async perform(action, account, by, { passkeys }, transaction) {
    const { userId } = account;
    const now = services.now();
    if (isEmailAction(action)) return sendAdminEmail(services, action, account, by, now);
    if (action === 'reset_mfa') return requestMfaReset(services, userId, { passkeys }, by, now);
    if (action === 'delete') return moderateAccountWithin(services, transaction, action, userId, by, now);
    if (action !== 'cancel_mfa_reset') return moderateAccount(services, action, userId, by, now);
    return (await cancelMfaResetAsAdmin(services, userId, by, now)) ? 'done' : 'notApplicable';
  },
  deletionOf: (action, account) =>
    action === 'delete' ? { email: account.email, owned: (messages) => owned(account, messages) } : undefined,
  extraField: (action, account, { passkeys: checked }, { operations: { secondFactor: text } }) =>
    action === 'reset_mfa' &&
    account.passkeys > 0 &&
    choiceField({
      name: 'passkeys',
      kind: 'checkbox',
      legend: text.lost,
      choices: [{ value: 'yes', label: text.lostPasskeys, hint: text.lostPasskeysHint, checked }],
    }),
});

const hasMfa = ({ appEnabledAt, passkeys }: AccountDetail) => appEnabledAt !== null || passkeys > 0;

function owned({ ownedClients, ownedApis }: AccountDetail, messages: Messages): Html {
  const { operations: text } = messages;
  const link = (path: string, name: string, picture?: Html) =>
    html`<a class="touch-target with-picture" href="${path}">${picture}<bdi>${name}</bdi></a>`;
  return html`${
    ownedClients.count > 0 &&
    html`<h2>${text.ownedApplications}</h2>
${ownedListView(ownedClients, (client) => link(`${APPLICATIONS_URL}/${client.clientId}`, client.name, logo(client, 24)), messages)}
`
  }${
    ownedApis.count > 0 &&
    html`<h2>${text.ownedApis}</h2>
${ownedListView(ownedApis, ({ apiId, name }) => link(`${APIS_URL}/${apiId}`, name), messages)}
`
  }`;
}

function identityList(identities: readonly LinkedIdentity[], messages: Messages): Html {
  const { linkedAccounts: text, account } = messages;
  return html`<ul class="lines" id="linked-accounts">
${identities.map(
  ({ providerName, label, enabled, createdAt, lastUsedAt }) =>
    html`<li><bdi>${providerName}</bdi> (<bdi>${label}</bdi>)<br><span class="quiet">${text.since} ${day(createdAt, messages)}, ${lastUsedAt === null ? text.neverUsed : html`${account.security.lastUsed.toLowerCase()} ${timeAgo(lastUsedAt, messages)}`}${!enabled && html`. ${text.disabled}`}</span></li>
`,
)}</ul>`;
}

/** Shows "active" only if no other state, such as "suspended", applies. */
function accountTags(account: UserRow, { operations: { tags } }: Messages): Html[] {
  const { suspended, invited, emailVerified, isAdmin } = account;
  const states = [
    ...(suspended ? [tag(tags.suspended, 'stopped', 'ban')] : []),
    ...(invited ? [tag(tags.invited, 'waiting', 'mail')] : []),
    ...(emailVerified || invited ? [] : [tag(tags.unverifiedEmail, 'waiting', 'mail')]),
  ];
  return [
    ...(states.length > 0 ? states : [tag(tags.active, 'good', 'circle-check')]),
    ...(isAdmin ? [tag(tags.admin, undefined, 'shield-user')] : []),
  ];
}

function mfaFacts(
  { appEnabledAt, recoveryCodes, rememberedDevices, passkeys }: AccountDetail,
  messages: Messages,
): Html {
  const text = messages.operations.secondFactor;
  return html`${passkeys > 0 && html`${text.passkeys(passkeys)}<br>`}${appEnabledAt && html`${text.app} ${day(appEnabledAt, messages)}<br>`}${text.codes(recoveryCodes)}${appEnabledAt && html`<br>${text.browsers(rememberedDevices)}`}`;
}
