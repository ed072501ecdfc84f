// GET and POST /security/not-me: the link in every mail about a change, for whoever did not make it.
import type { FastifyInstance } from 'fastify';
import { disown, disowningOf } from '../../accounts/disown.ts';
import { tokenHash } from '../../accounts/one-time-tokens.ts';
import type { Parts } from '../../parts.ts';
import { sendPage } from '../../plugins/page.ts';
import { formOf, queryOf, requireForm } from '../../plugins/parameters.ts';
import { addressOf } from '../../plugins/rate-limit.ts';
import { findToken } from '../../store/one-time-tokens.ts';
import { finishedView, notMeView, takenView } from '../views/credentials/letters.ts';
import { doneOf, openFormToken, requireOpenForm, sendDeadLink } from './asking.ts';

const PATH = '/security/not-me';

export function notMePage(app: FastifyInstance, parts: Parts): void {
  app.get(PATH, async (request, reply) => {
    const token = queryOf(request).get('token');
    const hash = tokenHash(token);
    if (token === undefined || hash === undefined) return showDone();
    const found = await findToken(parts.database, hash, ['not_me'], parts.now());
    if (found === undefined) return sendDeadLink(request, reply, parts);
    const csrf = openFormToken(request, reply, parts);
    return sendPage(request, reply, parts, {
      title: (messages) => messages.account.credentials.notMe.title,
      main: (messages) =>
        notMeView({
          messages,
          csrf,
          token,
          ends: disowningOf(found),
          secret: found.detail.secret !== undefined,
          restores: found.currentEmail === found.email ? undefined : found.email,
        }),
    });

    function showDone() {
      if (queryOf(request).get('done') === undefined) return sendDeadLink(request, reply, parts);
      return sendPage(request, reply, parts, {
        title: (messages) => messages.account.credentials.notMe.doneTitle,
        main: (messages) => {
          const text = messages.account.credentials.notMe;
          return finishedView({
            title: text.doneTitle,
            text: doneOf(request, text.done) ?? text.done.session,
            link: { href: '/password/forgot', text: text.reset },
          });
        },
      });
    }
  });

  app.post(PATH, { preHandler: requireForm }, async (request, reply) => {
    requireOpenForm(request, parts);
    const hash = tokenHash(formOf(request).get('token'));
    const ended = hash === undefined ? 'dead' : await disown(parts, hash, addressOf(request), parts.now());
    if (ended === 'dead') return sendDeadLink(request, reply, parts);
    if (ended !== 'taken') return reply.redirect(`${PATH}?done=${ended}`, 303);
    return sendPage(request, reply, parts, {
      status: 409,
      title: (messages) => messages.account.credentials.confirm.takenTitle,
      main: (messages) => takenView(messages, messages.account.credentials.notMe.taken),
    });
  });
}
