// Agents that register themselves, for want of a document (RFC 7591): they get a name to be called by, and nothing else (D55).

import { householdOf } from '../accounts/limits.ts';
import { readAgentMetadata } from '../oauth/agent-document.ts';
import type { Sealer } from '../oauth/seal.ts';
import { newAgentId } from '../oauth/secrets.ts';
import { hashUuid } from '../oauth/uuid.ts';
import { keepRegistration, type NewAgent } from '../store/agents.ts';
import type { Database } from '../store/database.ts';
import { takeFromLimit } from '../store/throttling.ts';
import { keepable } from './documents.ts';

/** Registrations of one network in an hour, and in all. */
const PER_HOUR = 10;
const MOST_REGISTRATIONS = 10_000;

export type Registered = { outcome: 'registered'; agent: NewAgent } | { outcome: 'tooMany' | 'full' };

/**
 * Registers an agent by what it says of itself. One that would send a secret gets none, and is told so.
 * @throws AgentFault in words for its developer
 */
export async function registerAgent(
  { database, sealer }: { database: Database; sealer: Pick<Sealer, 'mac'> },
  { token_endpoint_auth_method: method, ...metadata }: Record<string, unknown>,
  address: string,
  now: Date,
): Promise<Registered> {
  const own = method === 'client_secret_basic' || method === 'client_secret_post' ? 'none' : method;
  const said = readAgentMetadata({
    ...metadata,
    ...(own !== undefined && { token_endpoint_auth_method: own }),
  });
  const agent = { clientId: newAgentId(), ...(await keepable(said)) };
  const key = hashUuid(sealer.mac('limits', 'agent-registration', householdOf(address)));
  if ((await takeFromLimit(database, key, { max: PER_HOUR }, now)) === undefined)
    return { outcome: 'tooMany' };
  return (await keepRegistration(database, agent, MOST_REGISTRATIONS, now))
    ? { outcome: 'registered', agent }
    : { outcome: 'full' };
}
