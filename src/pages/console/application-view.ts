// Owns the look of an application's own page: what it is, and the ways to all that can be done with it.

import type { Messages } from '../../i18n/index.ts';
import type { OwnApplication } from '../../store/applications.ts';
import { logoOf } from '../../web/html/application-logo.ts';
import { copyButton } from '../../web/html/code.ts';
import { buttonLink, notice } from '../../web/html/form.ts';
import { type House, reachOperators } from '../../web/html/house.ts';
import { type Html, html } from '../../web/html/html.ts';
import { tiles } from '../../web/html/tiles.ts';
import { day } from '../../web/html/time.ts';
import { applicationAddress, way } from './parts-view.ts';

export type DetailView = {
  messages: Messages;
  application: OwnApplication;
  house: House;
  /** How many people are signed in through it. */
  people: number;
  /** Whom it is on offer to. */
  offeredTo: string | undefined;
  notice: string | undefined;
};

export function detailView(view: DetailView): Html {
  const { messages, application } = view;
  const text = messages.applications;
  const { clientId, name, type } = application;
  const at = (below: string) => applicationAddress(clientId, below);
  return html`${way(messages, application, 'overview')}
${notice(view.notice)}
<div class="headed">
${logoOf(application, 72)}
<h1>${name}</h1>
</div>
${
  application.suspended &&
  html`<p class="warning">${application.held === null ? text.suspended : text.held[application.held]}</p>
${application.held !== 'own' && reachOperators(messages, view.house)}`
}
<h2>${text.detail.tools}</h2>
${tiles([
  { href: at('integrate'), text: text.detail.integrate, hint: text.detail.integrateHint },
  { href: at('diagnostics'), text: text.detail.diagnostics, hint: text.detail.diagnosticsHint },
  { href: at('activity'), text: messages.activity.title, hint: messages.activity.tileHint },
  ...(type === 'confidential'
    ? [{ href: at('secrets'), text: text.detail.secrets, hint: text.detail.secretsHint }]
    : []),
  { href: at('protocol'), text: messages.protocol.tile, hint: messages.protocol.tileHint },
])}
<h2>${text.detail.settings}</h2>
${facts(view)}
<p class="actions">
${buttonLink({ text: text.detail.edit, href: at('edit') })}
${buttonLink({ text: text.detail.changeLogo, href: at('logo'), kind: 'secondary' })}
</p>
<h2>${text.detail.further}</h2>
${view.offeredTo !== undefined && html`<p>${text.detail.offered(view.offeredTo)}</p>`}
<p class="actions">
${buttonLink({ text: text.detail.transfer, href: at('transfer'), kind: 'secondary' })}
${application.held === 'own' && buttonLink({ text: text.release.action, href: at('release'), kind: 'secondary' })}
${buttonLink({ text: text.detail.delete, href: at('delete'), kind: 'danger' })}
</p>`;
}

function facts({ messages, application, people, house }: DetailView): Html {
  const { detail: text, form, states, types, list } = messages.applications;
  const { clientId, redirectUris, scopes, standard, refreshGrace, createdAt, type, verified } = application;
  return html`<dl class="facts facts--framed facts--application">
<div><dt>${list.identifier}</dt><dd class="copied"><code class="whole" id="client-id">${clientId}</code> ${copyButton({ target: 'client-id', words: messages.integrate, unseen: list.identifier })}</dd></div>
<div><dt>${messages.applications.type}</dt><dd>${types[type]}</dd></div>
<div><dt>${text.state}</dt><dd>${verified ? states.verified : html`${states.unverified} <span class="quiet">${text.unverifiedHint}</span>${!application.suspended && reachOperators(messages, house)}`}</dd></div>
<div><dt>${form.redirectUris}</dt><dd><ul class="lines">${redirectUris.map(
    (uri) => html`<li><code>${uri}</code></li>
`,
  )}</ul></dd></div>
<div><dt>${form.scopes}</dt><dd>${scopes.map((scope) => html`<code class="tag">${scope}</code> `)}</dd></div>
<div><dt>${text.mode}</dt><dd>${text.modes[standard ? 'on' : 'off']}</dd></div>
<div><dt>${form.refreshGrace}</dt><dd>${text.seconds(refreshGrace)}</dd></div>
${link(form.homePage, application.homePage, text.none)}
${link(form.privacyPolicy, application.privacyPolicy, text.none)}
${link(form.termsOfService, application.termsOfService, text.none)}
<div><dt>${text.people}</dt><dd>${people}</dd></div>
<div><dt>${list.created}</dt><dd>${day(createdAt, messages)}</dd></div>
</dl>`;
}

const link = (label: string, href: string | null, none: string): Html =>
  html`<div><dt>${label}</dt><dd>${href === null ? html`<span class="quiet">${none}</span>` : html`<a href="${href}" rel="noopener noreferrer">${href}</a>`}</dd></div>
`;
