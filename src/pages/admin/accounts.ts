// /console/operations/accounts: lists, shows and moderates accounts.

import { moderateAccount, moderateAccountInTransaction } from '../../accounts/moderation.ts';
import { type AdminEmail, listSendableEmails, sendAdminEmail } from '../../credentials/admin-emails.ts';
import { cancelMfaResetAsAdmin, requestMfaReset } from '../../credentials/mfa-reset.ts';
import type { Services } from '../../http/services.ts';
import {
  type AccountState,
  findAccountDetail,
  isUuid,
  type ListedAccount,
  listAccountsPage,
} from '../../store/admin-accounts.ts';
import { listIdentities } from '../../store/external-identities.ts';
import { listSignIns } from '../../store/sign-in-history.ts';
import { avatar } from '../../web/html/account-rows.ts';
import { buttonLink } from '../../web/html/buttons.ts';
import { choiceField } from '../../web/html/fields.ts';
import { html } from '../../web/html/html.ts';
import { tag } from '../../web/html/tag.ts';
import { dateTime, day } from '../../web/html/time.ts';
import { signedInUser } from '../../web/session-guard.ts';
import { connectedApplicationsView, loadAccountAccess, sessionsView } from './account-access.ts';
import {
  type Account,
  type Action,
  accountDetails,
  accountStateTag,
  accountSummary,
  hasMfa,
  ownedResourcesView,
  signInDetails,
} from './account-view.ts';
import { editAccountPath } from './edit-account.ts';
import { eventLabel } from './events-view.ts';
import { ACCOUNTS_URL, IMPORT_URL, userLink } from './layout.ts';
import type { Section } from './sections.ts';

const EMAIL_ACTIONS = ['invitation', 'reset_password', 'verify_email'] as const satisfies AdminEmail[];
const isEmailAction = (action: Action): action is AdminEmail => EMAIL_ACTIONS.some((mail) => mail === action);

export const accountSection = (
  services: Services,
): Section<Account, AccountState, Action, ListedAccount> => ({
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
    return (
      account && {
        ...account,
        lastSignIn,
        identities: await listIdentities(services.database, userId),
        ...(await loadAccountAccess(services, account)),
      }
    );
  },
  describeList: (messages) => {
    const { operations: text } = messages;
    return {
      createLink: html`<p class="actions">${buttonLink({ text: text.invite.action, href: `${ACCOUNTS_URL}/new` })}
${buttonLink({ text: text.imports.action, href: IMPORT_URL, kind: 'secondary' })}</p>`,
      searchLabel: text.searchAccounts,
      states: text.accountStates,
      headings: [text.account, text.state, text.lastSignIn, text.created],
      cells: (account) => [
        userLink(account),
        html`${accountStateTag(account, messages)}${account.isAdmin && tag(text.tags.admin, undefined, 'shield-user')}`,
        account.lastSignInAt ? day(account.lastSignInAt, messages) : messages.applications.list.never,
        day(account.createdAt, messages),
      ],
    };
  },
  details: accountDetails,
  summary: accountSummary,
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
  footer: (account, context) => html`${signInDetails(account, context)}
${sessionsView(account, context)}
${connectedApplicationsView(account, context)}
${ownedResourcesView(account, context.messages)}`,
  closing: ({ userId }, { messages: { operations: text }, request }) =>
    userId !== signedInUser(request).userId &&
    html`<section class="danger-zone" aria-labelledby="danger-zone">
<h2 id="danger-zone">${text.accountActions.delete.action}</h2>
<p>${text.accountActions.delete.text}</p>
<p class="actions">${buttonLink({ text: text.accountActions.delete.action, href: `${ACCOUNTS_URL}/${userId}/delete`, kind: 'danger' })}</p>
</section>`,
  actions: [
    ...EMAIL_ACTIONS,
    ...(['suspend', 'unsuspend', 'end', 'grant', 'revoke'] as const),
    ...(['reset_mfa', 'cancel_mfa_reset', 'delete'] as const),
  ],
  deleting: ['delete'],
  urlAfter: ({ userId }, action) => (action === 'delete' ? ACCOUNTS_URL : `${ACCOUNTS_URL}/${userId}`),
  listPossible(account, request) {
    const { isAdmin, suspended, mfaResetDueAt, userId } = account;
    const always: Action[] = [...(services.mailer.available ? listSendableEmails(account) : []), 'end'];
    if (mfaResetDueAt !== null) always.push('cancel_mfa_reset');
    // Administrators must not be able to lock themselves out.
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
    if (action === 'delete')
      return moderateAccountInTransaction(services, transaction, action, userId, by, now);
    if (action !== 'cancel_mfa_reset') return moderateAccount(services, action, userId, by, now);
    return (await cancelMfaResetAsAdmin(services, userId, by, now)) ? 'done' : 'notApplicable';
  },
  deletionOf: (action, account) =>
    action === 'delete'
      ? { email: account.email, owned: (messages) => ownedResourcesView(account, messages) }
      : undefined,
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
