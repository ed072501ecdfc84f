// Diagnostics of applications and APIs: refused requests and what was seen working, gathered in the process, looked into and
// written in batches. A request that succeeds touches a map at most; a process that is killed loses one batch.
import { hash as hashOf } from 'node:crypto';
import type { Logger } from 'pino';
import { apiKeyOf, diagnose, type Refused } from '../oauth/diagnosis.ts';
import type { Database } from '../store/database.ts';
import { isUnavailable } from '../store/database.ts';
import {
  findDiagnosedApis,
  findDiagnosedClients,
  findDiagnosedGrants,
  findDiagnosedSecrets,
} from '../store/diagnosed.ts';
import { writeObservations } from '../store/observations.ts';
import { INCIDENTS, QUOTA, type RefusalRow, writeRefusals } from '../store/refusals.ts';
import { type KeyWitness, newKeyWitness } from './key-witness.ts';
import { type WriteBehind, writeBehind } from './write-behind.ts';

/** Milliseconds from the first thing that is noted until all that was noted meanwhile is written. */
const PERIOD = 2_000;
/** Milliseconds for which a code that never became a grant counts as the application's own. */
const PROMISED = 20 * 60 * 1000;
/** Refusals that wait in the process at a time, over all applications. */
const MOST = 2_000;
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
  | 'keys'
  | 'renewal'
  | 'revocation'
  | 'userinfo'
  | 'secret_in_form'
  | 'secret_as_basic';

/** A refused request, as the log and the person who sent it know it. */
interface RefusedRequest {
  /** Undefined, now or later, for one that has to do with no application. */
  refused: Refused | Promise<Refused | undefined>;
  endpoint: string;
  error: string;
  address: string;
  incident: string;
  at: Date;
}

/** What cannot be written while the database is away is kept for the next time. */
export interface Diagnostics extends Pick<WriteBehind, 'flush' | 'close'> {
  /** Takes note of a refused request; one that names no application in any way is not kept. */
  refused(request: RefusedRequest): void;
  /** Takes note of what an application did. */
  observed(clientId: string, signal: Signal, at: Date): void;
  keyWitness: KeyWitness;
}

/** What adds up where equal refusals are folded into one. */
type Folded = Pick<RefusalRow, 'address' | 'incidents' | 'firstAt' | 'lastAt' | 'count'>;

type Waiting = Folded & Pick<RefusedRequest, 'endpoint' | 'error'> & { refused: Refused };

/**
 * Starts gathering; nothing runs until there is something to write.
 * @param foreign told of what was refused to whoever did not prove to be the application
 */
export function gatherDiagnostics(
  database: Database,
  logger: Logger,
  foreign: (clientId: string, at: Date, times: number) => void = () => {},
): Diagnostics {
  let waiting = new Map<string, Waiting>();
  /** The keys of those that are one application's: its own as it seems, and of whoever names it. */
  let perClient = new Map<string, Set<string>>();
  /** When each was last noted, so that it is not noted again at once. */
  const noted = new Map<string, number>();
  /** Refusals whose tokens are still being opened. */
  const pending = new Set<Promise<void>>();
  const behind = writeBehind(
    PERIOD,
    (error) => {
      logger.warn({ err: error }, 'writing diagnostics failed');
      return isUnavailable(error); // anything else would fail again
    },
    async () => {
      await Promise.all(pending);
      const refusals = [...waiting.values()];
      waiting = new Map();
      perClient = new Map();
      for (const refusal of await written(refusals)) keep(refusal);
      return waiting.size > 0;
    },
  );
  const observed = behind.gather<{ clientId: string; signal: Signal; at: Date }>(MOST_OBSERVATIONS, (seen) =>
    writeObservations(database, seen),
  );

  /**
   * Writes refusals. What strangers sent is among them: one that cannot be written takes no other with it.
   * @returns those that are kept for the next time
   */
  async function written(refusals: readonly Waiting[]): Promise<readonly Waiting[]> {
    if (refusals.length === 0) return [];
    try {
      const rows = await lookInto(database, refusals);
      await writeRefusals(database, rows);
      for (const { clientId, authenticated, error, lastAt, count } of rows)
        if (clientId !== null && !authenticated && error !== '') foreign(clientId, lastAt, count);
      return [];
    } catch (error) {
      if (refusals.length === 1 || isUnavailable(error))
        logger.warn({ err: error }, 'writing diagnostics failed');
      if (isUnavailable(error)) return refusals;
      if (refusals.length === 1) return []; // it would fail again
      const half = refusals.length >> 1;
      return [...(await written(refusals.slice(0, half))), ...(await written(refusals.slice(half)))];
    }
  }

  function keep(refusal: Waiting): void {
    const { application, clues } = refusal.refused;
    const own = application?.authenticated === true;
    const held = clues.ticket !== undefined;
    const key = own ? (refusal.incidents[0] ?? '') : keyOf(refusal);
    const equal = waiting.get(key);
    if (equal !== undefined) {
      merge(equal, refusal);
      return;
    }
    const share = `${own} ${held} ${application?.clientId}`;
    const keys = perClient.get(share) ?? new Set();
    // More than the quota would be trimmed anyway.
    const [oldest] = keys.size >= QUOTA ? keys : [];
    if (oldest !== undefined) {
      keys.delete(oldest);
      waiting.delete(oldest);
    }
    // Those who only name an application leave room for those who are it.
    if (waiting.size >= (own ? MOST : held ? MOST * 0.75 : MOST / 2)) return;
    perClient.set(share, keys.add(key));
    waiting.set(key, refusal);
  }

  return {
    refused({ refused, endpoint, error, address, incident, at }) {
      const take = (one: Refused | undefined) => {
        if (one === undefined || (one.application === undefined && one.clues.ticket === undefined)) return;
        keep({
          refused: one,
          endpoint,
          error,
          address,
          incidents: [incident],
          firstAt: at,
          lastAt: at,
          count: 1,
        });
        behind.noted();
      };
      if (!(refused instanceof Promise)) return take(refused);
      const opened = refused.then(take, () => {}).finally(() => pending.delete(opened));
      pending.add(opened);
    },
    keyWitness: newKeyWitness(),
    observed(clientId, signal, at) {
      const key = `${signal} ${clientId}`;
      const last = noted.get(key);
      if (last !== undefined && at.getTime() - last < OBSERVE_AGAIN) return;
      if (noted.size >= MOST_OBSERVATIONS) noted.clear();
      noted.set(key, at.getTime());
      observed(key, { clientId, signal, at });
    },
    flush: behind.flush,
    close: behind.close,
  };
}

/** What makes two refusals of whoever only names an application the same thing happening again. */
const keyOf = ({ refused: { application, reason, clues }, endpoint, error }: Waiting): string => {
  const { secretHash, ticket, resource } = clues;
  return JSON.stringify([
    application?.clientId,
    ...[endpoint, error, reason, secretHash?.toString('base64')],
    ...[ticket?.grantId, ticket?.generation, resource],
  ]);
};

/** Folds one of two equal refusals into the other; what was put back after a failed write comes after newer ones. */
function merge(into: Folded, from: Folded): void {
  const [earlier, later] = into.lastAt <= from.lastAt ? [into, from] : [from, into];
  Object.assign(into, {
    count: into.count + from.count,
    address: later.address,
    incidents: [...later.incidents, ...earlier.incidents].slice(0, INCIDENTS),
    firstAt: earlier.firstAt,
    lastAt: later.lastAt,
  });
}

/** Looks up what the refusals leave open, and gives the rows to write; equal ones of strangers are one row. */
async function lookInto(
  database: Database,
  refusals: readonly Waiting[],
): Promise<(RefusalRow & { fingerprint: Buffer })[]> {
  const tickets = refusals.flatMap(({ refused: { clues }, lastAt }) => {
    if (clues.ticket?.promise === undefined) return clues.ticket ?? [];
    const age = lastAt.getTime() - clues.ticket.promise.issuedAt;
    return [age < PROMISED ? clues.ticket : { ...clues.ticket, promise: undefined }];
  });
  const hashes = refusals.flatMap(({ refused }) => refused.clues.secretHash ?? []);
  const grants = new Map(
    (tickets.length > 0 ? await findDiagnosedGrants(database, tickets) : []).map((one) => [one.grantId, one]),
  );
  const grantOf = ({ clues }: Refused) => clues.ticket && grants.get(clues.ticket.grantId);
  const secrets = hashes.length > 0 ? await findDiagnosedSecrets(database, hashes) : [];
  const clientOf = (refused: Refused): string | undefined =>
    refused.application?.clientId ?? grantOf(refused)?.clientId;
  const found = await findDiagnosedClients(
    database,
    distinct(refusals.map(({ refused }) => clientOf(refused))),
  );
  const clients = new Map(found.map((one) => [one.clientId, one]));
  const keys = distinct(refusals.map(({ refused }) => apiKeyOf(refused.reason, refused.clues)));
  const apis = new Map(
    (keys.length > 0 ? await findDiagnosedApis(database, keys) : []).map((one) => [one.identifierKey, one]),
  );

  const rows = new Map<string, RefusalRow & { fingerprint: Buffer }>();
  for (const { refused, endpoint, error, ...folded } of refusals) {
    const client = clients.get(clientOf(refused) ?? '');
    if (client === undefined) continue;
    const { secretHash } = refused.clues;
    const sameHash = secrets.filter(({ hash }) => secretHash?.equals(hash));
    const secret = sameHash.find(({ clientId }) => clientId === client.clientId) ?? sameHash[0];
    const evidence = { endpoint, client, secret, grant: grantOf(refused) };
    const { reason, authenticated, held } = diagnose(refused, evidence, folded.lastAt);
    const { kind, ...facts } = reason;
    const ofApi = client.type === 'api';
    const apiId = ofApi ? client.clientId : (apis.get(apiKeyOf(reason, refused.clues) ?? '')?.apiId ?? null);
    const equals = [endpoint, error, kind, facts, held, ...(apiId === null ? [] : [apiId])];
    const fingerprint = hashOf('sha256', JSON.stringify(equals), 'buffer');
    const row = {
      clientId: ofApi ? null : client.clientId,
      apiId,
      authenticated,
      held,
      fingerprint,
      endpoint,
      error,
      kind,
      facts,
      ...folded,
    };
    const key = authenticated
      ? (folded.incidents[0] ?? '')
      : `${client.clientId} ${fingerprint.toString('hex')}`;
    const equal = rows.get(key);
    if (equal === undefined) rows.set(key, row);
    else merge(equal, row);
  }
  return [...rows.values()];
}

const distinct = (values: (string | undefined)[]): string[] => [
  ...new Set(values.filter((value) => value !== undefined)),
];
