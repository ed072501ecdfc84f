// /console/operations/accounts: all accounts, for administrators.
import { moderateAccount, moderateAccountWithin } from '../../accounts/moderation.ts';
import { mailsFor, type OperatorMail, sendToAccount } from '../../credentials/operator-mails.ts';
import { askForFactorReset, withdrawFactorReset } from '../../credentials/second-factor-reset.ts';
import type { Parts } from '../../http/parts.ts';
import type { Messages } from '../../i18n/index.ts';
import { phoneInWords } from '../../i18n/phones.ts';
import {
  type AccountDetail,
  type AccountState,
  findAccount,
  isUuid,
  listAccounts,
} from '../../store/account-lists.ts';
import type { AccountAction } from '../../store/moderation.ts';
import { listSignIns, type SignIn } from '../../store/sign-ins.ts';
import type { UserRow } from '../../store/users.ts';
import { buttonLink, choiceField } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { wayInWords } from '../../web/html/sign-in-words.ts';
import { tag } from '../../web/html/tag.ts';
import { ago, day, moment } from '../../web/html/time.ts';
import { memberOf } from '../../web/member.ts';
import { ACCOUNTS, APIS, APPLICATIONS, ownedList } from './frame-view.ts';
import type { Section } from './sections.ts';

type Row = AccountDetail & { lastSignIn: SignIn | undefined };
type Action = OperatorMail | AccountAction | 'reset_second_factor' | 'stop_reset';

const MAILS = ['invitation', 'reset_password', 'verify_email'] as const satisfies OperatorMail[];
const isMail = (action: Action): action is OperatorMail => MAILS.some((mail) => mail === action);

export const accountSection = (parts: Parts): Section<Row, AccountState, Action, UserRow> => ({
  section: 'accounts',
  parameter: 'userId',
  isId: isUuid,
  idOf: ({ userId }) => userId,
  nameOf: ({ name }) => name,
  about: 'userId',
  states: ['operator', 'suspended'],
  rows: listAccounts,
  async read(userId) {
    const account = await findAccount(parts.database, userId, parts.now());
    const [lastSignIn] = await listSignIns(parts.database, userId);
    return account && { ...account, lastSignIn };
  },
  listed: (messages) => {
    const { operations: text } = messages;
    return {
      begin: buttonLink({ text: text.invite.action, href: `${ACCOUNTS}/new` }),
      search: text.searchAccounts,
      states: text.accountStates,
      headings: [text.email, text.name, text.state, text.created],
      cells: (account) => [
        html`<a href="${ACCOUNTS}/${account.userId}">${account.email}</a>`,
        html`<bdi>${account.name}</bdi>`,
        accountTags(account, messages),
        day(account.createdAt, messages),
      ],
    };
  },
  facts(account, messages, _locale, request) {
    const { operations: text } = messages;
    const { lastSignIn } = account;
    const isOwn = account.userId === memberOf(request).userId;
    return html`<div><dt>${text.email}</dt><dd>${account.email}</dd></div>
<div><dt>${text.state}</dt><dd class="tags">${accountTags(account, messages)}${isOwn && tag(text.tags.you)}</dd></div>
${account.suspendedAt && html`<div><dt>${text.suspendedSince}</dt><dd>${moment(account.suspendedAt, messages)}</dd></div>`}
${account.phone && html`<div><dt>${text.phone}</dt><dd>${phoneInWords(account.phone)}</dd></div>`}
<div><dt>${text.identifier}</dt><dd><code>${account.userId}</code></dd></div>
<div><dt>${text.created}</dt><dd>${day(account.createdAt, messages)}</dd></div>
${account.invitedAt && html`<div><dt>${text.invitedSince}</dt><dd>${ago(account.invitedAt, messages)}</dd></div>`}
${account.passwordChosenAt && html`<div><dt>${text.passwordChosen}</dt><dd>${ago(account.passwordChosenAt, messages)}</dd></div>`}
${hasFactor(account) && html`<div><dt>${text.secondFactor.name}</dt><dd>${secondFactor(account, messages)}</dd></div>`}
${account.resetDueAt && html`<div><dt>${text.secondFactor.due}</dt><dd>${moment(account.resetDueAt, messages)}</dd></div>`}
${lastSignIn && html`<div><dt>${text.lastSignIn}</dt><dd>${ago(lastSignIn.at, messages)}<br>${wayInWords(lastSignIn.way, messages)}</dd></div>`}
<div><dt>${text.openSessions}</dt><dd id="open-sessions">${text.number(account.openSessions)}</dd></div>
<div><dt>${text.connectedApplications}</dt><dd id="connected-applications">${text.number(account.connectedApplications)}</dd></div>`;
  },
  more: owned,
  all: [
    ...MAILS,
    ...(['end', 'grant', 'revoke', 'unsuspend'] as const),
    ...(['stop_reset', 'reset_second_factor', 'suspend', 'delete'] as const),
  ],
  possible(account, request) {
    const { operator, suspended, resetDueAt, userId } = account;
    const always: Action[] = [...(parts.mailer.available ? mailsFor(account) : []), 'end'];
    if (resetDueAt !== null) always.push('stop_reset');
    // Administrators can't lock themselves out.
    if (userId === memberOf(request).userId) return always;
    const canReset = resetDueAt === null && !suspended && hasFactor(account);
    return [
      ...always,
      operator ? 'revoke' : 'grant',
      suspended ? 'unsuspend' : 'suspend',
      'delete',
      ...(canReset ? (['reset_second_factor'] as const) : []),
    ];
  },
  dangerous: ['reset_second_factor', 'suspend', 'delete'],
  words: ({ operations }) => operations.accountActions,
  async perform(action, account, by, { passkeys }, transaction) {
    const { userId } = account;
    const now = parts.now();
    if (isMail(action)) return sendToAccount(parts, action, account, by, now);
    if (action === 'reset_second_factor') return askForFactorReset(parts, userId, { passkeys }, by, now);
    if (action === 'delete') return moderateAccountWithin(parts, transaction, action, userId, by, now);
    if (action !== 'stop_reset') return moderateAccount(parts, action, userId, by, now);
    return (await withdrawFactorReset(parts, userId, by, now)) ? 'done' : 'unfit';
  },
  deletes: (action, account) =>
    action === 'delete' ? { email: account.email, owned: (messages) => owned(account, messages) } : undefined,
  field: (action, account, { passkeys: checked }, { operations: { secondFactor: text } }) =>
    action === 'reset_second_factor' &&
    account.passkeys > 0 &&
    choiceField({
      name: 'passkeys',
      kind: 'checkbox',
      legend: text.lost,
      choices: [{ value: 'yes', label: text.lostPasskeys, hint: text.lostPasskeysHint, checked }],
    }),
});

const hasFactor = ({ appSince, passkeys }: AccountDetail) => appSince !== null || passkeys > 0;

function owned({ ownedApplications, ownedApis }: AccountDetail, messages: Messages): Html {
  const { operations: text } = messages;
  const link = (path: string, name: string) =>
    html`<a class="reachable" href="${path}"><bdi>${name}</bdi></a>`;
  return html`${
    ownedApplications.count > 0 &&
    html`<h2>${text.ownedApplications}</h2>
${ownedList(ownedApplications, ({ clientId, name }) => link(`${APPLICATIONS}/${clientId}`, name), messages)}
`
  }${
    ownedApis.count > 0 &&
    html`<h2>${text.ownedApis}</h2>
${ownedList(ownedApis, ({ apiId, name }) => link(`${APIS}/${apiId}`, name), messages)}
`
  }`;
}

function accountTags(account: UserRow, { operations: { tags } }: Messages): Html[] {
  return [
    ...(account.suspended ? [tag(tags.suspended, 'stopped')] : [tag(tags.active, 'good')]),
    ...(account.operator ? [tag(tags.operator)] : []),
    ...(account.invited ? [tag(tags.invited, 'waiting')] : []),
    ...(account.emailVerified || account.invited ? [] : [tag(tags.unverifiedEmail, 'waiting')]),
  ];
}

function secondFactor(
  { appSince, recoveryCodes, trustedBrowsers, passkeys }: AccountDetail,
  messages: Messages,
): Html {
  const text = messages.operations.secondFactor;
  return html`${passkeys > 0 && html`${text.passkeys(passkeys)}<br>`}${appSince && html`${text.app} ${day(appSince, messages)}<br>`}${text.codes(recoveryCodes)}${appSince && html`<br>${text.browsers(trustedBrowsers)}`}`;
}
