// Fetches, validates and stores Client ID Metadata Documents.

import { getRateLimitedNetwork } from '../accounts/rate-limits.ts';
import { validateKeySet } from '../clients/protocol-fields.ts';
import type { Config } from '../config.ts';
import {
  ClientMetadataError,
  DOCUMENT_TIMEOUT,
  isLocalDocument,
  MAX_DOCUMENT_BYTES,
  parseMetadataDocument,
  validateClientIdUrl,
} from '../oauth/client-metadata.ts';
import { buildTestClientId, buildTestClientMetadata } from '../oauth/connection-test-client.ts';
import type { Sealer } from '../oauth/seal.ts';
import { uuidFromHash } from '../oauth/uuid.ts';
import {
  OutgoingError,
  type OutgoingResponse,
  type ReleasedSlotProof,
  type ResolveHost,
  sendGuardedRequest,
} from '../outgoing/guarded-request.ts';
import { findAgent, type NewAgent, type StoredAgent, storeDocument } from '../store/agents.ts';
import type { Database } from '../store/database.ts';
import { takeFromRateLimit } from '../store/throttling.ts';
import { createSharedReads, MAX_FRESHNESS_LIFETIME, parseFreshnessLifetime } from './document-reads.ts';

const MAX_DOCUMENTS = 10_000;
const CONCURRENT_READ_LIMITS = { total: 10, perIp: 2, waiting: 20 };
/** Maximum number of new documents that one network can have fetched from one origin per hour. */
const MAX_NEW_DOCUMENTS_PER_HOUR = 20;

export interface MetadataDocumentServices {
  config: Pick<Config, 'baseUrl' | 'serviceName' | 'production' | 'agents' | 'agentsRegistration'>;
  database: Database;
  sealer: Pick<Sealer, 'mac'>;
  now: () => Date;
  resolve?: ResolveHost | undefined;
}

/** The message is for the agent's developer. */
export class MetadataDocumentError extends Error {
  /** `later` means that a limit was reached. `blocked` means that an administrator blocked the agent. */
  readonly kind: 'invalid' | 'later' | 'blocked';
  constructor(kind: MetadataDocumentError['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}

export interface MetadataDocumentReader {
  /**
   * Whether a fresh document is stored.
   * @throws MetadataDocumentError if the agent isn't allowed
   */
  isKnown(clientId: string): Promise<boolean>;
  /**
   * Fetches the document unless a fresh one is stored.
   * @throws MetadataDocumentError
   */
  read(clientId: string, ip: string, slotProof: ReleasedSlotProof): Promise<void>;
}

export function createMetadataDocumentReader(services: MetadataDocumentServices): MetadataDocumentReader {
  const { config, database, sealer, now } = services;
  const reads = createSharedReads(CONCURRENT_READ_LIMITS);

  async function findAllowedAgent(
    clientId: string,
  ): Promise<{ known: StoredAgent | undefined; fresh: boolean }> {
    const error = validateClientIdUrl(clientId, config);
    if (error !== undefined) throw new MetadataDocumentError('invalid', error);
    const known = await findAgent(database, clientId);
    if (known?.blocked)
      throw new MetadataDocumentError('blocked', 'An administrator has blocked this agent.');
    const fresh = known?.freshUntil !== undefined && (known.freshUntil === null || known.freshUntil > now());
    return { known, fresh };
  }

  async function fetchIfStale(clientId: string, slotProof: ReleasedSlotProof): Promise<void> {
    // Another request may have fetched the document already.
    if (!(await findAllowedAgent(clientId)).fresh) await fetchDocument(services, clientId, slotProof);
  }

  const mayFetchNew = async (clientId: string, network: string): Promise<boolean> => {
    const key = uuidFromHash(sealer.mac('limits', 'agent', new URL(clientId).origin, network));
    return (await takeFromRateLimit(database, key, { max: MAX_NEW_DOCUMENTS_PER_HOUR }, now())) !== undefined;
  };

  return {
    isKnown: async (clientId) => (await findAllowedAgent(clientId)).fresh,
    async read(clientId, ip, slotProof) {
      const { known, fresh } = await findAllowedAgent(clientId);
      if (fresh) return;
      if (clientId === buildTestClientId(config.baseUrl)) return storeTesterClient(services);
      const network = getRateLimitedNetwork(ip);
      if (known === undefined && !reads.isRunning(clientId) && !(await mayFetchNew(clientId, network)))
        throw new MetadataDocumentError(
          'later',
          'Too many metadata documents have been fetched from this origin. Try again later.',
        );
      const outcome = await reads.read(clientId, network, () => fetchIfStale(clientId, slotProof));
      // If the fetch limit is reached, a document fetched in the last 24 hours is still used.
      if (outcome === 'busy' && !wasFetchedRecently(known, now()))
        throw new MetadataDocumentError(
          'later',
          'Too many metadata documents are being fetched. Try again later.',
        );
    },
  };
}

const wasFetchedRecently = (known: StoredAgent | undefined, now: Date): boolean =>
  known?.fetchedAt != null && now.getTime() - known.fetchedAt.getTime() < MAX_FRESHNESS_LIFETIME * 1000;

async function fetchDocument(
  services: MetadataDocumentServices,
  clientId: string,
  slotProof: ReleasedSlotProof,
): Promise<void> {
  const { database, now } = services;
  const response = await requestDocument(services, clientId, slotProof);
  const at = now();
  const freshUntil = new Date(
    at.getTime() + parseFreshnessLifetime(response.headers['cache-control']) * 1000,
  );
  const agent = await parseResponse(response, clientId);
  const { origin } = new URL(clientId);
  if (!(await storeDocument(database, { ...agent, origin, freshUntil }, MAX_DOCUMENTS, at)))
    throw new MetadataDocumentError(
      'later',
      'The maximum number of agents has been reached. Try again later.',
    );
}

async function storeTesterClient({ config, database, now }: MetadataDocumentServices): Promise<void> {
  const {
    client_id: clientId,
    client_name: name,
    redirect_uris: redirectUris,
  } = buildTestClientMetadata(config);
  const freshUntil = new Date(now().getTime() + MAX_FRESHNESS_LIFETIME * 1000);
  const document = { clientId, name, redirectUris, jwks: null, origin: config.baseUrl, freshUntil };
  if (!(await storeDocument(database, document, MAX_DOCUMENTS, now())))
    throw new MetadataDocumentError(
      'later',
      'The maximum number of agents has been reached. Try again later.',
    );
}

async function requestDocument(
  { config, resolve }: MetadataDocumentServices,
  clientId: string,
  slotProof: ReleasedSlotProof,
): Promise<OutgoingResponse> {
  const headers = { accept: 'application/cimd+json, application/json' };
  const loopback = isLocalDocument(clientId, config);
  try {
    return await sendGuardedRequest(
      clientId,
      { headers, timeout: DOCUMENT_TIMEOUT, maxBytes: MAX_DOCUMENT_BYTES },
      { production: config.production, allowLoopback: loopback, ...(resolve && { resolve }) },
      slotProof,
    );
  } catch (error) {
    if (error instanceof OutgoingError)
      throw new MetadataDocumentError(
        'invalid',
        `The metadata document could not be fetched: ${error.message.replace(/["\\]/g, '')}.`,
      );
    throw error;
  }
}

async function parseResponse(
  { status, headers, body }: OutgoingResponse,
  clientId: string,
): Promise<NewAgent> {
  const createInvalidError = (message: string) => new MetadataDocumentError('invalid', message);
  if (status !== 200)
    throw createInvalidError(
      `The metadata document URL responded with ${status} instead of 200. Redirects are not followed.`,
    );
  if (!/^application\/(?:cimd\+)?json *(?:;|$)/i.test(headers['content-type'] ?? ''))
    throw createInvalidError(
      'The metadata document is not served as application/json or application/cimd+json.',
    );
  try {
    return { clientId, ...(await validateAgentKeys(parseMetadataDocument(body, clientId))) };
  } catch (error) {
    throw error instanceof ClientMetadataError ? createInvalidError(error.message) : error;
  }
}

export async function validateAgentKeys({
  name,
  redirectUris,
  jwks,
}: ReturnType<typeof parseMetadataDocument>): Promise<Omit<NewAgent, 'clientId'>> {
  const keys = jwks === undefined ? null : await validateKeySet(jwks);
  if (keys !== null && 'code' in keys)
    throw new ClientMetadataError(
      'jwks must contain public signing keys: RSA (2048 bits or more), P-256 or Ed25519.',
    );
  return { name, redirectUris, jwks: keys };
}
