// GET /dev/mail: the mails that are kept in this process instead of being sent. Not there in production.
import type { FastifyInstance } from 'fastify';
import type { Parts } from '../../http/parts.ts';
import type { KeptMail } from '../../mail/kept-mails.ts';
import { notFound } from '../../oauth/errors.ts';
import { devMailListView, devMailView } from './dev-mail-view.ts';

const PATH = '/dev/mail';

export function devMailPage(app: FastifyInstance, parts: Parts): void {
  const { kept } = parts.mailer;
  if (kept === undefined || parts.config.production) return;

  const mailOf = (params: unknown): KeptMail => {
    const { id } = params as { id: string };
    const mail = kept.list().find((one) => one.id === id);
    if (mail === undefined) throw notFound();
    return mail;
  };

  app.get(PATH, async (_request, reply) =>
    reply.page({
      title: ({ mail }) => mail.dev.title,
      wide: true,
      main: (messages) => devMailListView(messages, kept.list()),
    }),
  );

  app.get(`${PATH}/:id`, async (request, reply) => {
    const mail = mailOf(request.params);
    return reply.page({
      title: () => mail.subject,
      wide: true,
      main: (messages) => devMailView(messages, mail, parts.config.baseUrl),
    });
  });

  // The mail's own document, as far away from ours as it is in a mail program: no origin, no script, nothing loaded.
  app.get(`${PATH}/:id/html`, async (request, reply) =>
    reply
      .headers({
        'content-security-policy':
          "sandbox allow-top-navigation allow-popups; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'",
        'x-frame-options': 'DENY',
      })
      .type('text/html; charset=utf-8')
      .send(withImages(mailOf(request.params))),
  );
}

/** Where a mail program shows what came along, a page needs it inside. */
const withImages = ({ html, images }: KeptMail): string =>
  images.reduce(
    (page, { cid, content }) =>
      page.replaceAll(`src="cid:${cid}"`, `src="data:image/png;base64,${content.toString('base64')}"`),
    html,
  );
