// GET and POST /security/confirm: the link of a mail that verifies an address, or makes a new one the account's.
import type { FastifyInstance } from 'fastify';
import { confirmByLink } from '../../credentials/email-address.ts';
import { formOf, queryOf, requireForm } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import { tokenHash } from '../../mail/links.ts';
import { findToken } from '../../store/one-time-tokens.ts';
import { deadLink, openFormToken, requireOpenForm } from '../../web/asking.ts';
import { fromOf } from '../../web/browser.ts';
import { doneOf } from '../../web/faults.ts';
import { confirmView, finishedView, takenView } from './letters-view.ts';

const PATH = '/security/confirm';

export function confirmPage(app: FastifyInstance, parts: Parts): void {
  app.get(PATH, async (request, reply) => {
    const token = queryOf(request).get('token');
    const hash = tokenHash(token);
    if (token === undefined || hash === undefined) return showDone();
    const found = await findToken(parts.database, hash, ['verify_email', 'change_email'], parts.now());
    if (found === undefined) throw deadLink();
    const isChange = found.kind === 'change_email';
    const csrf = openFormToken(reply, parts);
    return reply.page({
      title: ({ account: { credentials } }) =>
        isChange ? credentials.confirm.changeTitle : credentials.confirm.verifyTitle,
      main: (messages) =>
        confirmView({ messages, csrf, token, isChange, name: found.name, email: found.email }),
    });

    function showDone() {
      if (queryOf(request).get('done') === undefined) throw deadLink();
      return reply.page({
        title: (messages) => messages.account.credentials.confirm.doneTitle,
        main: (messages) => {
          const text = messages.account.credentials.confirm;
          return finishedView({
            title: text.doneTitle,
            text: doneOf(request, text.done) ?? text.done.verified,
            link: { href: '/account', text: text.toAccount },
          });
        },
      });
    }
  });

  app.post(PATH, { preHandler: requireForm }, async (request, reply) => {
    requireOpenForm(request, parts);
    const hash = tokenHash(formOf(request).get('token'));
    const from = fromOf(request);
    const { outcome } =
      hash === undefined ? { outcome: 'dead' as const } : await confirmByLink(parts, hash, from, parts.now());
    if (outcome === 'dead') throw deadLink();
    if (outcome !== 'taken') return reply.redirect(`${PATH}?done=${outcome}`, 303);
    return reply.page({
      status: 409,
      title: (messages) => messages.account.credentials.confirm.takenTitle,
      main: (messages) => takenView(messages, messages.account.credentials.confirm.taken),
    });
  });
}
