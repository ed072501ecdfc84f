// sesame agents …: names and options; what they do is in agents.ts.
import type { Command } from 'commander';
import { listAgents, moderateAgent } from '../agents.ts';
import type { Runs } from '../run.ts';

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
