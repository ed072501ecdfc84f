// /console/operations/accounts/:userId/:action: what operators do about an account, each on a page of its own.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { decideOnAccount } from '../../accounts/announcements.ts';
import { formOf } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import { addressOf } from '../../http/rate-limit.ts';
import { notFound } from '../../oauth/errors.ts';
import type { AccountAction } from '../../store/moderation.ts';
import type { AccountDetail } from '../../store/operations.ts';
import { emailKey } from '../../store/users.ts';
import { type Fault, inWords } from '../../web/faults.ts';
import { isRecent, memberOf } from '../../web/member.ts';
import { sendPage } from '../../web/page.ts';
import { ACCOUNTS, accountOf, actionsFor } from './accounts.ts';
import { confirmView } from './confirm-view.ts';
import { confirmationFaults, reasonOf } from './confirmation.ts';

const ACTIONS: readonly AccountAction[] = ['suspend', 'unsuspend', 'end', 'grant', 'revoke', 'delete'];

export function accountActionPages(area: FastifyInstance, parts: Parts): void {
  const address = `${ACCOUNTS}/:userId/:action`;

  area.get(address, async (request, reply) => {
    const action = actionOf(request);
    const account = await accountOf(request, parts);
    // It is so already, or it is not for this operator to do: the account's page says what there is.
    if (!actionsFor(account, account.userId === memberOf(request).userId).includes(action))
      return reply.redirect(`${ACCOUNTS}/${account.userId}`, 303);
    return askToConfirm(request, reply, parts, account, action);
  });

  area.post(address, async (request, reply) => {
    const action = actionOf(request);
    const account = await accountOf(request, parts);
    const { userId } = account;
    const faults: Fault[] = [];
    if (action === 'delete' && emailKey(formOf(request).get('email') ?? '') !== emailKey(account.email))
      faults.push({ field: 'email', text: ({ operations }) => operations.emailDiffers });
    faults.push(...(await confirmationFaults(request, parts)));
    if (faults.length > 0) return askToConfirm(request, reply, parts, account, action, faults);
    const by = {
      userId: memberOf(request).userId,
      address: addressOf(request),
      reason: reasonOf(request),
    };
    const outcome = await decideOnAccount(parts, action, userId, by, parts.now());
    switch (outcome) {
      case 'self':
      case 'lastOperator':
        return askToConfirm(request, reply, parts, account, action, [
          { text: ({ operations }) => operations.refusals[outcome] },
        ]);
      case 'notOperator':
      case 'gone':
        throw notFound();
      default: {
        const page = action === 'delete' ? ACCOUNTS : `${ACCOUNTS}/${userId}`;
        return reply.redirect(`${page}?done=${action}`, 303);
      }
    }
  });
}

function actionOf(request: FastifyRequest): AccountAction {
  const { action } = request.params as { action: string };
  const known = ACTIONS.find((one) => one === action);
  if (known === undefined) throw notFound();
  return known;
}

function askToConfirm(
  request: FastifyRequest,
  reply: FastifyReply,
  parts: Parts,
  account: AccountDetail,
  action: AccountAction,
  faults: Fault[] = [],
): FastifyReply {
  const member = memberOf(request);
  const { userId, email, name, ownedApplications: applications } = account;
  const form = formOf(request);
  return sendPage(request, reply, parts, {
    status: faults.length > 0 ? 400 : 200,
    hasErrors: faults.length > 0,
    title: (messages) => messages.operations.accountActions[action].title(name),
    wide: true,
    account: member,
    main: (messages) =>
      confirmView({
        messages,
        section: 'accounts',
        words: messages.operations.accountActions[action],
        name,
        identity: [
          { label: messages.operations.email, value: email },
          { label: messages.operations.identifier, value: userId },
        ],
        deletes: action === 'delete' ? { email, applications } : undefined,
        action: `${ACCOUNTS}/${userId}/${action}`,
        back: `${ACCOUNTS}/${userId}`,
        csrf: member.csrf,
        recent: isRecent(member, parts.now()),
        typed: { reason: form.get('reason'), email: form.get('email') },
        errors: inWords(faults, messages),
        danger: action === 'delete' || action === 'suspend',
      }),
  });
}
