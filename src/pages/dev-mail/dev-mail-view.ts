// Owns the look of the mails kept in development.

import type { Messages } from '../../i18n/index.ts';
import type { KeptMail } from '../../mail/kept-mails.ts';
import { buttonLink } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { ago } from '../../web/html/time.ts';

export function devMailListView(messages: Messages, mails: readonly KeptMail[]): Html {
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

export function devMailView(messages: Messages, mail: KeptMail, baseUrl: string): Html {
  const { dev } = messages.mail;
  const links = mail.text.match(/^https?:\/\/\S+$/gm) ?? [];
  const own = [...new Set(links.filter((link) => link.startsWith(`${baseUrl}/`)))];
  return html`<nav class="way" aria-label="${dev.title}">
<ol>
<li><a href="/dev/mail">${dev.back}</a></li>
</ol>
</nav>
<h1>${mail.subject}</h1>
<dl class="facts facts--framed">
<div><dt>${dev.from}</dt><dd><bdi>${mail.from.name}</bdi> ${mail.from.address}</dd></div>
<div><dt>${dev.to}</dt><dd><bdi>${mail.to.name}</bdi> ${mail.to.address}</dd></div>
<div><dt>${dev.at}</dt><dd>${ago(mail.keptAt, messages)}</dd></div>
</dl>
<p class="actions">${buttonLink({ href: `/dev/mail/${mail.id}/html`, text: dev.asHtml })}</p>
<pre class="dev-mail-text">${mail.text}</pre>
${
  own.length > 0 &&
  html`<h2>${dev.links}</h2>
<ul>
${own.map(
  (link) => html`<li><a class="dev-mail-link" href="${link}">${link}</a></li>
`,
)}</ul>`
}`;
}
