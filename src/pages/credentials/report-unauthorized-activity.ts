// GET and POST /security/not-me: the link in security alerts, by which a user reports unauthorized activity.
import type { FastifyInstance, FastifyReply } from 'fastify';
import {
  findReport,
  previewReport,
  type ReportPreview,
  reportUnauthorizedActivity,
} from '../../credentials/report-unauthorized-activity.ts';
import { formOf, queryOf, requireForm } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import { tokenHash } from '../../mail/links.ts';
import { fromOf } from '../../web/browser.ts';
import { deadLink } from '../../web/credential-forms.ts';
import { openFormToken, requireOpenForm } from '../../web/csrf.ts';
import { reportedView, reportView } from './report-unauthorized-activity-view.ts';

const PATH = '/security/not-me';

export function reportPage(app: FastifyInstance, parts: Parts): void {
  app.get(PATH, async (request, reply) => {
    const token = queryOf(request).get('token');
    const hash = tokenHash(token);
    if (token === undefined || hash === undefined) throw deadLink();
    const preview = await previewReport(parts, hash, parts.now());
    if (preview !== undefined) return askToConfirm(reply, token, preview);
    const report = await findReport(parts, hash, parts.now());
    if (report === undefined) throw deadLink();
    const emailTaken = queryOf(request).get('email') === 'taken';
    return reply.page({
      title: (messages) => messages.account.credentials.report.doneTitle,
      reach: emailTaken,
      main: (messages) => reportedView({ messages, emailTaken, ...report }),
    });
  });

  app.post(PATH, { preHandler: requireForm }, async (request, reply) => {
    requireOpenForm(request, parts);
    const token = formOf(request).get('token');
    const hash = tokenHash(token);
    if (token === undefined || hash === undefined) throw deadLink();
    const result = await reportUnauthorizedActivity(parts, hash, fromOf(request), parts.now());
    if (result.outcome === 'invalid' && (await findReport(parts, hash, parts.now())) === undefined)
      throw deadLink();
    if (result.outcome !== 'incomplete') {
      const taken = result.outcome === 'email_taken' ? '&email=taken' : '';
      return reply.redirect(`${PATH}?token=${token}${taken}`, 303);
    }
    request.log.error({ err: result.reason }, 'a report of unauthorized activity is incomplete');
    const preview = await previewReport(parts, hash, parts.now());
    if (preview === undefined) throw deadLink();
    return askToConfirm(reply, token, preview, 503);
  });

  /** @param status 503 if a first attempt was incomplete */
  function askToConfirm(reply: FastifyReply, token: string, preview: ReportPreview, status: 200 | 503 = 200) {
    const csrf = openFormToken(reply, parts);
    return reply.page({
      status,
      title: (messages) => messages.account.credentials.report.title,
      main: (messages) => reportView({ messages, csrf, link: token, incomplete: status === 503, ...preview }),
    });
  }
}
