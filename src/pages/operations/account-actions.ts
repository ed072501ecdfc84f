// /console/operations/accounts/:userId/:action: what operators do about an account, each on a page of its own.
import type { FastifyInstance } from 'fastify';
import { decideOnAccount } from '../../accounts/moderation.ts';
import type { Parts } from '../../http/parts.ts';
import { isSafe } from '../../http/request.ts';
import { notFound } from '../../oauth/errors.ts';
import type { AccountAction } from '../../store/moderation.ts';
import { emailKey } from '../../store/users.ts';
import { memberOf } from '../../web/member.ts';
import { accountOf, actionsFor } from './accounts.ts';
import { confirmView } from './confirm-view.ts';
import { actionOf, operatorOf, readConfirmation, reasonFaults } from './confirmation.ts';
import { ACCOUNTS } from './frame-view.ts';

const ACTIONS: readonly AccountAction[] = ['suspend', 'unsuspend', 'end', 'grant', 'revoke', 'delete'];

export function accountActionPages(area: FastifyInstance, parts: Parts): void {
  area.formPage({
    url: `${ACCOUNTS}/:userId/:action`,
    about: async (request) => ({
      action: actionOf(request, ACTIONS),
      account: await accountOf(request, parts),
    }),
    // It is so already, or it is not for this operator to do: the account's page says what there is.
    elsewhere: ({ action, account }, request) =>
      !isSafe(request) || actionsFor(account, account.userId === memberOf(request).userId).includes(action)
        ? undefined
        : `${ACCOUNTS}/${account.userId}`,
    read: readConfirmation,
    faults({ about: { action, account }, fields }) {
      const faults = reasonFaults(fields);
      if (action === 'delete' && emailKey(fields.email) !== emailKey(account.email))
        faults.unshift({ field: 'email', text: ({ operations }) => operations.emailDiffers });
      return faults;
    },
    proof: true,
    async act({ request, about: { action, account }, fields }) {
      const { userId } = account;
      const by = operatorOf(request, fields);
      const outcome = await decideOnAccount(parts, action, userId, by, parts.now());
      switch (outcome) {
        case 'self':
        case 'lastOperator':
          return { faults: [{ text: ({ operations }) => operations.refusals[outcome] }] };
        case 'notOperator':
        case 'gone':
          throw notFound();
        default:
          return `${action === 'delete' ? ACCOUNTS : `${ACCOUNTS}/${userId}`}?done=${action}`;
      }
    },
    page: ({ about: { action, account }, fields: typed }) => ({
      title: (messages) => messages.operations.accountActions[action].title(account.name),
      main(form) {
        const { userId, email, name, ownedApplications: applications, ownedApis: apis } = account;
        const { accountActions, email: emailLabel, identifier } = form.messages.operations;
        return confirmView({
          ...form,
          section: 'accounts',
          words: accountActions[action],
          name,
          identity: [
            { label: emailLabel, value: email },
            { label: identifier, value: userId, code: true },
          ],
          deletes: action === 'delete' ? { email, applications, apis } : undefined,
          action: `${ACCOUNTS}/${userId}/${action}`,
          back: `${ACCOUNTS}/${userId}`,
          typed,
          danger: action === 'delete' || action === 'suspend',
        });
      },
    }),
  });
}
