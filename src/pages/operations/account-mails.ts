// /console/operations/accounts/:userId/mail/:mail: mails that an operator has sent to an account, each asked for on a page
// of its own.
import type { FastifyInstance } from 'fastify';
import { type OperatorMail, sendToAccount } from '../../credentials/operator-mails.ts';
import type { Parts } from '../../http/parts.ts';
import { isSafe } from '../../http/request.ts';
import { notFound } from '../../oauth/errors.ts';
import { accountOf, mailsOf } from './accounts.ts';
import { confirmView } from './confirm-view.ts';
import { operatorOf, readConfirmation, reasonFaults } from './confirmation.ts';
import { ACCOUNTS } from './frame-view.ts';

const MAILS: readonly OperatorMail[] = ['invitation', 'reset_password', 'verify_email'];

export function accountMailPages(area: FastifyInstance, parts: Parts): void {
  area.formPage({
    url: `${ACCOUNTS}/:userId/mail/:mail`,
    async about(request) {
      const { mail: named } = request.params as { mail: string };
      const mail = MAILS.find((one) => one === named);
      if (mail === undefined) throw notFound();
      return { mail, account: await accountOf(request, parts) };
    },
    // It has been answered meanwhile: the account's page says what there is.
    elsewhere: ({ mail, account }, request) =>
      isSafe(request) && !mailsOf(account, parts).includes(mail)
        ? `${ACCOUNTS}/${account.userId}`
        : undefined,
    read: readConfirmation,
    faults: ({ fields }) => reasonFaults(fields),
    proof: true,
    async act({ request, about: { mail, account }, fields }) {
      const by = operatorOf(request, fields);
      const outcome = await sendToAccount(parts, mail, account, by, parts.now());
      if (outcome === 'notOperator') throw notFound();
      if (outcome === 'tooMany')
        return { status: 429, faults: [{ text: ({ operations }) => operations.accountMails.tooMany }] };
      return `${ACCOUNTS}/${account.userId}${outcome === 'sent' ? `?done=${mail}` : ''}`;
    },
    page: ({ about: { mail, account }, fields: typed }) => ({
      title: (messages) => messages.operations.accountMails[mail].title(account.name),
      main(form) {
        const { userId, email, name } = account;
        const { accountMails, email: emailLabel, identifier } = form.messages.operations;
        return confirmView({
          ...form,
          section: 'accounts',
          words: accountMails[mail],
          name,
          identity: [
            { label: emailLabel, value: email },
            { label: identifier, value: userId, code: true },
          ],
          action: `${ACCOUNTS}/${userId}/mail/${mail}`,
          back: `${ACCOUNTS}/${userId}`,
          typed,
          danger: false,
        });
      },
    }),
  });
}
