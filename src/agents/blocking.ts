// What operators decide about agents, from the console and the command line: decided and written down in one transaction.
import type { Moderated, Moderator } from '../accounts/moderation.ts';
import type { Database } from '../store/database.ts';
import { type EventKind, recordEvent } from '../store/events.ts';
import { changeApplication, lockOperators } from '../store/moderation.ts';

export type AgentAction = 'block' | 'unblock';

const EVENTS = { block: 'agent_blocked', unblock: 'agent_unblocked' } as const satisfies Record<
  AgentAction,
  EventKind
>;

/** Blocks an agent, whose codes and tokens all end, or lets it in again. */
export const decideOnAgent = (
  database: Database,
  action: AgentAction,
  { clientId, name }: { clientId: string; name: string },
  { userId: actorId, address, reason }: Moderator,
  now: Date,
): Promise<Moderated> =>
  database.transaction(async (transaction) => {
    if (actorId !== undefined && !(await lockOperators(transaction)).includes(actorId)) return 'notOperator';
    const change = action === 'block' ? 'suspend' : 'unsuspend';
    if (!(await changeApplication(transaction, change, clientId, now))) return 'unchanged';
    const detail = { name, ...(reason !== undefined && { reason }) };
    await recordEvent(transaction, { kind: EVENTS[action], actorId, clientId, address, detail }, now);
    return 'done';
  });
