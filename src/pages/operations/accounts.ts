// GET /console/operations/accounts and /accounts/:userId: all accounts, and one of them.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { mailsFor, type OperatorMail } from '../../credentials/operator-mails.ts';
import { queryOf } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import type { Messages } from '../../i18n/index.ts';
import { notFound } from '../../oauth/errors.ts';
import {
  type AccountDetail,
  type AccountState,
  findAccount,
  isUuid,
  listAccounts,
  listLatestSessions,
} from '../../store/account-lists.ts';
import { listEvents } from '../../store/events.ts';
import type { AccountAction } from '../../store/moderation.ts';
import { listSignIns } from '../../store/sign-ins.ts';
import { doneOf } from '../../web/faults.ts';
import { memberOf } from '../../web/member.ts';
import { accountsView, accountView, type FactorDecision } from './accounts-view.ts';
import { ACCOUNTS } from './frame-view.ts';
import { askedOf } from './list.ts';

const STATES: readonly AccountState[] = ['operator', 'suspended'];
const LATEST_EVENTS = 20;

export function accountPages(area: FastifyInstance, parts: Parts): void {
  const { database } = parts;

  area.get(ACCOUNTS, async (request, reply) => {
    const asked = askedOf(request, STATES, isUuid);
    const found = await listAccounts(database, asked);
    return reply.page({
      title: (messages) => messages.operations.accounts,
      main: (messages) =>
        accountsView({
          messages,
          asked,
          found,
          notice: doneOf(request, { delete: messages.operations.accountActions.delete.done }),
        }),
    });
  });

  area.get(`${ACCOUNTS}/:userId`, async (request, reply) => {
    const account = await accountOf(request, parts);
    const { userId } = account;
    const member = memberOf(request);
    const own = userId === member.userId;
    const [sessions, events, [lastSignIn]] = await Promise.all([
      listLatestSessions(database, userId, parts.now()),
      listEvents(database, { userId }, { limit: LATEST_EVENTS }),
      listSignIns(database, userId),
    ]);
    const done = queryOf(request).get('done');
    return reply.page({
      title: () => account.name,
      main: (messages) =>
        accountView({
          messages,
          account,
          own,
          actions: actionsFor(account, own),
          mails: mailsOf(account, parts),
          factorDecisions: factorDecisionsFor(account, own),
          sessions,
          events,
          lastSignIn,
          notice: doneWords(account, done, messages),
        }),
    });
  });
}

/** What was just done to an account; undefined where the address claims what cannot be. */
function doneWords(
  account: AccountDetail,
  done: string | undefined,
  { operations: text }: Messages,
): string | undefined {
  if (done === 'invited' && account.invitedAt !== null) return text.invite.done;
  const waits = account.resetDueAt !== null;
  if (done === 'reset-asked' && waits) return text.secondFactor.reset.done;
  if (done === 'reset-stopped' && !waits) return text.secondFactor.stop.done;
  const { tooMany: _, ...mails } = text.accountMails;
  if (done !== undefined && Object.hasOwn(mails, done)) return mails[done as OperatorMail].done;
  const action = actionsAfter(account).find((one) => one === done);
  return action && text.accountActions[action].done;
}

export async function accountOf(request: FastifyRequest, parts: Parts): Promise<AccountDetail> {
  const { userId } = request.params as { userId: string };
  const account = isUuid(userId) ? await findAccount(parts.database, userId, parts.now()) : undefined;
  if (account === undefined) throw notFound();
  return account;
}

/** What an operator can do about an account as it is; not what they would lock themselves out with. */
export const actionsFor = (account: AccountDetail, own: boolean): AccountAction[] => [
  'end',
  ...(own
    ? []
    : ([
        account.operator ? 'revoke' : 'grant',
        account.suspended ? 'unsuspend' : 'suspend',
        'delete',
      ] as const)),
];

/** What of it can be done about an account as it is. One's own is taken away in the account, with a code. */
export const factorDecisionsFor = (account: AccountDetail, own: boolean): FactorDecision[] => {
  if (account.resetDueAt !== null) return ['stop'];
  return (account.appSince === null && account.passkeys === 0) || account.suspended || own ? [] : ['reset'];
};

/** The mails that can be sent to an account as it is; none where none can be sent. */
export const mailsOf = (account: AccountDetail, { mailer }: Pick<Parts, 'mailer'>): OperatorMail[] =>
  mailer.available ? mailsFor(account) : [];

/** What may have been done to an account that is as it is: the address of a page cannot claim anything else. */
const actionsAfter = (account: AccountDetail): AccountAction[] => [
  'end',
  account.operator ? 'grant' : 'revoke',
  account.suspended ? 'suspend' : 'unsuspend',
];
