// Views of an account: its profile, sign-in methods, applications and APIs.
import type { AdminEmail } from '../../credentials/admin-emails.ts';
import type { Messages } from '../../i18n/index.ts';
import { formatPhone } from '../../i18n/phones.ts';
import type { AccountDetail } from '../../store/admin-accounts.ts';
import type { AccountAction } from '../../store/admin-actions.ts';
import type { LinkedIdentity } from '../../store/external-identities.ts';
import type { SignIn } from '../../store/sign-in-history.ts';
import type { UserRow } from '../../store/users.ts';
import { breakable } from '../../web/html/breakable.ts';
import { type Html, html, type Renderable } from '../../web/html/html.ts';
import { logo } from '../../web/html/pictures.ts';
import { describeSignInMethod } from '../../web/html/sign-in-text.ts';
import { tag } from '../../web/html/tag.ts';
import { dateTime, day, timeAgo } from '../../web/html/time.ts';
import { signedInUser } from '../../web/session-guard.ts';
import { type AccountAccess, formatAccessCount } from './account-access.ts';
import { APIS_URL, APPLICATIONS_URL, detailRow, ownedListView } from './layout.ts';
import type { DetailContext } from './sections.ts';

export type Account = AccountDetail &
  AccountAccess & { lastSignIn: SignIn | undefined; identities: readonly LinkedIdentity[] };
export type Action = AdminEmail | AccountAction | 'reset_mfa' | 'cancel_mfa_reset';

export function accountDetails(account: Account, { messages, request, links }: DetailContext<Action>): Html {
  const { operations: text } = messages;
  const isOwn = account.userId === signedInUser(request).userId;
  const role = account.isAdmin ? tag(text.tags.admin, undefined, 'shield-user') : text.tags.user;
  return html`${detailRow(text.email, breakable(account.email), links('verify_email'))}${detailRow(
    text.state,
    accountStateTag(account, messages),
    links('suspend', 'unsuspend'),
  )}${account.suspendedAt && detailRow(text.suspendedSince, dateTime(account.suspendedAt, messages))}${
    account.invitedAt &&
    detailRow(text.invitedSince, timeAgo(account.invitedAt, messages), links('invitation'))
  }${detailRow(text.role, html`${role} ${isOwn && tag(text.tags.you)}`, links('grant', 'revoke'))}${
    account.phone && detailRow(text.phone, formatPhone(account.phone))
  }${detailRow(text.identifier, html`<code>${account.userId}</code>`)}${detailRow(text.created, day(account.createdAt, messages))}`;
}

export function accountSummary(account: Account, messages: Messages, action: Action): Html {
  const { operations: text } = messages;
  const { lastSignIn, mfaResetDueAt } = account;
  const concernsMfa = action === 'reset_mfa' || action === 'cancel_mfa_reset';
  return html`${detailRow(text.email, breakable(account.email))}${detailRow(text.state, accountStateTag(account, messages))}${
    concernsMfa
      ? html`${detailRow(text.secondFactor.name, describeMfa(account, messages))}${mfaResetDueAt && detailRow(text.secondFactor.due, dateTime(mfaResetDueAt, messages))}`
      : html`${lastSignIn && detailRow(text.lastSignIn, timeAgo(lastSignIn.at, messages))}${detailRow(text.openSessions, formatAccessCount(account.liveSessions, messages))}`
  }`;
}

export function signInDetails(account: Account, { messages, links }: DetailContext<Action>): Html {
  const { operations: text, linkedAccounts } = messages;
  const { lastSignIn, identities, mfaResetDueAt } = account;
  return html`<h2>${text.signIn}</h2>
<dl class="facts facts--framed facts--roomy">
${detailRow(text.password, passwordState(account, messages), links('reset_password'))}${detailRow(
  text.secondFactor.name,
  hasMfa(account) ? describeMfa(account, messages) : text.none,
  links('reset_mfa'),
)}${mfaResetDueAt && detailRow(text.secondFactor.due, dateTime(mfaResetDueAt, messages), links('cancel_mfa_reset'))}${
  identities.length > 0 && detailRow(linkedAccounts.title, identityList(identities, messages))
}${
  lastSignIn &&
  detailRow(
    text.lastSignIn,
    html`${timeAgo(lastSignIn.at, messages)}<br>${describeSignInMethod(lastSignIn.method, messages)}`,
  )
}</dl>`;
}

function passwordState(
  { hasPassword, hasImportedPassword, passwordSetAt, invitedAt }: Account,
  messages: Messages,
): Renderable {
  const { operations: text } = messages;
  if (hasImportedPassword) return text.passwordImported;
  // An invited account has a random password until its owner chooses one.
  if (invitedAt !== null) return text.passwordPending;
  if (!hasPassword) return text.none;
  return passwordSetAt === null
    ? text.passwordDefined
    : html`${text.passwordChosen} ${timeAgo(passwordSetAt, messages)}`;
}

export const hasMfa = ({ appEnabledAt, passkeys }: AccountDetail) => appEnabledAt !== null || passkeys > 0;

export function ownedResourcesView({ ownedClients, ownedApis }: AccountDetail, messages: Messages): Html {
  const { operations: text } = messages;
  const resourceLink = (path: string, name: string, picture?: Html) =>
    html`<a class="touch-target with-picture" href="${path}">${picture}<bdi>${name}</bdi></a>`;
  return html`${
    ownedClients.count > 0 &&
    html`<h2>${text.ownedApplications}</h2>
${ownedListView(ownedClients, (client) => resourceLink(`${APPLICATIONS_URL}/${client.clientId}`, client.name, logo(client, 24)), messages)}
`
  }${
    ownedApis.count > 0 &&
    html`<h2>${text.ownedApis}</h2>
${ownedListView(ownedApis, ({ apiId, name }) => resourceLink(`${APIS_URL}/${apiId}`, name), messages)}
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

export function accountStateTag(
  { suspended, invited, emailVerified }: UserRow,
  { operations: { tags } }: Messages,
): Html {
  if (suspended) return tag(tags.suspended, 'stopped', 'ban');
  if (invited) return tag(tags.invited, 'waiting', 'mail');
  return emailVerified
    ? tag(tags.active, 'good', 'circle-check')
    : tag(tags.unverifiedEmail, 'waiting', 'mail');
}

function describeMfa(
  { appEnabledAt, recoveryCodes, rememberedDevices, passkeys }: AccountDetail,
  messages: Messages,
): Html {
  const text = messages.operations.secondFactor;
  return html`${passkeys > 0 && html`${text.passkeys(passkeys)}<br>`}${appEnabledAt && html`${text.app} ${day(appEnabledAt, messages)}<br>`}${text.codes(recoveryCodes)}${appEnabledAt && html`<br>${text.browsers(rememberedDevices)}`}`;
}
