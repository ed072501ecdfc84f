// /console/operations/accounts/:userId/second-factor/:decision: has the second factor of an account taken away, or stops that.
import type { FastifyInstance } from 'fastify';
import { askForFactorReset, withdrawFactorReset } from '../../credentials/second-factor-reset.ts';
import type { Parts } from '../../http/parts.ts';
import { isSafe } from '../../http/request.ts';
import type { Messages } from '../../i18n/index.ts';
import { notFound } from '../../oauth/errors.ts';
import { SECOND_FACTOR_RESET_DELAY } from '../../oauth/lifetimes.ts';
import type { AccountDetail } from '../../store/account-lists.ts';
import { choiceField } from '../../web/html/form.ts';
import type { Html } from '../../web/html/html.ts';
import { memberOf } from '../../web/member.ts';
import { accountOf, factorDecisionsFor } from './accounts.ts';
import type { FactorDecision } from './accounts-view.ts';
import { confirmView } from './confirm-view.ts';
import { operatorOf, readConfirmation, reasonFaults } from './confirmation.ts';
import { ACCOUNTS } from './frame-view.ts';

const DECISIONS: readonly FactorDecision[] = ['reset', 'stop'];

export function accountFactorPages(area: FastifyInstance, parts: Parts): void {
  const pageOf = ({ userId }: AccountDetail) => `${ACCOUNTS}/${userId}`;

  area.formPage({
    url: `${ACCOUNTS}/:userId/second-factor/:decision`,
    async about(request) {
      const { decision: named } = request.params as { decision: string };
      const decision = DECISIONS.find((one) => one === named);
      if (decision === undefined) throw notFound();
      return { decision, account: await accountOf(request, parts) };
    },
    // It is so already, or it is not for this operator to do: the account's page says what there is.
    elsewhere: ({ decision, account }, request) =>
      isSafe(request) &&
      !factorDecisionsFor(account, account.userId === memberOf(request).userId).includes(decision)
        ? pageOf(account)
        : undefined,
    read: (form) => ({ ...readConfirmation(form), passkeys: form.get('passkeys') === 'yes' }),
    faults: ({ fields }) => reasonFaults(fields),
    proof: true,
    async act({ request, about: { decision, account }, fields }) {
      const by = operatorOf(request, fields);
      const { userId } = account;
      if (decision === 'stop') {
        const stopped = await withdrawFactorReset(parts, userId, by, parts.now());
        return `${pageOf(account)}${stopped ? '?done=reset-stopped' : ''}`;
      }
      const outcome = await askForFactorReset(parts, userId, { passkeys: fields.passkeys }, by, parts.now());
      switch (outcome) {
        case 'self':
          return { faults: [{ text: ({ operations }) => operations.secondFactor.self }] };
        case 'notOperator':
        case 'gone':
          throw notFound();
        case 'asked':
          return `${pageOf(account)}?done=reset-asked`;
        default:
          return pageOf(account);
      }
    },
    page: ({ about: { decision, account }, fields: typed }) => ({
      title: ({ operations }) => operations.secondFactor[decision].title(account.name),
      main(form) {
        const { userId, email, name } = account;
        const { secondFactor, email: emailLabel, identifier, duration } = form.messages.operations;
        const words = secondFactor[decision];
        const text =
          decision === 'reset'
            ? `${words.text} ${secondFactor.delayed(duration(SECOND_FACTOR_RESET_DELAY))}`
            : words.text;
        return confirmView({
          ...form,
          section: 'accounts',
          words: { ...words, text },
          name,
          identity: [
            { label: emailLabel, value: email },
            { label: identifier, value: userId, code: true },
          ],
          action: `${pageOf(account)}/second-factor/${decision}`,
          back: pageOf(account),
          typed,
          extra: decision === 'reset' && account.passkeys > 0 && lostPasskeys(form.messages, typed.passkeys),
          danger: decision === 'reset',
        });
      },
    }),
  });
}

const lostPasskeys = ({ operations: { secondFactor } }: Messages, checked: boolean): Html =>
  choiceField({
    name: 'passkeys',
    kind: 'checkbox',
    legend: secondFactor.lost,
    choices: [
      { value: 'yes', label: secondFactor.lostPasskeys, hint: secondFactor.lostPasskeysHint, checked },
    ],
  });
