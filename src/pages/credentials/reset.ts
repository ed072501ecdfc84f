// GET and POST /password/reset: the page that the mail's link opens; only its form uses the link up.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { resetPassword } from '../../credentials/password-change.ts';
import { PASSWORD_MIN } from '../../credentials/password-length.ts';
import { noticeSecurityChange } from '../../credentials/security-notices.ts';
import { formOf, queryOf, requireForm } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import { tokenHash } from '../../mail/one-time-tokens.ts';
import { findToken, type LiveToken } from '../../store/one-time-tokens.ts';
import { fromOf, newPasswordFaults, openFormToken, requireOpenForm, sendDeadLink } from '../../web/asking.ts';
import { enter, keptOnward, originOf } from '../../web/entering.ts';
import { type Fault, inWords } from '../../web/faults.ts';
import { rememberBrowser } from '../../web/known-browsers.ts';
import { sendPage } from '../../web/page.ts';
import { resetView } from './password-view.ts';

const PATH = '/password/reset';

export function resetPage(app: FastifyInstance, parts: Parts): void {
  const { database } = parts;
  const find = async (token: string | undefined): Promise<LiveToken | undefined> => {
    const hash = tokenHash(token);
    return hash && findToken(database, hash, ['reset_password'], parts.now());
  };

  app.get(PATH, async (request, reply) => {
    const token = queryOf(request).get('token');
    const found = await find(token);
    if (token === undefined || found === undefined) return sendDeadLink(request, reply, parts);
    return show(request, reply, token, found.email, []);
  });

  app.post(PATH, { preHandler: requireForm }, async (request, reply) => {
    requireOpenForm(request, parts);
    const form = formOf(request);
    const token = form.get('token');
    const hash = tokenHash(token);
    const found = await find(token);
    if (token === undefined || hash === undefined || found === undefined)
      return sendDeadLink(request, reply, parts);
    const password = form.get('new_password') ?? '';
    const faults = await newPasswordFaults('new_password', password);
    if (faults.length > 0) return show(request, reply, token, found.email, faults);

    const done = await resetPassword(parts, hash, password, originOf(request, parts), parts.now);
    if (done === undefined) return sendDeadLink(request, reply, parts);
    const { id, sid, userId } = done.session;
    rememberBrowser(request, reply, parts, done.session, 'password');
    const { address, userAgent, locale } = fromOf(request, reply, parts);
    await noticeSecurityChange(
      parts,
      { userId, kind: 'password_reset', sid, address, detail: { userAgent, locale } },
      parts.now(),
    );
    return enter(
      reply,
      parts,
      id,
      await keptOnward(request, reply, parts, done.onward, '/account/password?done=reset'),
    );
  });

  function show(
    request: FastifyRequest,
    reply: FastifyReply,
    token: string,
    email: string,
    faults: Fault[],
  ): FastifyReply {
    const csrf = openFormToken(request, reply, parts);
    return sendPage(request, reply, parts, {
      status: faults.length > 0 ? 400 : 200,
      title: (messages) => messages.account.credentials.reset.title,
      hasErrors: faults.length > 0,
      token,
      main: (messages) =>
        resetView({
          messages,
          csrf,
          token,
          email,
          errors: inWords(faults, messages),
          minimum: PASSWORD_MIN,
        }),
    });
  }
}
