// GET and POST /password/forgot: a link by mail. The same answer in the same time, whether or not there is an account.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isEmail } from '../../accounts/account-fields.ts';
import { mayAskForMail } from '../../accounts/limits.ts';
import { askForReset } from '../../credentials/password-change.ts';
import { formOf, queryOf, requireForm } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import { fromOf, isOpenForm, openFormToken } from '../../web/asking.ts';
import { requireOwnOrigin } from '../../web/csrf.ts';
import { entranceAddress, type Onward, onwardOf } from '../../web/entering.ts';
import { type Fault, inWords } from '../../web/faults.ts';
import { sendPage } from '../../web/page.ts';
import { forgotView, noMailView, sentView } from './password-view.ts';

const PATH = '/password/forgot';

export function forgotPage(app: FastifyInstance, parts: Parts): void {
  app.get(PATH, async (request, reply) => {
    const onward = await onwardOf(request, reply, parts, queryOf(request));
    const email = onward.page?.pending.request.loginHint ?? '';
    const wasSent = queryOf(request).get('done') === 'sent';
    return wasSent ? showSent(request, reply, onward) : show(request, reply, onward, { email });
  });

  app.post(PATH, { preHandler: requireForm }, async (request, reply) => {
    requireOwnOrigin(request, parts.config.baseUrl);
    const form = formOf(request);
    const onward = await onwardOf(request, reply, parts, form);
    if (!parts.mailer.available) return show(request, reply, onward, { email: '' });
    const email = form.get('email')?.trim() ?? '';
    if (!isOpenForm(request, parts))
      return refuse(403, { text: (messages) => messages.problems.formExpired });
    if (!isEmail(email))
      return refuse(400, { field: 'email', text: (messages) => messages.problems.emailInvalid });
    const { address, locale } = fromOf(request, reply, parts);
    if (!(await mayAskForMail(parts, address, parts.now())))
      return refuse(429, { text: (messages) => messages.account.credentials.tooManyMails });
    const { page, next } = onward;
    const kept = { ...(page && { pending: page.sealed }), ...(next !== undefined && { next }) };
    await askForReset(parts, { email, locale, onward: kept });
    const here = entranceAddress(PATH, onward);
    return reply.redirect(`${here}${here.includes('?') ? '&' : '?'}done=sent`, 303);

    function refuse(status: number, fault: Fault) {
      return show(request, reply, onward, { email, status, faults: [fault] });
    }
  });

  function show(
    request: FastifyRequest,
    reply: FastifyReply,
    onward: Onward,
    { email, status = 200, faults = [] }: { email: string; status?: number; faults?: Fault[] },
  ): FastifyReply {
    const csrf = openFormToken(request, reply, parts);
    const { page, next } = onward;
    return sendPage(request, reply, parts, {
      ...about(onward),
      status,
      title: (messages) => messages.account.credentials.forgot.title,
      hasErrors: faults.length > 0,
      main: (messages) =>
        parts.mailer.available
          ? forgotView({
              messages,
              csrf,
              pending: page?.sealed,
              next,
              email,
              errors: inWords(faults, messages),
              signInHref: entranceAddress('/signin', onward),
            })
          : noMailView(messages, entranceAddress('/signin', onward)),
    });
  }

  const showSent = (request: FastifyRequest, reply: FastifyReply, onward: Onward): FastifyReply =>
    sendPage(request, reply, parts, {
      ...about(onward),
      title: (messages) => messages.account.credentials.forgot.sentTitle,
      main: (messages) =>
        sentView(messages, {
          againHref: entranceAddress(PATH, onward),
          signInHref: entranceAddress('/signin', onward),
        }),
    });
}

const about = ({ page, next }: Onward) => ({
  pending: page && { sealed: page.sealed, uiLocales: page.pending.request.uiLocales },
  next,
});
