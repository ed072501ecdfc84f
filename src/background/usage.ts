// Records session use, secret use and claim disclosures.
import type { Logger } from 'pino';
import type { Database } from '../store/database.ts';
import type { SessionKey } from '../store/sessions.ts';
import {
  type Disclosure,
  recordDisclosures,
  recordSecretUses,
  recordSessionUses,
  type SecretUse,
  type SessionUse,
} from '../store/usage-records.ts';
import { createWriteBehind, type WriteBehind } from './write-behind.ts';

const MAX_BUFFERED_ENTRIES = 5_000;

/** Failed writes are retried with the next batch. */
export interface UsageRecorder extends Pick<WriteBehind, 'flush' | 'close'> {
  recordSessionUse(session: SessionKey, ip: string, at: Date): void;
  /** @param secretHash null if no secret was used */
  recordSecretUse(clientId: string, secretHash: Buffer | null, at: Date): void;
  /** @param fields claim names, separated by spaces */
  recordDisclosure(userId: string, clientId: string, fields: string, at: Date): void;
}

/** @param period milliseconds from the first entry to the write */
export function createUsageRecorder(database: Database, logger: Logger, period = 20_000): UsageRecorder {
  const buffers = createWriteBehind(period, (error) => {
    logger.warn({ err: error }, 'writing usage records failed, will retry');
    return true;
  });
  const addSessionUse = buffers.addBuffer<SessionUse>(MAX_BUFFERED_ENTRIES, (uses) =>
    recordSessionUses(database, uses),
  );
  const addSecretUse = buffers.addBuffer<SecretUse>(MAX_BUFFERED_ENTRIES, (uses) =>
    recordSecretUses(database, uses),
  );
  const addDisclosure = buffers.addBuffer<Disclosure>(
    MAX_BUFFERED_ENTRIES,
    (batch) => recordDisclosures(database, batch),
    (earlier, { last, times }) => Object.assign(earlier, { last, times: earlier.times + times }),
  );

  return {
    recordSessionUse: ({ userId, idHash }, ip, at) =>
      addSessionUse(idHash.toString('latin1'), { userId, idHash, at, ip }),
    recordSecretUse: (clientId, secretHash, at) => {
      if (secretHash === null) return;
      addSecretUse(clientId + secretHash.toString('latin1'), { clientId, secretHash, at });
    },
    recordDisclosure: (userId, clientId, fields, at) =>
      addDisclosure(`${userId} ${clientId} ${fields}`, {
        userId,
        clientId,
        fields,
        first: at,
        last: at,
        times: 1,
      }),
    flush: buffers.flush,
    close: buffers.close,
  };
}
