// Gathers refused requests and observations of clients and APIs in memory, and writes them in batches.
// A successful request touches at most a map; a process that is killed loses one batch.
import type { Logger } from 'pino';
import { apiKeyOf, type DiagnosedGrant, diagnose, type Refused } from '../oauth/diagnosis.ts';
import type { Database } from '../store/database.ts';
import { isUnavailable } from '../store/database.ts';
import {
  findDiagnosedApis,
  findDiagnosedClients,
  findDiagnosedGrant,
  findDiagnosedSecrets,
} from '../store/diagnosed.ts';
import { writeObservations } from '../store/observations.ts';
import { type NewRefusal, QUOTA, writeRefusals } from '../store/refusals.ts';
import { type WriteBehind, writeBehind } from './write-behind.ts';

/** Milliseconds from the first thing that is noted until all that was noted meanwhile is written. */
const PERIOD = 2_000;
/** Refusals that wait in memory at a time; more are dropped. */
const MAX_WAITING = 2_000;
/** Of these, such as name no client: anybody can have error pages shown as fast as they like. */
const MAX_ANONYMOUS = 200;
/** What was just written is not written again for so many milliseconds. */
const OBSERVE_AGAIN = 10 * 60_000;
const MOST_OBSERVATIONS = 10_000;

/** What an application can be seen doing, or leaving out. */
type Signal =
  | 'pkce'
  | 'without_pkce'
  | 'state'
  | 'without_state'
  | 'nonce'
  | 'without_nonce'
  | 'renewal'
  | 'revocation'
  | 'userinfo';

/** A refused request, as the log and the person who sent it know it. */
interface RefusedRequest {
  /** Undefined, now or later, for one that has to do with no application. */
  refused: Refused | Promise<Refused | undefined>;
  /** What is kept where no client or API is found that it belongs to; undefined to keep nothing then. */
  unattributed?: { description: string } | undefined;
  endpoint: string;
  error: string;
  address: string;
  incident: string;
  at: Date;
}

/** What cannot be written while the database is away is kept for the next time. */
export interface Diagnostics extends Pick<WriteBehind, 'flush' | 'close'> {
  refused(request: RefusedRequest): void;
  observed(clientId: string, signal: Signal, at: Date): void;
}

type Waiting = Pick<RefusedRequest, 'unattributed' | 'endpoint' | 'error' | 'address' | 'incident' | 'at'> & {
  refused: Refused;
};

/**
 * Starts gathering; nothing runs until there is something to write.
 * @param foreign called with each refusal of a client that had not authenticated
 */
export function gatherDiagnostics(
  database: Database,
  logger: Logger,
  foreign: (clientId: string, at: Date) => void = () => {},
): Diagnostics {
  let anonymous = 0;
  let count = 0;
  /** When each observation was last noted, so that it is not noted again at once. */
  const noted = new Map<string, number>();
  /** Refusals whose tokens are still being opened. */
  const pending = new Set<Promise<void>>();
  const behind = writeBehind(PERIOD, (error) => {
    logger.warn({ err: error }, 'writing diagnostics failed');
    return isUnavailable(error); // anything else would fail again
  });
  const note = behind.gather<Waiting>(MAX_WAITING, async (refusals) => {
    anonymous = 0;
    const rows = await lookInto(database, refusals);
    await writeRefusals(database, latestOfEach(rows));
    for (const { clientId, authenticated, error, at } of rows)
      if (clientId !== null && !authenticated && error !== '') foreign(clientId, at);
  });
  const observed = behind.gather<{ clientId: string; signal: Signal; at: Date }>(MOST_OBSERVATIONS, (seen) =>
    writeObservations(database, seen),
  );

  return {
    refused({ refused, ...circumstances }) {
      const take = (one: Refused | undefined) => {
        if (one === undefined) return;
        const isAnonymous = one.application === undefined && one.clues.ticket === undefined;
        if (isAnonymous && (circumstances.unattributed === undefined || anonymous >= MAX_ANONYMOUS)) return;
        if (isAnonymous) anonymous += 1;
        note(`${++count}`, { refused: one, ...circumstances });
      };
      if (!(refused instanceof Promise)) return take(refused);
      const opened = refused.then(take, () => {}).finally(() => pending.delete(opened));
      pending.add(opened);
    },
    observed(clientId, signal, at) {
      const key = `${signal} ${clientId}`;
      const last = noted.get(key);
      if (last !== undefined && at.getTime() - last < OBSERVE_AGAIN) return;
      if (noted.size >= MOST_OBSERVATIONS) noted.clear();
      noted.set(key, at.getTime());
      observed(key, { clientId, signal, at });
    },
    async flush() {
      await Promise.all(pending);
      await behind.flush();
    },
    async close() {
      await Promise.all(pending);
      await behind.close();
    },
  };
}

/** The latest refusals of each client or API, as many as are kept. */
function latestOfEach(rows: readonly NewRefusal[]): NewRefusal[] {
  const bySubject = Map.groupBy(rows, ({ clientId, apiId }) => clientId ?? apiId);
  return [...bySubject.values()].flatMap((ofOne) => ofOne.slice(-QUOTA));
}

/** Looks up what the refusals leave open, and returns the rows to write. */
async function lookInto(database: Database, refusals: readonly Waiting[]): Promise<NewRefusal[]> {
  const hashes = refusals.flatMap(({ refused }) => refused.clues.secretHash ?? []);
  const grants = await grantsOf(database, refusals);
  const grantOf = ({ clues }: Refused) => clues.ticket && grants.get(clues.ticket.grantId);
  const secrets = hashes.length > 0 ? await findDiagnosedSecrets(database, hashes) : [];
  const clientOf = (refused: Refused): string | undefined =>
    refused.application?.clientId ?? grantOf(refused)?.clientId ?? refused.clues.ticket?.clientId;
  const found = await findDiagnosedClients(
    database,
    distinct(refusals.map(({ refused }) => clientOf(refused))),
  );
  const clients = new Map(found.map((one) => [one.clientId, one]));
  const keys = distinct(refusals.map(({ refused }) => apiKeyOf(refused.reason, refused.clues)));
  const apis = new Map(
    (keys.length > 0 ? await findDiagnosedApis(database, keys) : []).map((one) => [one.identifierKey, one]),
  );

  return refusals.flatMap(({ refused, unattributed, endpoint, error, address, incident, at }) => {
    const client = clients.get(clientOf(refused) ?? '');
    if (client === undefined)
      return unattributed === undefined
        ? []
        : {
            ...{ clientId: null, apiId: null, authenticated: false, held: false },
            ...{ kind: refused.reason.kind, facts: unattributed, endpoint, error, address, incident, at },
          };
    const { secretHash } = refused.clues;
    const sameHash = secrets.filter(({ hash }) => secretHash?.equals(hash));
    const secret = sameHash.find(({ clientId }) => clientId === client.clientId) ?? sameHash[0];
    const { reason, authenticated, held } = diagnose(
      refused,
      { endpoint, client, secret, grant: grantOf(refused) },
      at,
    );
    const { kind, ...facts } = reason;
    const ofApi = client.type === 'api';
    const clientId = ofApi ? null : client.clientId;
    const apiId = ofApi ? client.clientId : (apis.get(apiKeyOf(reason, refused.clues) ?? '')?.apiId ?? null);
    return { clientId, apiId, authenticated, held, endpoint, error, kind, facts, address, incident, at };
  });
}

/** Hot statements of a batch that are sent at once, so that requests get their turn. */
const AT_ONCE = 50;

async function grantsOf(
  database: Database,
  refusals: readonly Waiting[],
): Promise<Map<string, DiagnosedGrant>> {
  const tickets = refusals.flatMap(({ refused }) => refused.clues.ticket ?? []);
  const waiting = [...new Map(tickets.map((ticket) => [ticket.grantId, ticket])).values()];
  const found = new Map<string, DiagnosedGrant>();
  while (waiting.length > 0)
    for (const grant of await Promise.all(
      waiting.splice(0, AT_ONCE).map((ticket) => findDiagnosedGrant(database, ticket)),
    ))
      if (grant !== undefined) found.set(grant.grantId, grant);
  return found;
}

const distinct = (values: (string | undefined)[]): string[] => [
  ...new Set(values.filter((value) => value !== undefined)),
];
