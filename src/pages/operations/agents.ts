// GET /console/operations/agents, /agents/:agent and /agents/:agent/block or unblock: all agents, and one of them.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type AgentAction, decideOnAgent } from '../../agents/blocking.ts';
import { queryOf } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import { isSafe } from '../../http/request.ts';
import { notFound } from '../../oauth/errors.ts';
import { isClientIdShaped } from '../../oauth/secrets.ts';
import { type AgentRow, type AgentState, findAgentRow, listAgentsPage } from '../../store/agent-lists.ts';
import { listEvents } from '../../store/events.ts';
import { agentsView, agentView, calledAgent } from './agents-view.ts';
import { confirmView } from './confirm-view.ts';
import { operatorOf, readConfirmation, reasonFaults } from './confirmation.ts';
import { AGENTS, agentPath } from './frame-view.ts';
import { askedOf } from './list.ts';

const LATEST_EVENTS = 20;
const STATES: readonly AgentState[] = ['blocked', 'document', 'registration'];
const ACTIONS: readonly AgentAction[] = ['block', 'unblock'];

export function agentPages(area: FastifyInstance, parts: Parts): void {
  const { database } = parts;

  area.get(AGENTS, async (request, reply) => {
    const asked = askedOf(request, STATES, isClientIdShaped);
    const found = await listAgentsPage(database, asked);
    return reply.page({
      title: ({ operations }) => operations.agents,
      main: (messages) => agentsView({ messages, asked, found }),
    });
  });

  area.get(`${AGENTS}/:agent`, async (request, reply) => {
    const agent = await agentOf(request);
    const events = await listEvents(database, { clientId: agent.clientId }, { limit: LATEST_EVENTS });
    const action = actionFor(agent);
    const done = ACTIONS.find((one) => one === queryOf(request).get('done') && one !== action);
    return reply.page({
      title: () => calledAgent(agent),
      main: (messages) =>
        agentView({ messages, agent, action, events, notice: done && messages.agents.actions[done].done }),
    });
  });

  for (const action of ACTIONS)
    area.formPage({
      url: `${AGENTS}/:agent/${action}`,
      about: agentOf,
      elsewhere: (agent, request) =>
        !isSafe(request) || actionFor(agent) === action ? undefined : agentPath(agent.clientId),
      read: readConfirmation,
      faults: ({ fields }) => reasonFaults(fields),
      proof: true,
      async act({ request, about: agent, fields }) {
        const outcome = await decideOnAgent(
          database,
          action,
          agent,
          operatorOf(request, fields),
          parts.now(),
        );
        if (outcome === 'notOperator') throw notFound();
        return `${agentPath(agent.clientId)}?done=${action}`;
      },
      page: ({ about: agent, fields: typed }) => ({
        title: ({ agents }) => agents.actions[action].title(calledAgent(agent)),
        main(form) {
          const { clientId, name, redirectUris } = agent;
          const { operations: text, agents, consent } = form.messages;
          return confirmView({
            ...form,
            section: 'agents',
            words: agents.actions[action],
            name: calledAgent(agent),
            identity: [
              { label: consent.agentName, value: name },
              { label: text.clientId, value: clientId, code: true },
              { label: text.callbacks, value: redirectUris, code: true },
            ],
            action: agentPath(clientId, action),
            back: agentPath(clientId),
            typed,
            danger: action === 'block',
          });
        },
      }),
    });

  async function agentOf(request: FastifyRequest): Promise<AgentRow> {
    const { agent: clientId } = request.params as { agent: string };
    const agent = isClientIdShaped(clientId) ? await findAgentRow(database, clientId) : undefined;
    if (agent === undefined) throw notFound();
    return agent;
  }
}

const actionFor = ({ blockedAt }: AgentRow): AgentAction => (blockedAt === null ? 'block' : 'unblock');
