// Owns the look of the operators' list of agents, and of one agent.

import type { AgentAction } from '../../agents/blocking.ts';
import type { Messages } from '../../i18n/index.ts';
import { calledOnPages } from '../../oauth/agent-document.ts';
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

export function agentsView(view: ListView<AgentRow>): Html {
  const { messages } = view;
  const { operations: text, agents: own, consent } = messages;
  return listView(view, {
    section: 'agents',
    search: own.search,
    states: own.states,
    none: own.none,
    headings: [own.agent, consent.agentName, text.people, text.state, own.knownSince],
    cells: (agent) => [
      agentLink(agent),
      html`<bdi>${agent.name}</bdi>`,
      people(agent, messages),
      agentTag(agent, messages),
      day(agent.createdAt, messages),
    ],
  });
}

/** What an agent is called: where it is from. What it calls itself could be anybody's name, an application's that is registered, too. */
export const calledAgent = ({ clientId, name, redirectUris }: AgentRow): string =>
  calledOnPages({ clientId, name, agent: true }, redirectUris);

export const agentLink = (agent: AgentRow): Html =>
  html`<a class="host" href="${agentPath(agent.clientId)}">${calledAgent(agent)}</a>`;

/** What stands behind that: its own word for itself, and whether it has nothing but that to show. */
export const agentWords = ({ name, way }: AgentRow, { consent, account }: Messages): Html =>
  html`${consent.agentName} <bdi>${name}</bdi>${way === 'registration' && html` · ${account.applications.selfRegistered}`}`;

const people = ({ people: count }: AgentRow, { operations: text }: Messages): string =>
  count < PEOPLE_COUNTED ? text.number(count) : text.moreThan(text.number(count - 1));

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
<h1><span class="host">${calledAgent(agent)}</span></h1>
<p class="lead">${agentWords(agent, messages)}</p>
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
