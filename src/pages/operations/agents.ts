// /console/operations/agents: all agents, for administrators.
import { moderateThing } from '../../accounts/moderation.ts';
import type { Parts } from '../../http/parts.ts';
import type { Messages } from '../../i18n/index.ts';
import { calledOnPages } from '../../oauth/agent-document.ts';
import { isClientIdShaped } from '../../oauth/secrets.ts';
import { type AgentRow, type AgentState, findAgentRow, listAgentsPage } from '../../store/agent-lists.ts';
import { type Html, html } from '../../web/html/html.ts';
import { tag } from '../../web/html/tag.ts';
import { day, moment } from '../../web/html/time.ts';
import { peopleOf } from './applications.ts';
import { agentPath } from './frame-view.ts';
import type { Section } from './sections.ts';

export const agentSection = (parts: Parts): Section<AgentRow, AgentState, 'block' | 'unblock'> => ({
  section: 'agents',
  parameter: 'agent',
  isId: isClientIdShaped,
  idOf: ({ clientId }) => clientId,
  nameOf: calledAgent,
  states: ['blocked', 'document', 'registration'],
  about: 'clientId',
  rows: listAgentsPage,
  read: (id) => findAgentRow(parts.database, id),
  listed: (messages) => {
    const { operations: text, agents: own, consent } = messages;
    return {
      search: own.search,
      states: own.states,
      headings: [own.agent, consent.agentName, text.people, text.state, own.knownSince],
      cells: (agent) => [
        agentLink(agent),
        html`<bdi>${agent.name}</bdi>`,
        peopleOf(agent, messages),
        agentTag(agent, messages),
        day(agent.createdAt, messages),
      ],
    };
  },
  facts(agent, messages) {
    const { operations: text, agents: own, consent } = messages;
    const { blockedAt, fetchedAt, freshUntil } = agent;
    return html`<div><dt>${consent.agentName}</dt><dd><bdi>${agent.name}</bdi></dd></div>
<div><dt>${text.state}</dt><dd class="tags">${agentTag(agent, messages)}</dd></div>
${blockedAt && html`<div><dt>${own.blockedSince}</dt><dd>${moment(blockedAt, messages)}</dd></div>`}
<div><dt>${own.way}</dt><dd>${own.ways[agent.way]}</dd></div>
<div><dt>${text.clientId}</dt><dd><code class="line">${agent.clientId}</code></dd></div>
<div><dt>${text.callbacks}</dt><dd>${agent.redirectUris.map((uri) => html`<code class="line">${uri}</code> `)}</dd></div>
<div><dt>${own.keys}</dt><dd>${agent.hasKeys ? text.yes : text.no}</dd></div>
<div><dt>${text.peopleSignedIn}</dt><dd id="people">${peopleOf(agent, messages)}</dd></div>
${fetchedAt && html`<div><dt>${own.readAt}</dt><dd>${moment(fetchedAt, messages)}</dd></div>`}
${freshUntil && html`<div><dt>${own.freshUntil}</dt><dd>${moment(freshUntil, messages)}</dd></div>`}
<div><dt>${own.knownSince}</dt><dd>${day(agent.createdAt, messages)}</dd></div>`;
  },
  all: ['block', 'unblock'],
  dangerous: ['block'],
  perform: (action, { clientId }, by) =>
    moderateThing(parts, 'agent', action === 'block' ? 'suspend' : 'unsuspend', clientId, by, parts.now()),
  possible: ({ blockedAt }) => [blockedAt === null ? 'block' : 'unblock'],
  words: ({ agents }) => agents.actions,
});

/** An agent is called by its host, because its name could be anybody's. */
function calledAgent({ clientId, name, redirectUris }: AgentRow): string {
  return calledOnPages({ clientId, name, agent: true }, redirectUris);
}

/** A link to its page. */
const agentLink = (agent: AgentRow): Html =>
  html`<a class="host" href="${agentPath(agent.clientId)}">${calledAgent(agent)}</a>`;

const agentTag = ({ blockedAt }: AgentRow, { agents: { tags } }: Messages): Html =>
  blockedAt === null ? tag(tags.active, 'good') : tag(tags.blocked, 'stopped');
