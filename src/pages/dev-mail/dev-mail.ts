// GET /dev/mail: the mails that are kept in this process instead of being sent. Not there in production.
import type { FastifyInstance } from 'fastify';
import type { Parts } from '../../http/parts.ts';
import type { Messages } from '../../i18n/index.ts';
import type { KeptMail } from '../../mail/mailer.ts';
import { notFound } from '../../oauth/errors.ts';
import { buttonLink } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { ago } from '../../web/html/time.ts';

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

function devMailListView(messages: Messages, mails: readonly KeptMail[]): Html {
  const { dev } = messages.mail;
  return html`<h1>${dev.title}</h1>
<p class="lead">${dev.lead}</p>
${
  mails.length === 0
    ? html`<p class="quiet">${dev.empty}</p>`
    : html`<ul class="dev-mails">
${mails.map(
  (mail) => html`<li>
<h2><a href="/dev/mail/${mail.id}">${mail.subject}</a></h2>
<p class="quiet">${mail.to.name !== '' && html`<bdi>${mail.to.name}</bdi> `}${mail.to.address} ${ago(mail.keptAt, messages)}</p>
</li>
`,
)}</ul>`
}`;
}

function devMailView(messages: Messages, mail: KeptMail, baseUrl: string): Html {
  const { dev } = messages.mail;
  const links = mail.text.match(/^https?:\/\/\S+$/gm) ?? [];
  const own = [...new Set(links.filter((link) => link.startsWith(`${baseUrl}/`)))];
  return html`<nav class="way" aria-label="${dev.title}">
<ol>
<li><a href="/dev/mail">${dev.back}</a></li>
</ol>
</nav>
<h1>${mail.subject}</h1>
<p class="quiet">${mail.to.address} ${ago(mail.keptAt, messages)}</p>
<p class="actions">${buttonLink({ href: `/dev/mail/${mail.id}/html`, text: dev.asHtml })}</p>
<pre class="dev-mail-text">${mail.text}</pre>
${
  own.length > 0 &&
  html`<ul>
${own.map(
  (link) => html`<li><a class="dev-mail-link" href="${link}">${link}</a></li>
`,
)}</ul>`
}`;
}
