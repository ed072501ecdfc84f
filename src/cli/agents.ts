// sesame agents: lists, blocks and unblocks agents.
import type { Command } from 'commander';
import { moderateResource } from '../accounts/moderation.ts';
import { findAgentDetail, listAgents as listAllAgents } from '../store/admin-agents.ts';
import { CommandError, type Context } from './context.ts';
import { addModerationCommands, type CreateAction } from './run.ts';

const listAgents = async ({ database }: Context) => ({
  columns: ['client_id', 'name', 'redirect_uris', 'users', 'blocked'],
  rows: (await listAllAgents(database)).map((row) => ({
    client_id: row.clientId,
    name: row.name,
    kind: row.kind,
    redirect_uris: row.redirectUris,
    users: row.userCount,
    blocked: row.blockedAt !== null,
    fetched_at: row.fetchedAt,
    created_at: row.createdAt,
  })),
});

export function addAgentCommands(program: Command, run: CreateAction): void {
  const agents = program.command('agents').description('Manage agents (clients without an owner)');
  agents.command('list').description('List all agents').action(run(listAgents));
  addModerationCommands(
    agents,
    run,
    '<client-id>',
    [
      ['block', 'suspend', 'Block an agent and revoke its codes and tokens'],
      ['unblock', 'unsuspend', 'Unblock an agent'],
    ],
    async (action, clientId, by, context) => {
      if ((await findAgentDetail(context.database, clientId)) === undefined)
        throw new CommandError(
          `No agent has the client_id ${clientId}. To list agents, run: sesame agents list`,
        );
      const outcome = await moderateResource(context, 'agent', action, clientId, by, context.now);
      return { client_id: clientId, changed: outcome === 'done' };
    },
  );
}
