// Dynamic client registration (RFC 7591) for agents without a metadata document.

import { getRateLimitedNetwork } from '../accounts/rate-limits.ts';
import { validateClientMetadata } from '../oauth/client-metadata.ts';
import type { Sealer } from '../oauth/seal.ts';
import { newDynamicClientId } from '../oauth/secrets.ts';
import { uuidFromHash } from '../oauth/uuid.ts';
import { type NewAgent, storeRegistration } from '../store/agents.ts';
import type { Database } from '../store/database.ts';
import { takeFromRateLimit } from '../store/throttling.ts';
import { validateAgentKeys } from './metadata-documents.ts';

const MAX_REGISTRATIONS_PER_HOUR = 10;
const MAX_REGISTRATIONS = 10_000;

export type RegistrationResult = { outcome: 'registered'; agent: NewAgent } | { outcome: 'tooMany' | 'full' };

/** Agents are public clients, even if they request a client secret (RFC 7591 §3.2.1). */
export async function registerAgent(
  { database, sealer }: { database: Database; sealer: Pick<Sealer, 'mac'> },
  { token_endpoint_auth_method: method, ...metadata }: Record<string, unknown>,
  ip: string,
  now: Date,
): Promise<RegistrationResult> {
  const authMethod = method === 'client_secret_basic' || method === 'client_secret_post' ? 'none' : method;
  const registered = validateClientMetadata({
    ...metadata,
    ...(authMethod !== undefined && { token_endpoint_auth_method: authMethod }),
  });
  const agent = { clientId: newDynamicClientId(), ...(await validateAgentKeys(registered)) };
  const key = uuidFromHash(sealer.mac('limits', 'agent-registration', getRateLimitedNetwork(ip)));
  if ((await takeFromRateLimit(database, key, { max: MAX_REGISTRATIONS_PER_HOUR }, now)) === undefined)
    return { outcome: 'tooMany' };
  return (await storeRegistration(database, agent, MAX_REGISTRATIONS, now))
    ? { outcome: 'registered', agent }
    : { outcome: 'full' };
}
