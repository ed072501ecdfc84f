// sesame agents …: lists and blocks agents.

import type { Command } from 'commander';
import { cleanName } from '../accounts/account-fields.ts';
import { decideOnThing } from '../accounts/moderation.ts';
import { findAgentRow, listAgents as listOf } from '../store/agent-lists.ts';
import { CommandFault, type Context } from './context.ts';
import { type Runs, table } from './run.ts';

async function listAgents({ database }: Context) {
  const rows = await listOf(database);
  return {
    text: table(
      ['client id', 'name', 'callbacks', 'people', 'blocked'],
      rows.map((row) => [
        row.clientId,
        row.name,
        row.redirectUris.join(' '),
        String(row.people),
        row.blockedAt === null ? '' : 'yes',
      ]),
    ),
    json: rows.map((row) => ({
      client_id: row.clientId,
      name: row.name,
      way: row.way,
      redirect_uris: row.redirectUris,
      people: row.people,
      blocked: row.blockedAt !== null,
      fetched_at: row.fetchedAt?.toISOString() ?? null,
      created_at: row.createdAt.toISOString(),
    })),
  };
}

const DONE: Record<'block' | 'unblock', (clientId: string) => string> = {
  block: (clientId) => `Blocked ${clientId}: every code and token has ended.`,
  unblock: (clientId) => `Let ${clientId} in again.`,
};

/** Does something to an agent that is named by its client_id. */
const moderateAgent =
  (action: keyof typeof DONE) =>
  async (context: Context, clientId: string, { reason }: { reason?: string }) => {
    const agent = await findAgentRow(context.database, clientId);
    if (agent === undefined) throw new CommandFault(`No agent has the client_id ${clientId}.`);
    const by = { reason: reason && cleanName(reason) };
    const outcome = await decideOnThing(
      context,
      'agent',
      action === 'block' ? 'suspend' : 'unsuspend',
      clientId,
      by,
      context.now,
    );
    return { text: DONE[action](clientId), json: { client_id: clientId, changed: outcome === 'done' } };
  };

export function addAgents(program: Command, run: Runs): void {
  const agents = program.command('agents').description('agents: applications that nobody registered');
  agents.command('list').description('list all agents that are known').action(run(listAgents));
  for (const [action, description] of [
    ['block', 'nobody lets an agent in any more, and all it was given dies at once'],
    ['unblock', 'let an agent in again'],
  ] as const)
    agents
      .command(action)
      .description(description)
      .argument('<client-id>')
      .option('--reason <words>', 'why, for the audit log')
      .action(run(moderateAgent(action)));
}
