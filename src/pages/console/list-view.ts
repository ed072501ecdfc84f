// Owns the look of the list of a person's applications, and of what others offer to them.

import type { Messages } from '../../i18n/index.ts';
import { callbackHost } from '../../oauth/redirect-uri.ts';
import type { OwnApplication } from '../../store/applications.ts';
import type { ReceivedOffer } from '../../store/transfer-offers.ts';
import { logoOf } from '../../web/html/application-logo.ts';
import { buttonLink, form, notice, submitButton } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { day } from '../../web/html/time.ts';
import { APPLICATIONS, applicationAddress, stateTags } from './parts-view.ts';

export type ListView = {
  messages: Messages;
  csrf: string;
  serviceName: string;
  applications: readonly OwnApplication[];
  offers: readonly ReceivedOffer[];
  /** How many applications an account may have. */
  limit: number;
  notice: string | undefined;
};

export function listView(view: ListView): Html {
  const { messages, applications, offers, limit } = view;
  const text = messages.applications.list;
  const full = applications.length >= limit;
  // What waits for an answer comes first.
  const kind = offers.length > 0 ? 'secondary' : 'primary';
  const register = !full && buttonLink({ text: text.register, href: `${APPLICATIONS}/new`, kind });
  return html`${notice(view.notice)}
<div class="list-head">
<h1>${text.title}</h1>
<p class="lead">${text.lead(view.serviceName)}</p>
${applications.length > 0 && register}
</div>
${offers.length > 0 && received(view)}
${
  applications.length === 0
    ? html`<div class="empty">
<p class="empty-title">${text.empty}</p>
<p>${text.emptyAdvice}</p>
<p class="actions">${register}</p>
</div>`
    : html`<ul class="cards">
${applications.map((application) => card(application, messages))}</ul>
${full && html`<p class="quiet">${text.full(limit)}</p>`}`
}`;
}

function card(application: OwnApplication, messages: Messages): Html {
  const text = messages.applications.list;
  const { clientId, name, redirectUris, createdAt, type } = application;
  return html`<li class="card">
<div class="card-head">
${logoOf(application, 48)}
<div class="card-title">
<h2><a href="${applicationAddress(clientId)}"><bdi>${name}</bdi></a></h2>
<p class="quiet host">${hostsOf(redirectUris)}</p>
</div>
${stateTags(application, messages)}
</div>
<dl class="facts facts--card">
<div><dt>${messages.applications.type}</dt><dd>${messages.applications.types[type]}</dd></div>
<div><dt>${text.identifier}</dt><dd><code>${clientId}</code></dd></div>
<div><dt>${text.created}</dt><dd>${day(createdAt, messages)}</dd></div>
</dl>
</li>
`;
}

function received({ messages, csrf, offers }: ListView): Html {
  const text = messages.applications.list;
  return html`<h2>${text.offers}</h2>
<ul class="cards">
${offers.map(
  ({ clientId, name, redirectUris, ownerName, ownerEmail, expiresAt }) => html`<li class="card">
<div class="card-title">
<h3><bdi>${name}</bdi></h3>
<p class="quiet host">${hostsOf(redirectUris)}</p>
</div>
<dl class="facts facts--card">
<div><dt>${text.offeredBy}</dt><dd><bdi>${ownerName}</bdi> (${ownerEmail})</dd></div>
<div><dt>${text.offerEnds}</dt><dd>${day(expiresAt, messages)}</dd></div>
</dl>
<div class="actions">
<a class="button button--primary" href="${applicationAddress(clientId, 'transfer/accept')}"><span>${text.see}<span class="unseen"> ${text.seeOf(name)}</span></span></a>
${form({
  action: applicationAddress(clientId, 'transfer/decline'),
  csrf,
  body: submitButton({ text: text.decline, kind: 'secondary', unseen: text.declineOf(name) }),
})}
</div>
</li>
`,
)}</ul>`;
}

/** Where an application's callbacks lead: names may be alike, hosts are not. */
const hostsOf = (redirectUris: readonly string[]): string =>
  [...new Set(redirectUris.map(callbackHost))].join(', ');
