// Buffers refused requests and client observations, and writes them in batches.
import type { Logger } from 'pino';
import {
  type DiagnosedGrant,
  diagnoseRefusal,
  getApiIdentifierKey,
  type RefusedRequest,
} from '../oauth/refusal-diagnosis.ts';
import { upsertObservationBatch } from '../store/client-observations.ts';
import type { Database } from '../store/database.ts';
import { isUnavailable } from '../store/database.ts';
import {
  findDiagnosedApis,
  findDiagnosedClients,
  findDiagnosedGrant,
  findDiagnosedSecrets,
} from '../store/diagnosis-queries.ts';
import { insertRefusalBatch, MAX_REFUSALS, type NewRefusal } from '../store/refusals.ts';
import { createWriteBehind, type WriteBehind } from './write-behind.ts';

const FLUSH_PERIOD = 2_000;
/** Further refusals are dropped. */
const MAX_BUFFERED_REFUSALS = 2_000;
/** Anyone can cause refusals without a client or token, so fewer are buffered. */
const MAX_ANONYMOUS_REFUSALS = 200;
/** Milliseconds between two records of the same observation. */
const OBSERVATION_INTERVAL = 10 * 60_000;
const MAX_OBSERVATIONS = 10_000;

type ObservedSignal =
  | 'pkce'
  | 'without_pkce'
  | 'state'
  | 'without_state'
  | 'nonce'
  | 'without_nonce'
  | 'exchange'
  | 'renewal'
  | 'revocation'
  | 'userinfo';

interface RefusalEvent {
  /** Resolves to undefined if the request involves no client. */
  refused: RefusedRequest | Promise<RefusedRequest | undefined>;
  /** Stored with a refusal that has no client or API. If undefined, that refusal is dropped. */
  unattributed?: { description: string } | undefined;
  endpoint: string;
  error: string;
  ip: string;
  incident: string;
  at: Date;
}

/** If the database is unavailable, entries are kept for the next batch. */
export interface DiagnosticsRecorder extends Pick<WriteBehind, 'flush' | 'close'> {
  recordRefusal(request: RefusalEvent): void;
  recordObservation(clientId: string, signal: ObservedSignal, at: Date): void;
}

type BufferedRefusal = Pick<
  RefusalEvent,
  'unattributed' | 'endpoint' | 'error' | 'ip' | 'incident' | 'at'
> & {
  refused: RefusedRequest;
};

/** @param onUnauthenticated called when a request of an unauthenticated client was refused */
export function createDiagnosticsRecorder(
  database: Database,
  logger: Logger,
  onUnauthenticated: (clientId: string, at: Date) => void = () => {},
): DiagnosticsRecorder {
  let anonymous = 0;
  let count = 0;
  const lastObserved = new Map<string, number>();
  /** Refused requests whose access token is still being verified. */
  const pending = new Set<Promise<void>>();
  const buffers = createWriteBehind(FLUSH_PERIOD, (error) => {
    const retries = isUnavailable(error); // other errors would occur again
    logger.warn({ err: error }, `writing diagnostics failed, ${retries ? 'will retry' : 'entries are lost'}`);
    return retries;
  });
  const addRefusal = buffers.addBuffer<BufferedRefusal>(MAX_BUFFERED_REFUSALS, async (refusals) => {
    anonymous = 0;
    const rows = await resolveRefusals(database, refusals);
    await insertRefusalBatch(database, keepLatestPerClientOrApi(rows));
    for (const { clientId, authenticated, error, at } of rows)
      if (clientId !== null && !authenticated && error !== '') onUnauthenticated(clientId, at);
  });
  const addObservation = buffers.addBuffer<{ clientId: string; signal: ObservedSignal; at: Date }>(
    MAX_OBSERVATIONS,
    (batch) => upsertObservationBatch(database, batch),
  );

  return {
    recordRefusal({ refused, ...circumstances }) {
      const add = (request: RefusedRequest | undefined) => {
        if (request === undefined) return;
        const isAnonymous = request.client === undefined && request.context.token === undefined;
        if (isAnonymous && (circumstances.unattributed === undefined || anonymous >= MAX_ANONYMOUS_REFUSALS))
          return;
        if (isAnonymous) anonymous += 1;
        addRefusal(`${++count}`, { refused: request, ...circumstances });
      };
      if (!(refused instanceof Promise)) return add(refused);
      const verification = refused.then(add, () => {}).finally(() => pending.delete(verification));
      pending.add(verification);
    },
    recordObservation(clientId, signal, at) {
      const key = `${signal} ${clientId}`;
      const last = lastObserved.get(key);
      if (last !== undefined && at.getTime() - last < OBSERVATION_INTERVAL) return;
      if (lastObserved.size >= MAX_OBSERVATIONS) lastObserved.clear();
      lastObserved.set(key, at.getTime());
      addObservation(key, { clientId, signal, at });
    },
    async flush() {
      await Promise.all(pending);
      await buffers.flush();
    },
    async close() {
      await Promise.all(pending);
      await buffers.close();
    },
  };
}

function keepLatestPerClientOrApi(rows: readonly NewRefusal[]): NewRefusal[] {
  const bySubject = Map.groupBy(rows, ({ clientId, apiId }) => clientId ?? apiId);
  return [...bySubject.values()].flatMap((refusals) => refusals.slice(-MAX_REFUSALS));
}

async function resolveRefusals(
  database: Database,
  refusals: readonly BufferedRefusal[],
): Promise<NewRefusal[]> {
  const hashes = refusals.flatMap(({ refused }) => refused.context.secretHash ?? []);
  const grants = await findGrants(database, refusals);
  const findGrant = ({ context }: RefusedRequest) => context.token && grants.get(context.token.grantId);
  const secrets = hashes.length > 0 ? await findDiagnosedSecrets(database, hashes) : [];
  const getClientId = (refused: RefusedRequest): string | undefined =>
    refused.client?.clientId ?? findGrant(refused)?.clientId ?? refused.context.token?.clientId;
  const found = await findDiagnosedClients(
    database,
    distinct(refusals.map(({ refused }) => getClientId(refused))),
  );
  const clients = new Map(found.map((client) => [client.clientId, client]));
  const keys = distinct(refusals.map(({ refused }) => getApiIdentifierKey(refused.reason, refused.context)));
  const apis = new Map(
    (keys.length > 0 ? await findDiagnosedApis(database, keys) : []).map((api) => [api.identifierKey, api]),
  );

  return refusals.flatMap(({ refused, unattributed, endpoint, error, ip, incident, at }) => {
    const client = clients.get(getClientId(refused) ?? '');
    if (client === undefined)
      return unattributed === undefined
        ? []
        : {
            ...{ clientId: null, apiId: null, authenticated: false, hasCredential: false },
            ...{ kind: refused.reason.kind, facts: unattributed, endpoint, error, ip, incident, at },
          };
    const { secretHash } = refused.context;
    const matchingSecrets = secrets.filter(({ hash }) => secretHash?.equals(hash));
    const secret = matchingSecrets.find(({ clientId }) => clientId === client.clientId) ?? matchingSecrets[0];
    const { reason, authenticated, hasCredential } = diagnoseRefusal(
      refused,
      { endpoint, client, secret, grant: findGrant(refused) },
      at,
    );
    const { kind, ...facts } = reason;
    const isApi = client.type === 'api';
    const clientId = isApi ? null : client.clientId;
    const apiId = isApi
      ? client.clientId
      : (apis.get(getApiIdentifierKey(reason, refused.context) ?? '')?.apiId ?? null);
    return { clientId, apiId, authenticated, hasCredential, endpoint, error, kind, facts, ip, incident, at };
  });
}

/** Limited so that the lookups leave database connections free for requests. */
const LOOKUP_CONCURRENCY = 50;

async function findGrants(
  database: Database,
  refusals: readonly BufferedRefusal[],
): Promise<Map<string, DiagnosedGrant>> {
  const tokens = refusals.flatMap(({ refused }) => refused.context.token ?? []);
  const waiting = [...new Map(tokens.map((token) => [token.grantId, token])).values()];
  const found = new Map<string, DiagnosedGrant>();
  while (waiting.length > 0)
    for (const grant of await Promise.all(
      waiting.splice(0, LOOKUP_CONCURRENCY).map((token) => findDiagnosedGrant(database, token)),
    ))
      if (grant !== undefined) found.set(grant.grantId, grant);
  return found;
}

const distinct = (values: (string | undefined)[]): string[] => [
  ...new Set(values.filter((value) => value !== undefined)),
];
