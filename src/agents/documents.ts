// Reads and keeps agents' documents (Client ID Metadata Documents).

import { householdOf } from '../accounts/limits.ts';
import { readKeySet } from '../applications/protocol-fields.ts';
import type { Config } from '../config.ts';
import {
  AgentFault,
  agentAddressFault,
  DOCUMENT_SIZE,
  DOCUMENT_TIME,
  isLocalDocument,
  readAgentDocument,
} from '../oauth/agent-document.ts';
import { testerAddress, testerDocument } from '../oauth/connection-tester.ts';
import type { Sealer } from '../oauth/seal.ts';
import { hashUuid } from '../oauth/uuid.ts';
import {
  guardedRequest,
  type OffSlot,
  type OutgoingAnswer,
  OutgoingFault,
  type Resolve,
} from '../outgoing/guarded-request.ts';
import { findAgent, type KnownAgent, keepDocument, type NewAgent } from '../store/agents.ts';
import type { Database } from '../store/database.ts';
import { takeFromLimit } from '../store/throttling.ts';
import { freshFor, LONGEST_FRESH, openSharedReads } from './document-reads.ts';

const MAX_DOCUMENTS = 10_000;
/** Documents that this process reads at once, those of them for one client IP, and the requests that wait for one. */
const BOUNDS = { total: 10, perIp: 2, waiting: 20 };
/**
 * Unknown documents of one origin that are read in an hour for one client IP. This protects the origin, to which a
 * caller could otherwise direct any number of requests. A known document is only read when it is stale.
 */
const UNKNOWN_PER_ORIGIN = 20;

export interface AgentParts {
  config: Pick<Config, 'baseUrl' | 'serviceName' | 'production' | 'agents' | 'agentsRegistration'>;
  database: Database;
  sealer: Pick<Sealer, 'mac'>;
  now: () => Date;
  resolve?: Resolve | undefined;
}

/** There is no document to rely on now; the reason is for the agent's developer. */
export class AgentUnreadable extends Error {
  /** `later`: nothing is wrong with it, and there is room again after a while; `blocked`: by an operator. */
  readonly kind: 'faulty' | 'later' | 'blocked';
  constructor(kind: AgentUnreadable['kind'], words: string) {
    super(words);
    this.kind = kind;
  }
}

/** What a process knows of agents' documents beside the database. */
export interface AgentDocuments {
  /**
   * Whether what is kept of an agent is still fresh. Reads nothing.
   * @throws AgentUnreadable where the agent is not let in at all
   */
  isKnown(clientId: string): Promise<boolean>;
  /**
   * Reads an agent's document unless what is kept of it is fresh.
   * @param ip the client's, which bounds how much is read for it
   * @throws AgentUnreadable where that is not possible
   */
  read(clientId: string, ip: string, offSlot: OffSlot): Promise<void>;
}

export function openAgentDocuments(parts: AgentParts): AgentDocuments {
  const { config, database, sealer, now } = parts;
  const reads = openSharedReads(BOUNDS);

  /** @throws AgentUnreadable if the agent isn't admitted */
  async function standingOf(clientId: string): Promise<{ known: KnownAgent | undefined; fresh: boolean }> {
    const fault = agentAddressFault(clientId, config);
    if (fault !== undefined) throw new AgentUnreadable('faulty', fault);
    const known = await findAgent(database, clientId);
    if (known?.blocked)
      throw new AgentUnreadable('blocked', 'The operators of this service have blocked this agent.');
    const fresh = known?.freshUntil !== undefined && (known.freshUntil === null || known.freshUntil > now());
    return { known, fresh };
  }

  async function readIfStale(clientId: string, offSlot: OffSlot): Promise<void> {
    // Another request may have read it since the caller looked.
    if (!(await standingOf(clientId)).fresh) await readAnew(parts, clientId, offSlot);
  }

  const mayReadUnknown = async (clientId: string, network: string): Promise<boolean> => {
    const key = hashUuid(sealer.mac('limits', 'agent', new URL(clientId).origin, network));
    return (await takeFromLimit(database, key, { max: UNKNOWN_PER_ORIGIN }, now())) !== undefined;
  };

  return {
    isKnown: async (clientId) => (await standingOf(clientId)).fresh,
    async read(clientId, ip, offSlot) {
      const { known, fresh } = await standingOf(clientId);
      if (fresh) return;
      if (clientId === testerAddress(config.baseUrl)) return keepTester(parts);
      const network = householdOf(ip);
      if (known === undefined && !reads.isRunning(clientId) && !(await mayReadUnknown(clientId, network)))
        throw new AgentUnreadable('later', 'Too many documents of this origin were read: try again later.');
      const outcome = await reads.read(clientId, network, () => readIfStale(clientId, offSlot));
      // Slow documents of others must not keep people from an agent that is known.
      if (outcome === 'busy' && !wasReadToday(known, now()))
        throw new AgentUnreadable('later', 'Too many documents are being read at this moment: try again.');
    },
  };
}

const wasReadToday = (known: KnownAgent | undefined, now: Date): boolean =>
  known?.fetchedAt != null && now.getTime() - known.fetchedAt.getTime() < LONGEST_FRESH * 1000;

async function readAnew(parts: AgentParts, clientId: string, offSlot: OffSlot): Promise<void> {
  const { database, now } = parts;
  const answer = await fetched(parts, clientId, offSlot);
  const at = now();
  const freshUntil = new Date(at.getTime() + freshFor(answer.headers['cache-control']) * 1000);
  const agent = await agentIn(answer, clientId);
  const { origin } = new URL(clientId);
  if (!(await keepDocument(database, { ...agent, origin, freshUntil }, MAX_DOCUMENTS, at)))
    throw new AgentUnreadable('later', 'This service knows as many agents as it may: try again later.');
}

async function keepTester({ config, database, now }: AgentParts): Promise<void> {
  const { client_id: clientId, client_name: name, redirect_uris: redirectUris } = testerDocument(config);
  const freshUntil = new Date(now().getTime() + LONGEST_FRESH * 1000);
  const document = { clientId, name, redirectUris, jwks: null, origin: config.baseUrl, freshUntil };
  if (!(await keepDocument(database, document, MAX_DOCUMENTS, now())))
    throw new AgentUnreadable('later', 'This service knows as many agents as it may: try again later.');
}

async function fetched(
  { config, resolve }: AgentParts,
  clientId: string,
  offSlot: OffSlot,
): Promise<OutgoingAnswer> {
  const headers = { accept: 'application/cimd+json, application/json' };
  const loopback = isLocalDocument(clientId, config);
  try {
    return await guardedRequest(
      clientId,
      { headers, within: DOCUMENT_TIME, most: DOCUMENT_SIZE },
      { production: config.production, loopback, ...(resolve && { resolve }) },
      offSlot,
    );
  } catch (error) {
    if (error instanceof OutgoingFault)
      throw new AgentUnreadable(
        'faulty',
        `The document could not be read: ${error.message.replace(/["\\]/g, '')}.`,
      );
    throw error;
  }
}

async function agentIn({ status, headers, body }: OutgoingAnswer, clientId: string): Promise<NewAgent> {
  const faulty = (words: string) => new AgentUnreadable('faulty', words);
  if (status !== 200)
    throw faulty(`The document's address answered ${status} instead of 200; nothing is followed.`);
  if (!/^application\/(?:cimd\+)?json *(?:;|$)/i.test(headers['content-type'] ?? ''))
    throw faulty('The document is not served as application/json or application/cimd+json.');
  try {
    return { clientId, ...(await keepable(readAgentDocument(body, clientId))) };
  } catch (error) {
    throw error instanceof AgentFault ? faulty(error.message) : error;
  }
}

/** What an agent says of itself, with its keys looked at. @throws AgentFault */
export async function keepable({
  name,
  redirectUris,
  jwks,
}: ReturnType<typeof readAgentDocument>): Promise<Omit<NewAgent, 'clientId'>> {
  const keys = jwks === undefined ? null : await readKeySet(jwks);
  if (keys !== null && 'fault' in keys)
    throw new AgentFault(
      'jwks must hold public keys to verify with: RSA of 2048 bits and more, P-256 or Ed25519.',
    );
  return { name, redirectUris, jwks: keys };
}
