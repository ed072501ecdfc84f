// Owns the look of an application's own page: what it is, and the ways to all that can be done with it.

import type { Messages } from '../../i18n/index.ts';
import { copyButton } from '../../web/html/code.ts';
import { buttonLink, notice } from '../../web/html/form.ts';
import { type House, reachOperators } from '../../web/html/house.ts';
import { type Html, html } from '../../web/html/html.ts';
import { logoOf } from '../../web/html/pictures.ts';
import { tag } from '../../web/html/tag.ts';
import { ago, day, moment } from '../../web/html/time.ts';
import { worthDoing } from '../../web/html/worth-doing.ts';
import { type Standing, tasksOf } from './application-tasks.ts';
import { applicationAddress, way } from './frame-view.ts';
import { listedSecret } from './secrets-view.ts';
import { further, offeredFact } from './transfer-view.ts';

export type DetailView = Standing & {
  messages: Messages;
  house: House;
  now: Date;
  /** Whom it is on offer to. */
  offeredTo: string | undefined;
  notice: string | undefined;
};

export function detailView(view: DetailView): Html {
  const { messages, application } = view;
  const text = messages.applications;
  const { clientId, name } = application;
  const at = (below: string) => applicationAddress(clientId, below);
  return html`${way(messages, application, 'overview')}
${notice(view.notice)}
<div class="headed">
${logoOf(application, 72)}
<h1>${name}</h1>
</div>
${
  application.suspended &&
  html`<p class="warning">${text.suspended}</p>
${reachOperators(messages, view.house)}`
}
${worthDoing(messages.applications.tasks, tasksOf(view, messages, view.now))}
<h2>${text.detail.state}</h2>
${stateOf(view)}
<h2>${text.detail.settings}</h2>
${facts(view)}
<p class="actions">
${buttonLink({ text: text.detail.edit, href: at('edit'), kind: 'primary' })}
${buttonLink({ text: text.detail.changeLogo, href: at('logo'), kind: 'secondary' })}
</p>
${further(messages, application)}`;
}

/** How it stands: what changes without its owner's doing. */
function stateOf({ messages, application, house, secrets, people, offeredTo }: DetailView): Html {
  const { detail: text, states } = messages.applications;
  const { verified, suspended, type } = application;
  const at = (below: string) => applicationAddress(application.clientId, below);
  return html`<dl class="facts facts--framed facts--application">
<div><dt>${text.verification}</dt><dd>${
    verified
      ? tag(states.verified, 'good')
      : html`${tag(states.unverified, 'waiting')} <span class="quiet">${text.unverifiedHint}</span>${!suspended && reachOperators(messages, house)}`
  }</dd></div>
${
  type === 'confidential' &&
  html`<div><dt>${text.secrets}</dt><dd class="row"><ul class="lines">${secrets.map(
    (
      secret,
    ) => html`<li>${listedSecret(secret, messages)}, ${secret.lastUsedAt === null ? text.neverUsed : html`${text.lastUsed} ${ago(secret.lastUsedAt, messages)}`}${secret.expiresAt && html`, ${text.endsOn} ${moment(secret.expiresAt, messages)}`}</li>
`,
  )}</ul>${secrets.length === 0 && html`<span>${text.noSecrets}</span>`}<a class="change" href="${at('secrets')}">${text.see}<span class="unseen"> ${text.secrets}</span></a></dd></div>
`
}<div><dt>${text.people}</dt><dd class="row"><span>${people}</span><a class="change" href="${at('activity')}">${text.see}<span class="unseen"> ${messages.activity.title}</span></a></dd></div>
${offeredFact(messages, application, offeredTo)}
</dl>`;
}

function facts({ messages, application }: DetailView): Html {
  const { detail: text, form, types, list } = messages.applications;
  const { clientId, redirectUris, scopes, standard, refreshGrace, createdAt, type } = application;
  return html`<dl class="facts facts--framed facts--application">
<div><dt>${list.identifier}</dt><dd class="copied"><code class="whole" id="client-id">${clientId}</code> ${copyButton({ target: 'client-id', words: messages.integrate, unseen: list.identifier })}</dd></div>
<div><dt>${messages.applications.type}</dt><dd>${types[type]}</dd></div>
<div><dt>${form.redirectUris}</dt><dd><ul class="lines">${redirectUris.map(
    (uri) => html`<li><code>${uri}</code></li>
`,
  )}</ul></dd></div>
<div><dt>${text.scopes}</dt><dd>${scopes.map((scope) => html`<code class="tag">${scope}</code> `)}</dd></div>
<div><dt>${text.mode}</dt><dd>${text.modes[standard ? 'on' : 'off']}</dd></div>
<div><dt>${text.refreshGrace}</dt><dd>${text.seconds(refreshGrace)}</dd></div>
${link(form.homePage, application.homePage, text.none)}
${link(form.privacyPolicy, application.privacyPolicy, text.none)}
${link(form.termsOfService, application.termsOfService, text.none)}
<div><dt>${list.created}</dt><dd>${day(createdAt, messages)}</dd></div>
</dl>`;
}

const link = (label: string, href: string | null, none: string): Html =>
  html`<div><dt>${label}</dt><dd>${href === null ? html`<span class="quiet">${none}</span>` : html`<a href="${href}" rel="noopener noreferrer">${href}</a>`}</dd></div>
`;
