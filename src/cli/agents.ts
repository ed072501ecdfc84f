// sesame agents …: lists and blocks agents.
import type { Command } from 'commander';
import { moderateThing } from '../accounts/moderation.ts';
import { findAgentRow, listAgents as listAll } from '../store/agent-lists.ts';
import { CommandFault, type Context } from './context.ts';
import { addModeration, type Runs } from './run.ts';

const listAgents = async ({ database }: Context) => ({
  columns: ['client_id', 'name', 'redirect_uris', 'people', 'blocked'],
  rows: (await listAll(database)).map((row) => ({
    client_id: row.clientId,
    name: row.name,
    way: row.way,
    redirect_uris: row.redirectUris,
    people: row.people,
    blocked: row.blockedAt !== null,
    fetched_at: row.fetchedAt,
    created_at: row.createdAt,
  })),
});

export function addAgents(program: Command, run: Runs): void {
  const agents = program.command('agents').description('agents: clients that nobody registered');
  agents.command('list').description('list all known agents').action(run(listAgents));
  addModeration(
    agents,
    run,
    '<client-id>',
    [
      ['block', 'suspend', 'refuse an agent, and revoke all of its codes and tokens'],
      ['unblock', 'unsuspend', 'accept an agent again'],
    ],
    async (action, clientId, by, context) => {
      if ((await findAgentRow(context.database, clientId)) === undefined)
        throw new CommandFault(`No agent has the client_id ${clientId}.`);
      const outcome = await moderateThing(context, 'agent', action, clientId, by, context.now);
      return { client_id: clientId, changed: outcome === 'done' };
    },
  );
}
