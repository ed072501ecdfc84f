// Agents' documents: read where a person is about to see what they say, kept for as long as they allow, never asked for more
// often than is decent (D49).
import { householdOf } from '../accounts/limits.ts';
import { readKeySet } from '../applications/protocol-fields.ts';
import type { Config } from '../config.ts';
import {
  AgentFault,
  agentAddressFault,
  DOCUMENT_SIZE,
  DOCUMENT_TIME,
  readAgentDocument,
} from '../oauth/agent-document.ts';
import { testerAddress, testerDocument } from '../oauth/connection-tester.ts';
import type { Sealer } from '../oauth/seal.ts';
import {
  guardedRequest,
  type OutgoingAnswer,
  OutgoingFault,
  type Resolve,
} from '../outgoing/guarded-request.ts';
import { findAgent, type KnownAgent, keepDocument, type NewAgent, noteUnchanged } from '../store/agents.ts';
import { takeAllowance } from '../store/allowances.ts';
import type { Database } from '../store/database.ts';
import { takePlaceToRead } from '../store/document-readings.ts';
import { rememberFaults } from './faults.ts';
import { freshFor, LONGEST_FRESH } from './freshness.ts';

/** Documents in all. */
export const MOST_DOCUMENTS = 10_000;
/** Read of one origin in an hour; of these, such as were not known: whoever names others keeps nobody from those that are. */
const PER_ORIGIN = 20;
const NEW_PER_ORIGIN = 15;
/** Read in an hour for one asker, who is not to use up an origin alone. */
const PER_ASKER = 10;
/** The same two for pushed requests, which anybody may send, from many networks: half is left to those who are signed in. */
const PUSHED_PER_ORIGIN = 10;
const PER_NETWORK = 5;
/** Seconds after which the place of a process that died in the middle is another's. */
const PLACE_KEPT = DOCUMENT_TIME / 1000 + 7;

/** For whom a document is read: who is signed in, or the network that a pushed request comes from. */
type Asker = { userId: string } | { address: string };

export interface AgentParts {
  config: Pick<Config, 'baseUrl' | 'serviceName' | 'production' | 'agents' | 'agentOrigins'>;
  database: Database;
  sealer: Pick<Sealer, 'mac'>;
  now: () => Date;
  /** Replaced by tests alone. */
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

/** What came of asking for a document. */
type Outcome = 'read' | 'noPlace' | 'notAllowed';

/** What a process knows of agents' documents beside the database. */
export interface AgentDocuments {
  /**
   * Whether what is kept of an agent is still fresh. Reads nothing.
   * @throws AgentUnreadable where the agent is not let in at all
   */
  isKnown(clientId: string): Promise<boolean>;
  /**
   * Makes sure that what is kept of an agent is fresh: reads its document where it is not.
   * @param asker for whom it is read, where it has to be
   * @throws AgentUnreadable where that is not possible
   */
  read(clientId: string, asker: Asker): Promise<void>;
}

export function openAgentDocuments(parts: AgentParts): AgentDocuments {
  const { config, database, now } = parts;
  const reading = new Map<string, Promise<Outcome>>();
  const faults = rememberFaults<AgentUnreadable>(now);

  const standing = async (clientId: string): Promise<{ known: KnownAgent | undefined; fresh: boolean }> => {
    const fault = agentAddressFault(clientId, config);
    if (fault !== undefined) throw new AgentUnreadable('faulty', fault);
    const known = await findAgent(database, clientId);
    if (known?.blocked)
      throw new AgentUnreadable('blocked', 'The operators of this service have blocked this agent.');
    return {
      known,
      fresh: known?.freshUntil !== undefined && (known.freshUntil === null || known.freshUntil > now()),
    };
  };

  return {
    isKnown: async (clientId) => (await standing(clientId)).fresh,
    async read(clientId, asker) {
      const { known, fresh } = await standing(clientId);
      if (fresh) return;
      const fault = faults.of(clientId);
      if (fault !== undefined) throw fault;
      for (;;) {
        const present = reading.get(clientId);
        const outcome = await (present ?? begin(clientId, known, asker));
        if (outcome === 'read') return;
        // Whoever has no place or no allowance left decides nothing for those who wait for the same.
        if (present !== undefined) continue;
        if (outcome === 'notAllowed') return goByKnown(known, now());
        throw new AgentUnreadable('later', 'Too many documents are being read at this moment: try again.');
      }
    },
  };

  /** Reads a document for all who ask for it meanwhile, unless the asker has had enough read. */
  async function begin(clientId: string, known: KnownAgent | undefined, asker: Asker): Promise<Outcome> {
    const work = readInPlace(asker, clientId, known);
    reading.set(clientId, work);
    try {
      return await work;
    } catch (error) {
      if (error instanceof AgentUnreadable && error.kind === 'faulty') faults.add(clientId, error);
      throw error;
    } finally {
      reading.delete(clientId);
    }
  }

  async function readInPlace(
    asker: Asker,
    clientId: string,
    known: KnownAgent | undefined,
  ): Promise<Outcome> {
    const pushed = 'address' in asker;
    const key = parts.sealer.mac('allowances', 'agent', ...nameOf(asker));
    const leave = await takePlaceToRead(database, { asker: key, pushed }, PLACE_KEPT, now());
    if (leave === undefined) return 'noPlace';
    try {
      if (!(await takeAllowance(database, key, pushed ? PER_NETWORK : PER_ASKER, now()))) return 'notAllowed';
      await readAnew(parts, clientId, known, pushed);
      return 'read';
    } finally {
      await leave();
    }
  }
}

/** What a person or a network is counted by. */
const nameOf = (asker: Asker): [kind: string, name: string] =>
  'userId' in asker ? ['account', asker.userId] : ['network', householdOf(asker.address)];

/** Whoever names many documents must not keep people from the one that they know. @throws AgentUnreadable where nothing is */
function goByKnown(known: KnownAgent | undefined, now: Date): void {
  if (known?.fetchedAt && now.getTime() - known.fetchedAt.getTime() < LONGEST_FRESH * 1000) return;
  throw new AgentUnreadable('later', 'Too many documents were read in the last hour: try again later.');
}

async function readAnew(
  parts: AgentParts,
  clientId: string,
  known: KnownAgent | undefined,
  pushed: boolean,
): Promise<void> {
  const { config, database, sealer, now } = parts;
  const { origin } = new URL(clientId);
  if (clientId === testerAddress(config.baseUrl)) return keepTester(parts);
  const take = (perHour: number, ...name: string[]) =>
    takeAllowance(database, sealer.mac('allowances', 'agent', ...name), perHour, now());
  const isRoom =
    (!pushed || (await take(PUSHED_PER_ORIGIN, 'pushed', origin))) &&
    (known !== undefined || (await take(NEW_PER_ORIGIN, 'new', origin))) &&
    (await take(PER_ORIGIN, origin));
  if (!isRoom) return goByKnown(known, now());
  const answer = await fetched(parts, clientId, known?.etag ?? null);
  const at = now();
  const freshUntil = new Date(at.getTime() + freshFor(answer.headers['cache-control']) * 1000);
  const etag = etagOf(answer);
  if (answer.status === 304 && known?.etag) {
    if (await noteUnchanged(database, { clientId, etag: etag ?? known.etag, freshUntil }, at)) return;
    throw new AgentUnreadable('later', 'The document was forgotten meanwhile: try again.');
  }
  const agent = await agentIn(answer, clientId);
  if (!(await keepDocument(database, { ...agent, origin, etag, freshUntil }, MOST_DOCUMENTS, at)))
    throw new AgentUnreadable('later', 'This service knows as many agents as it may: try again later.');
}

/** Our own document needs no reading: it is known. */
async function keepTester({ config, database, now }: AgentParts): Promise<void> {
  const { client_id: clientId, client_name: name, redirect_uris: redirectUris } = testerDocument(config);
  const freshUntil = new Date(now().getTime() + LONGEST_FRESH * 1000);
  const document = {
    clientId,
    name,
    redirectUris,
    jwks: null,
    origin: config.baseUrl,
    etag: null,
    freshUntil,
  };
  if (!(await keepDocument(database, document, MOST_DOCUMENTS, now())))
    throw new AgentUnreadable('later', 'This service knows as many agents as it may: try again later.');
}

async function fetched(
  { config, resolve }: AgentParts,
  clientId: string,
  etag: string | null,
): Promise<OutgoingAnswer> {
  const headers = { accept: 'application/json', ...(etag !== null && { 'if-none-match': etag }) };
  // What an operator lists of this machine in development may be called there.
  const loopback = config.agentOrigins.includes(new URL(clientId).origin);
  try {
    return await guardedRequest(
      clientId,
      { headers, within: DOCUMENT_TIME, most: DOCUMENT_SIZE },
      { production: config.production, loopback, ...(resolve && { resolve }) },
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
  if (!/^application\/json *(?:;|$)/i.test(headers['content-type'] ?? ''))
    throw faulty('The document is not served as application/json.');
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

/** Kept to be sent back: only what a header may hold. */
function etagOf({ headers: { etag } }: OutgoingAnswer): string | null {
  return etag !== undefined && /^(?:W\/)?"[\x21\x23-\x7e]{0,200}"$/.test(etag) ? etag : null;
}
