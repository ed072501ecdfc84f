// /console/applications and /console/apis: what a user owns, and what others offer them.
import type { FastifyInstance } from 'fastify';
import type { Parts } from '../../http/parts.ts';
import type { Messages } from '../../i18n/index.ts';
import { listOwnApplications, type OwnApplication } from '../../store/applications.ts';
import { listOwnApis, type OwnApi } from '../../store/own-apis.ts';
import type { Kind } from '../../store/owned.ts';
import { listReceivedOffers, type ReceivedOffer } from '../../store/transfer-offers.ts';
import { doneOf } from '../../web/faults.ts';
import { buttonLink, notice } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { logoOf } from '../../web/html/pictures.ts';
import { tag } from '../../web/html/tag.ts';
import { day } from '../../web/html/time.ts';
import { memberOf, mustVerifyEmail } from '../../web/member.ts';
import { apiAddress, applicationAddress, LISTS, stateTags } from './frame-view.ts';
import type { Section } from './sections.ts';
import { hostsOf, receivedOffers } from './transfer.ts';

export function listPage(area: FastifyInstance, parts: Parts, section: Section): void {
  const { config, database } = parts;
  const { kind, list } = section;
  const limit = config.registrationsPerAccount;

  area.get(list, async (request, reply) => {
    const member = memberOf(request);
    const [applications, apis, offers] = await Promise.all([
      kind === 'application' ? listOwnApplications(database, member.userId) : [],
      kind === 'api' ? listOwnApis(database, member.userId) : [],
      mustVerifyEmail(config, member) ? [] : listReceivedOffers(database, member.userId, parts.now()),
    ]);
    return reply.page({
      title: (messages) => messages[`${kind}s`].list.title,
      reach: applications.length + apis.length >= limit,
      main: (messages) =>
        listView({
          messages,
          csrf: member.csrf,
          kind,
          serviceName: config.serviceName,
          cards: [
            ...applications.map((one) => applicationCard(one, messages)),
            ...apis.map((one) => apiCard(one, messages)),
          ],
          offers: offers.filter((offer) => offer.kind === kind),
          limit,
          notice: doneOf(request, {
            deleted: messages.ownership.remove.done,
            declined: messages.ownership.transfer.declined,
            gone: messages.ownership.transfer.gone,
          }),
        }),
    });
  });
}

type ListView = {
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

function listView(view: ListView): Html {
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

function applicationCard(application: OwnApplication, messages: Messages): Html {
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

function apiCard(api: OwnApi, messages: Messages): Html {
  const { apiId, name, identifier, admits, suspended, createdAt } = api;
  const { admits: who, list } = messages.apis;
  const { detail, list: text, states } = messages.applications;
  return html`<li class="card">
<div class="card-head">
<div class="card-title">
<h2><a href="${apiAddress(apiId)}"><bdi>${name}</bdi></a></h2>
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

/** How many are named: all forty would hide what stands below them. */
const NAMED = 6;

/** The first scopes by name, and how many more there are. @param none what stands there when there is none */
export const scopeTags = ({ scopes }: OwnApi, { apis }: Messages, none: string): Html =>
  scopes.length === 0
    ? html`<span class="quiet">${none}</span>`
    : html`${scopes.slice(0, NAMED).map(({ name }) => html`<code class="tag">${name}</code> `)}${
        scopes.length > NAMED &&
        html`<span class="quiet">${apis.list.moreScopes(scopes.length - NAMED)}</span>`
      }`;
