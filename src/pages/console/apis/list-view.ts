// Owns the look of the list of a person's APIs.

import type { Messages } from '../../../i18n/index.ts';
import type { OwnApi } from '../../../store/own-apis.ts';
import type { ReceivedApiOffer } from '../../../store/transfer-offers.ts';
import { buttonLink, form, notice, submitButton } from '../../../web/html/form.ts';
import { type Html, html } from '../../../web/html/html.ts';
import { tag } from '../../../web/html/tag.ts';
import { day } from '../../../web/html/time.ts';
import { APIS, apiAddress } from './frame-view.ts';
import { scopeTags } from './scope-tags-view.ts';

export type ListView = {
  messages: Messages;
  csrf: string;
  apis: readonly OwnApi[];
  offers: readonly ReceivedApiOffer[];
  /** How many APIs an account may have. */
  limit: number;
  notice: string | undefined;
};

export function listView(view: ListView): Html {
  const { messages, apis, offers, limit, notice: done } = view;
  const text = messages.apis.list;
  const full = apis.length >= limit;
  // What waits for an answer comes first.
  const kind = offers.length > 0 ? 'secondary' : 'primary';
  const register = !full && buttonLink({ text: text.register, href: `${APIS}/new`, kind });
  return html`${notice(done)}
<div class="list-head">
<h1>${text.title}</h1>
<p class="lead">${text.lead}</p>
${apis.length > 0 && register}
</div>
${offers.length > 0 && received(view)}
${
  apis.length === 0
    ? html`<div class="empty">
<p class="empty-title">${text.empty}</p>
<p>${text.emptyAdvice}</p>
<p class="actions">${register}</p>
</div>`
    : html`<ul class="cards">
${apis.map((api) => card(api, messages))}</ul>`
}
${full && html`<p class="quiet">${text.full(limit)}</p>`}`;
}

function card(api: OwnApi, messages: Messages): Html {
  const { apiId, name, identifier, admits, suspended, createdAt } = api;
  const { list: text, admits: who, suspendedTag } = messages.apis;
  return html`<li class="card">
<div class="card-head">
<div class="card-title">
<h2><a href="${apiAddress(apiId)}"><bdi>${name}</bdi></a></h2>
<p class="quiet host">${identifier}</p>
</div>
<span class="tags">${tag(who[admits])}${suspended && tag(suspendedTag, 'stopped')}</span>
</div>
<dl class="facts facts--card">
<div><dt>${text.scopes}</dt><dd>${scopeTags(api, messages, text.noScopes)}</dd></div>
<div><dt>${text.created}</dt><dd>${day(createdAt, messages)}</dd></div>
</dl>
</li>
`;
}

function received({ messages, csrf, offers }: ListView): Html {
  const { apis, applications } = messages;
  const text = applications.list;
  return html`<h2>${text.offers}</h2>
<ul class="cards">
${offers.map(
  ({ apiId, name, identifier, ownerName, ownerEmail, expiresAt }) => html`<li class="card">
<div class="card-title">
<h3><bdi>${name}</bdi></h3>
<p class="quiet host">${identifier}</p>
</div>
<dl class="facts facts--card">
<div><dt>${text.offeredBy}</dt><dd><bdi>${ownerName}</bdi> (${ownerEmail})</dd></div>
<div><dt>${text.offerEnds}</dt><dd>${day(expiresAt, messages)}</dd></div>
</dl>
<div class="actions">
<a class="button button--primary" href="${apiAddress(apiId, 'transfer/accept')}"><span>${text.see}<span class="unseen"> ${apis.list.seeOf(name)}</span></span></a>
${form({
  action: apiAddress(apiId, 'transfer/decline'),
  csrf,
  body: submitButton({ text: text.decline, kind: 'secondary', unseen: apis.list.declineOf(name) }),
})}
</div>
</li>
`,
)}</ul>`;
}
