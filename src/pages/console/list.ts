// /console/applications and /console/apis: lists what a user owns, and pending transfer offers.
import type { FastifyInstance } from 'fastify';
import type { Services } from '../../http/services.ts';
import type { Messages } from '../../i18n/index.ts';
import { listOwnApis, type OwnApi } from '../../store/own-apis.ts';
import { listOwnClients, type OwnClient } from '../../store/own-clients.ts';
import type { ResourceKind } from '../../store/owned-resources.ts';
import { listReceivedOffers, type ReceivedOffer } from '../../store/transfer-offers.ts';
import { doneMessage } from '../../web/form-errors.ts';
import { buttonLink, notice } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { logo } from '../../web/html/pictures.ts';
import { tag } from '../../web/html/tag.ts';
import { day } from '../../web/html/time.ts';
import { mustVerifyEmail, signedInUser } from '../../web/session-guard.ts';
import { apiUrl, applicationStateTags, applicationUrl, LIST_URLS } from './layout.ts';
import type { ConsoleSection } from './sections.ts';
import { hostsOf, receivedOffersView } from './transfer.ts';

export function listPage(area: FastifyInstance, services: Services, section: ConsoleSection): void {
  const { config, database } = services;
  const { kind, listUrl } = section;
  const limit = config.registrationsPerAccount;

  area.get(listUrl, async (request, reply) => {
    const user = signedInUser(request);
    const [applications, apis, offers] = await Promise.all([
      kind === 'application' ? listOwnClients(database, user.userId) : [],
      kind === 'api' ? listOwnApis(database, user.userId) : [],
      mustVerifyEmail(config, user) ? [] : listReceivedOffers(database, user.userId, services.now()),
    ]);
    return reply.page({
      title: (messages) => messages[`${kind}s`].list.title,
      showsSupportContact: applications.length + apis.length >= limit,
      main: (messages) =>
        listView({
          messages,
          csrf: user.csrf,
          kind,
          serviceName: config.serviceName,
          cards: [
            ...applications.map((one) => applicationCard(one, messages)),
            ...apis.map((one) => apiCard(one, messages)),
          ],
          offers: offers.filter((offer) => offer.kind === kind),
          limit,
          notice: doneMessage(request, {
            deleted: messages.ownership.remove.done,
            declined: messages.ownership.transfer.declined,
            notFound: messages.ownership.transfer.notFound,
          }),
        }),
    });
  });
}

type ListView = {
  messages: Messages;
  csrf: string;
  kind: ResourceKind;
  serviceName: string;
  cards: readonly Html[];
  offers: readonly ReceivedOffer[];
  limit: number;
  notice: string | undefined;
};

function listView(view: ListView): Html {
  const { messages, csrf, kind, cards, offers, limit } = view;
  const text = messages[`${kind}s`].list;
  const isFull = cards.length >= limit;
  // If there are pending offers, this button is secondary, because each offer already has a primary button.
  const register =
    !isFull &&
    buttonLink({
      text: text.register,
      href: `${LIST_URLS[kind]}/new`,
      kind: offers.length > 0 ? 'secondary' : 'primary',
    });
  return html`${notice(view.notice)}
<div class="list-head">
<h1>${text.title}</h1>
<p class="lead">${text.lead(view.serviceName)}</p>
${cards.length > 0 && register}
</div>
${offers.length > 0 && receivedOffersView(messages, csrf, offers)}
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
${isFull && html`<p class="quiet">${text.full(limit)}</p>`}`;
}

function applicationCard(application: OwnClient, messages: Messages): Html {
  const text = messages.applications.list;
  const { clientId, name, redirectUris, createdAt, type } = application;
  return html`<li class="card">
<div class="card-head">
${logo(application, 48)}
<div class="card-title">
<h2><a href="${applicationUrl(clientId)}"><bdi>${name}</bdi></a></h2>
<p class="quiet host">${hostsOf(redirectUris)}</p>
</div>
${applicationStateTags(application, messages)}
</div>
<dl class="facts facts--card">
<div><dt>${messages.applications.type}</dt><dd>${messages.applications.types[type]}</dd></div>
<div><dt>${text.identifier}</dt><dd><code>${clientId}</code></dd></div>
<div><dt>${text.created}</dt><dd>${day(createdAt, messages)}</dd></div>
</dl>
</li>
`;
}

function apiCard(api: OwnApi, messages: Messages): Html {
  const { apiId, name, identifier, admits, suspended, createdAt } = api;
  const { admits: who, list } = messages.apis;
  const { detail, list: text, states } = messages.applications;
  return html`<li class="card">
<div class="card-head">
<div class="card-title">
<h2><a href="${apiUrl(apiId)}"><bdi>${name}</bdi></a></h2>
<p class="quiet host">${identifier}</p>
</div>
<span class="tags">${tag(who[admits])}${suspended && tag(states.suspended, 'stopped')}</span>
</div>
<dl class="facts facts--card">
<div><dt>${detail.scopes}</dt><dd>${scopeTags(api, messages, list.noScopes)}</dd></div>
<div><dt>${text.created}</dt><dd>${day(createdAt, messages)}</dd></div>
</dl>
</li>
`;
}

/** Maximum number of scopes to show on an API's card. An API can have up to 40 scopes. */
const MAX_SCOPE_TAGS = 6;

/**
 * Shows an API's first scopes, and how many more scopes there are.
 * @param none the label for an API without scopes
 */
export const scopeTags = ({ scopes }: OwnApi, { apis }: Messages, none: string): Html =>
  scopes.length === 0
    ? html`<span class="quiet">${none}</span>`
    : html`${scopes.slice(0, MAX_SCOPE_TAGS).map(({ name }) => html`<code class="tag">${name}</code> `)}${
        scopes.length > MAX_SCOPE_TAGS &&
        html`<span class="quiet">${apis.list.moreScopes(scopes.length - MAX_SCOPE_TAGS)}</span>`
      }`;
