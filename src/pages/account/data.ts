// GET and POST /account/data, /account/delete: taking all data away, and deleting the account.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { announceDeletion } from '../../accounts/announcements.ts';
import { openExports } from '../../accounts/exports.ts';
import { mayExport } from '../../accounts/limits.ts';
import { beginExport, deleteOwnAccount } from '../../accounts/own-data.ts';
import { formOf } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import { addressOf } from '../../http/rate-limit.ts';
import { listConsents } from '../../store/consents.ts';
import { listOwnApplications } from '../../store/personal-data.ts';
import { findSession } from '../../store/sessions.ts';
import { emailKey } from '../../store/users.ts';
import { localeOf } from '../../web/browser.ts';
import { writeCookie } from '../../web/cookies.ts';
import { DELETED } from '../../web/farewells.ts';
import { type Fault, inWords } from '../../web/faults.ts';
import { confirmation, isRecent, memberOf } from '../../web/member.ts';
import { noticeToMember } from '../../web/member-notices.ts';
import { sendPage } from '../../web/page.ts';
import { dataView, deletionView } from './data-view.ts';

const DAY = 24 * 3600;

export function dataPage(area: FastifyInstance, parts: Parts): void {
  const { config, database } = parts;
  const exports = openExports();

  area.get('/account/data', async (request, reply) => showData(request, reply, []));

  // Not a GET: nobody's link should be able to put somebody's whole data on a disk, and it is written down.
  area.post('/account/data', async (request, reply) => {
    const fault = await confirmationFault(request);
    if (fault !== undefined) return showData(request, reply, [fault]);
    const { userId, idHash } = memberOf(request);
    const place = exports.enter(userId);
    try {
      const now = parts.now();
      if (!(await mayExport(parts, userId, now))) {
        place.leave();
        return showData(request, reply, [{ text: (messages) => messages.account.data.tooMany }], 429);
      }
      const profile = await beginExport(database, { userId, address: addressOf(request) }, now);
      await noticeToMember(request, reply, parts, 'data_exported');
      return reply
        .header(
          'content-disposition',
          `attachment; filename="account-${now.toISOString().slice(0, 10)}.json"`,
        )
        .header('x-content-type-options', 'nosniff')
        .type('application/json; charset=utf-8')
        .send(
          place.begin({
            database,
            head: { issuer: config.baseUrl, exported_at: now, profile },
            // Whoever ends a session ends what it is still taking away, too.
            mayGoOn: async () => (await findSession(database, idHash, parts.now())) !== undefined,
          }),
        );
    } catch (error) {
      place.leave();
      throw error;
    }
  });

  area.get('/account/delete', async (request, reply) => showDeletion(request, reply, '', []));

  area.post('/account/delete', async (request, reply) => {
    const member = memberOf(request);
    const { userId, email } = member;
    const typed = formOf(request).get('email')?.trim() ?? '';
    const faults: Fault[] = [];
    if (emailKey(typed) !== emailKey(email))
      faults.push({ field: 'email', text: (messages) => messages.account.deletion.emailDiffers });
    const fault = await confirmationFault(request);
    if (fault !== undefined) faults.push(fault);
    if (faults.length > 0) return showDeletion(request, reply, typed, faults);

    const address = addressOf(request);
    const outcome = await deleteOwnAccount(database, { userId, address }, parts.now());
    if (outcome === 'lastOperator')
      return showDeletion(request, reply, typed, [
        { text: (messages) => messages.account.deletion.lastOperator },
      ]);
    const userAgent = request.headers['user-agent'] ?? '';
    const locale = localeOf(request, reply, parts, undefined);
    if (outcome === 'deleted')
      await announceDeletion(parts, member, { address, userAgent, locale }, parts.now());
    writeCookie(reply, 'session', '', { secure: config.secure, maxAge: 0 });
    return reply.redirect(DELETED, 303);
  });

  async function confirmationFault(request: FastifyRequest): Promise<Fault | undefined> {
    const outcome = await confirmation(request, parts);
    if (outcome === 'confirmed') return undefined;
    return {
      field: 'current_password',
      text: ({ account: { confirmation: text } }) =>
        outcome === 'passwordMissing' ? text.missing : text.wrong,
    };
  }

  function showData(
    request: FastifyRequest,
    reply: FastifyReply,
    faults: Fault[],
    status = faults.length > 0 ? 400 : 200,
  ): FastifyReply {
    const member = memberOf(request);
    const recent = isRecent(member, parts.now());
    return sendPage(request, reply, parts, {
      status,
      title: (messages) => messages.account.data.title,
      account: member,
      wide: true,
      hasErrors: faults.length > 0,
      main: (messages) =>
        dataView({ messages, csrf: member.csrf, recent, errors: inWords(faults, messages) }),
    });
  }

  async function showDeletion(
    request: FastifyRequest,
    reply: FastifyReply,
    typed: string,
    faults: Fault[],
  ): Promise<FastifyReply> {
    const member = memberOf(request);
    const recent = isRecent(member, parts.now());
    const consents = (await listConsents(database, member.userId)).length;
    const own = await listOwnApplications(database, member.userId);
    return sendPage(request, reply, parts, {
      status: faults.length > 0 ? 400 : 200,
      title: (messages) => messages.account.deletion.title,
      account: member,
      wide: true,
      hasErrors: faults.length > 0,
      main: (messages) =>
        deletionView({
          messages,
          csrf: member.csrf,
          recent,
          email: member.email,
          typed,
          consents,
          own,
          remembered: Math.ceil(config.auditRetention / DAY),
          errors: inWords(faults, messages),
        }),
    });
  }
}
