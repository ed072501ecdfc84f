// Owns the look of the operators' list of agents, and of one agent.

import type { AgentAction } from '../../agents/blocking.ts';
import type { Messages } from '../../i18n/index.ts';
import { agentHost } from '../../oauth/agent-document.ts';
import type { AgentRow } from '../../store/agent-lists.ts';
import { PEOPLE_COUNTED } from '../../store/application-lists.ts';
import type { EventRow } from '../../store/events.ts';
import { buttonLink, notice } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { tag } from '../../web/html/tag.ts';
import { day, moment } from '../../web/html/time.ts';
import { eventsAbout } from './events-view.ts';
import { agentPath, operationsNavigation } from './frame-view.ts';
import { type ListView, listView } from './list-view.ts';

/** The list of all agents with its search. */
export function agentsView(view: ListView<AgentRow>): Html {
  const { messages } = view;
  const { operations: text, agents: own } = messages;
  return listView(view, {
    section: 'agents',
    search: own.search,
    states: own.states,
    none: own.none,
    headings: [text.name, own.from, text.people, text.state, own.knownSince],
    cells: (agent) => [
      html`<a href="${agentPath(agent.clientId)}"><bdi>${agent.name}</bdi></a>`,
      agentOrigin(agent, messages),
      people(agent, messages),
      agentTag(agent, messages),
      day(agent.createdAt, messages),
    ],
  });
}

/** What tells an agent from others of its name. */
export const agentOrigin = ({ clientId }: AgentRow, { agents }: Messages) =>
  agentHost(clientId) ?? agents.ways.registration;

const people = ({ people: count }: AgentRow, { operations: text }: Messages): string =>
  count < PEOPLE_COUNTED ? text.number(count) : text.moreThan(text.number(count - 1));

/** Whether it is let in. */
export const agentTag = ({ blockedAt }: AgentRow, { agents: { tags } }: Messages): Html =>
  blockedAt === null ? tag(tags.active, 'good') : tag(tags.blocked, 'stopped');

export type AgentView = {
  messages: Messages;
  agent: AgentRow;
  action: AgentAction;
  events: readonly EventRow[];
  notice?: string | undefined;
};

/** One agent: where it says who it is, how old that is, who lets it in, and what can be done about it. */
export function agentView({ messages, agent, action, events, notice: said }: AgentView): Html {
  const { operations: text, agents: own } = messages;
  const { clientId, blockedAt, fetchedAt, freshUntil } = agent;
  return html`${operationsNavigation(messages, 'agents', { within: true })}
${notice(said)}
<h1><bdi>${agent.name}</bdi></h1>
<p class="lead">${agentOrigin(agent, messages)}</p>
<dl class="facts facts--framed facts--roomy">
<div><dt>${text.state}</dt><dd class="tags">${agentTag(agent, messages)}</dd></div>
${blockedAt && html`<div><dt>${own.blockedSince}</dt><dd>${moment(blockedAt, messages)}</dd></div>`}
<div><dt>${own.way}</dt><dd>${own.ways[agent.way]}</dd></div>
<div><dt>${text.clientId}</dt><dd><code class="line">${clientId}</code></dd></div>
<div><dt>${text.callbacks}</dt><dd>${agent.redirectUris.map((uri) => html`<code class="line">${uri}</code> `)}</dd></div>
<div><dt>${own.keys}</dt><dd>${agent.hasKeys ? text.yes : text.no}</dd></div>
<div><dt>${text.peopleSignedIn}</dt><dd id="people">${people(agent, messages)}</dd></div>
${fetchedAt && html`<div><dt>${own.readAt}</dt><dd>${moment(fetchedAt, messages)}</dd></div>`}
${freshUntil && html`<div><dt>${own.freshUntil}</dt><dd>${moment(freshUntil, messages)}</dd></div>`}
<div><dt>${own.knownSince}</dt><dd>${day(agent.createdAt, messages)}</dd></div>
</dl>
<h2>${text.actions}</h2>
<p class="actions actions--choices">
${buttonLink({ text: own.actions[action].action, href: agentPath(clientId, action), kind: action === 'block' ? 'danger' : 'secondary' })}
</p>
${eventsAbout({ client_id: clientId }, events, messages)}`;
}
