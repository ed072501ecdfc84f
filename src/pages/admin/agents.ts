// /console/operations/agents: lists, shows and blocks agents.

import { moderateResource } from '../../accounts/moderation.ts';
import type { Services } from '../../http/services.ts';
import type { Messages } from '../../i18n/index.ts';
import { getDisplayName } from '../../oauth/client-metadata.ts';
import { isWellFormedClientId } from '../../oauth/secrets.ts';
import { type AgentRow, type AgentState, findAgentDetail, listAgentsPage } from '../../store/admin-agents.ts';
import { breakable } from '../../web/html/breakable.ts';
import { type Html, html } from '../../web/html/html.ts';
import { logo } from '../../web/html/pictures.ts';
import { tag } from '../../web/html/tag.ts';
import { dateTime, day } from '../../web/html/time.ts';
import { formatUserCount } from './applications.ts';
import { agentUrl, detailRow } from './layout.ts';
import type { Section } from './sections.ts';

export const agentSection = (services: Services): Section<AgentRow, AgentState, 'block' | 'unblock'> => ({
  section: 'agents',
  idParameter: 'agent',
  isId: isWellFormedClientId,
  idOf: ({ clientId }) => clientId,
  nameOf: agentDisplayName,
  states: ['blocked', 'document', 'registration'],
  eventFilter: 'clientId',
  listRows: listAgentsPage,
  findRow: (id) => findAgentDetail(services.database, id),
  describeList: (messages) => {
    const { operations: text, agents: texts, consent } = messages;
    return {
      searchLabel: texts.search,
      states: texts.states,
      headings: [texts.agent, consent.agentName, text.peopleSignedIn, text.state, texts.knownSince],
      cells: (agent) => [
        agentLink(agent),
        html`<bdi>${agent.name}</bdi>`,
        formatUserCount(agent, messages),
        agentStateTag(agent, messages),
        day(agent.createdAt, messages),
      ],
    };
  },
  summary(agent, messages) {
    const { operations: text, consent } = messages;
    return html`<div><dt>${consent.agentName}</dt><dd><bdi>${agent.name}</bdi></dd></div>
<div><dt>${text.state}</dt><dd class="tags">${agentStateTag(agent, messages)}</dd></div>
<div><dt>${text.clientId}</dt><dd><code class="line">${breakable(agent.clientId)}</code></dd></div>
<div><dt>${text.peopleSignedIn}</dt><dd>${formatUserCount(agent, messages)}</dd></div>`;
  },
  details(agent, { messages, links }) {
    const { operations: text, agents: texts, consent } = messages;
    const { blockedAt, fetchedAt, freshUntil } = agent;
    return html`<div><dt>${consent.agentName}</dt><dd><bdi>${agent.name}</bdi></dd></div>
${detailRow(text.state, agentStateTag(agent, messages), links('block', 'unblock'))}${blockedAt && html`<div><dt>${texts.blockedSince}</dt><dd>${dateTime(blockedAt, messages)}</dd></div>`}
<div><dt>${texts.identification}</dt><dd>${texts.ways[agent.kind]}</dd></div>
<div><dt>${text.clientId}</dt><dd><code class="line">${breakable(agent.clientId)}</code></dd></div>
<div><dt>${text.callbacks}</dt><dd>${agent.redirectUris.map((uri) => html`<code class="line">${breakable(uri)}</code> `)}</dd></div>
<div><dt>${texts.keys}</dt><dd>${agent.hasKeys ? text.yes : texts.noKeys}</dd></div>
<div><dt>${text.peopleSignedIn}</dt><dd id="people">${formatUserCount(agent, messages)}</dd></div>
${fetchedAt && html`<div><dt>${texts.readAt}</dt><dd>${dateTime(fetchedAt, messages)}</dd></div>`}
${freshUntil && html`<div><dt>${texts.freshUntil}</dt><dd>${dateTime(freshUntil, messages)}</dd></div>`}
<div><dt>${texts.knownSince}</dt><dd>${day(agent.createdAt, messages)}</dd></div>`;
  },
  actions: ['block', 'unblock'],
  dangerous: ['block'],
  perform: (action, { clientId }, by) =>
    moderateResource(
      services,
      'agent',
      action === 'block' ? 'suspend' : 'unsuspend',
      clientId,
      by,
      services.now(),
    ),
  listPossible: ({ blockedAt }) => [blockedAt === null ? 'block' : 'unblock'],
  labels: ({ agents }) => agents.actions,
});

/** Agents can register any name, so this returns the host. */
function agentDisplayName({ clientId, name, redirectUris }: AgentRow): string {
  return getDisplayName({ clientId, name, agent: true }, redirectUris);
}

const agentLink = (agent: AgentRow): Html => {
  const name = agentDisplayName(agent);
  return html`<a class="with-picture" href="${agentUrl(agent.clientId)}">${logo({ ...agent, name }, 24)}<span>${name}</span></a>`;
};

const agentStateTag = ({ blockedAt }: AgentRow, { agents: { tags } }: Messages): Html =>
  blockedAt === null ? tag(tags.active, 'good', 'circle-check') : tag(tags.blocked, 'stopped', 'ban');
