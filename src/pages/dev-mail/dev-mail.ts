// GET /dev/mail: shows emails captured in memory instead of being sent. Disabled in production.
import type { FastifyInstance } from 'fastify';
import type { Services } from '../../http/services.ts';
import type { Messages } from '../../i18n/index.ts';
import type { CapturedEmail } from '../../mail/delivery.ts';
import { notFound } from '../../oauth/errors.ts';
import { buttonLink } from '../../web/html/buttons.ts';
import { type Html, html } from '../../web/html/html.ts';
import { timeAgo } from '../../web/html/time.ts';

const PATH = '/dev/mail';

export function devMailPage(app: FastifyInstance, services: Services): void {
  const { captured } = services.mailer;
  if (captured === undefined || services.config.production) return;

  const requireMail = (params: unknown): CapturedEmail => {
    const { id } = params as { id: string };
    const mail = captured.list().find((one) => one.id === id);
    if (mail === undefined) throw notFound();
    return mail;
  };

  app.get(PATH, async (_request, reply) =>
    reply.page({
      title: ({ mail }) => mail.dev.title,
      isWide: true,
      main: (messages) => devMailListView(messages, captured.list()),
    }),
  );

  app.get(`${PATH}/:id`, async (request, reply) => {
    const mail = requireMail(request.params);
    return reply.page({
      title: () => mail.subject,
      isWide: true,
      main: (messages) => devMailView(messages, mail, services.config.baseUrl),
    });
  });

  // As in mail clients, the email has no origin, scripts or external resources.
  app.get(`${PATH}/:id/html`, async (request, reply) =>
    reply
      .headers({
        'content-security-policy':
          "sandbox allow-top-navigation allow-popups; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'",
        'x-frame-options': 'DENY',
      })
      .type('text/html; charset=utf-8')
      .send(inlineImages(requireMail(request.params))),
  );
}

/** Browsers can't resolve references to attachments. */
const inlineImages = ({ html, images }: CapturedEmail): string =>
  images.reduce(
    (page, { cid, content }) =>
      page.replaceAll(`src="cid:${cid}"`, `src="data:image/png;base64,${content.toString('base64')}"`),
    html,
  );

function devMailListView(messages: Messages, emails: readonly CapturedEmail[]): Html {
  const { dev } = messages.mail;
  return html`<h1>${dev.title}</h1>
<p class="lead">${dev.lead}</p>
${
  emails.length === 0
    ? html`<p class="quiet">${dev.empty}</p>`
    : html`<ul class="dev-mails">
${emails.map(
  (mail) => html`<li>
<h2><a href="/dev/mail/${mail.id}">${mail.subject}</a></h2>
<p class="quiet">${mail.to.name !== '' && html`<bdi>${mail.to.name}</bdi> `}${mail.to.address} ${timeAgo(mail.capturedAt, messages)}</p>
</li>
`,
)}</ul>`
}`;
}

function devMailView(messages: Messages, mail: CapturedEmail, baseUrl: string): Html {
  const { dev } = messages.mail;
  const links = mail.text.match(/^https?:\/\/\S+$/gm) ?? [];
  const serviceLinks = [...new Set(links.filter((link) => link.startsWith(`${baseUrl}/`)))];
  return html`<nav class="breadcrumb" aria-label="${dev.title}">
<ol>
<li><a href="/dev/mail">${dev.back}</a></li>
</ol>
</nav>
<h1>${mail.subject}</h1>
<p class="quiet">${mail.to.address} ${timeAgo(mail.capturedAt, messages)}</p>
<p class="actions">${buttonLink({ href: `/dev/mail/${mail.id}/html`, text: dev.asHtml })}</p>
<pre class="dev-mail-text">${mail.text}</pre>
${
  serviceLinks.length > 0 &&
  html`<ul>
${serviceLinks.map(
  (link) => html`<li><a class="dev-mail-link" href="${link}">${link}</a></li>
`,
)}</ul>`
}`;
}
