// GET /console/operations/accounts and /accounts/:userId: all accounts, and one of them.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { queryOf } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import { notFound } from '../../oauth/errors.ts';
import { listEvents } from '../../store/events.ts';
import type { AccountAction } from '../../store/moderation.ts';
import {
  type AccountDetail,
  type AccountState,
  findAccount,
  isUserId,
  listAccounts,
  listLatestSessions,
} from '../../store/operations.ts';
import { memberOf } from '../../web/member.ts';
import { sendPage } from '../../web/page.ts';
import { accountsView, accountView } from './accounts-view.ts';
import { OPERATIONS } from './frame-view.ts';
import { positionText, readPosition } from './list-position.ts';

export const ACCOUNTS = `${OPERATIONS}/accounts`;
/** What is searched for is the beginning of a name or an email, neither of which is longer. */
const SEARCH_MAX = 254;
const LATEST_EVENTS = 20;

export function accountPages(area: FastifyInstance, parts: Parts): void {
  const { database } = parts;

  area.get(ACCOUNTS, async (request, reply) => {
    const query = queryOf(request);
    const search = searchOf(request);
    const state =
      (['operator', 'suspended'] as AccountState[]).find((one) => one === query.get('state')) ?? 'any';
    const position = readPosition(query.get('after'), isUserId);
    const after = position && { createdAt: position.at, id: position.id };
    const { rows, next, capped } = await listAccounts(database, {
      ...(search !== undefined && { search }),
      state,
      after,
    });
    return sendPage(request, reply, parts, {
      title: (messages) => messages.operations.accounts,
      wide: true,
      account: memberOf(request),
      main: (messages) =>
        accountsView({
          messages,
          search,
          state,
          accounts: rows,
          capped,
          next: next && positionText({ at: next.createdAt, id: next.id }),
          isFirst: after === undefined,
          notice: query.get('done') === 'delete' ? messages.operations.accountActions.delete.done : undefined,
        }),
    });
  });

  area.get(`${ACCOUNTS}/:userId`, async (request, reply) => {
    const account = await accountOf(request, parts);
    const { userId } = account;
    const member = memberOf(request);
    const own = userId === member.userId;
    const [sessions, events] = await Promise.all([
      listLatestSessions(database, userId, parts.now()),
      listEvents(database, { userId }, { limit: LATEST_EVENTS }),
    ]);
    const done = queryOf(request).get('done');
    return sendPage(request, reply, parts, {
      title: () => account.name,
      wide: true,
      account: member,
      main: (messages) =>
        accountView({
          messages,
          account,
          own,
          actions: actionsFor(account, own),
          sessions,
          events,
          notice: actionsAfter(account).find((action) => action === done)
            ? messages.operations.accountActions[done as AccountAction].done
            : undefined,
        }),
    });
  });
}

/** What was typed into a search: as much of it as anything could begin with. */
export const searchOf = (request: FastifyRequest): string | undefined =>
  queryOf(request).get('search')?.trim().slice(0, SEARCH_MAX) || undefined;

/** The account of the address. @throws OAuthError 404 */
export async function accountOf(request: FastifyRequest, parts: Parts): Promise<AccountDetail> {
  const { userId } = request.params as { userId: string };
  const account = isUserId(userId) ? await findAccount(parts.database, userId, parts.now()) : undefined;
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

/** What may have been done to an account that is as it is: the address of a page cannot claim anything else. */
const actionsAfter = (account: AccountDetail): AccountAction[] => [
  'end',
  account.operator ? 'grant' : 'revoke',
  account.suspended ? 'suspend' : 'unsuspend',
];
