// The look of the lists of a user's applications and APIs, and of what others offer them.

import type { Messages } from '../../i18n/index.ts';
import type { OwnApplication } from '../../store/applications.ts';
import type { Kind } from '../../store/owned.ts';
import type { ReceivedOffer } from '../../store/transfer-offers.ts';
import { buttonLink, notice } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { logoOf } from '../../web/html/pictures.ts';
import { day } from '../../web/html/time.ts';
import { applicationAddress, LISTS, stateTags } from './frame-view.ts';
import { hostsOf, receivedOffers } from './transfer-view.ts';

export type ListView = {
  messages: Messages;
  csrf: string;
  kind: Kind;
  serviceName: string;
  cards: readonly Html[];
  offers: readonly ReceivedOffer[];
  /** How many an account may have. */
  limit: number;
  notice: string | undefined;
};

export function listView(view: ListView): Html {
  const { messages, csrf, kind, cards, offers, limit } = view;
  const text = messages[`${kind}s`].list;
  const full = cards.length >= limit;
  // An offer asks for an answer, so its button comes first.
  const register =
    !full &&
    buttonLink({
      text: text.register,
      href: `${LISTS[kind]}/new`,
      kind: offers.length > 0 ? 'secondary' : 'primary',
    });
  return html`${notice(view.notice)}
<div class="list-head">
<h1>${text.title}</h1>
<p class="lead">${text.lead(view.serviceName)}</p>
${cards.length > 0 && register}
</div>
${offers.length > 0 && receivedOffers(messages, csrf, offers)}
${
  cards.length === 0
    ? html`<div class="empty">
<p class="empty-title">${text.empty}</p>
<p>${text.emptyAdvice}</p>
<p class="actions">${register}</p>
</div>`
    : html`<ul class="cards">
${cards}</ul>`
}
${full && html`<p class="quiet">${text.full(limit)}</p>`}`;
}

export function applicationCard(application: OwnApplication, messages: Messages): Html {
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
