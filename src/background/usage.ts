// What is used, by whom, and what applications receive: gathered in the process and written in batches, so that a
// request only touches a map. A process that is killed loses one batch at most.
import type { Logger } from 'pino';
import type { Database } from '../store/database.ts';
import type { SessionKey } from '../store/sessions.ts';
import {
  type Disclosure,
  type SecretUse,
  type SessionUse,
  writeDisclosures,
  writeSecretUses,
  writeSessionUses,
} from '../store/usage.ts';
import { type WriteBehind, writeBehind } from './write-behind.ts';

/** Entries of each kind that a process keeps; when there are more, they are written before their time. */
const MOST = 5_000;

/** What cannot be written is kept for the next time. */
export interface Usage extends Pick<WriteBehind, 'flush' | 'close'> {
  /** A request came with a session. */
  sessionSeen(session: SessionKey, address: string, at: Date): void;
  /** A client or an API authenticated by this secret; null: by none. */
  secretUsed(clientId: string, secretHash: Buffer | null, at: Date): void;
  /** An application received these claims about a person; their names separated by spaces. */
  disclosed(userId: string, clientId: string, fields: string, at: Date): void;
}

/**
 * Starts gathering; nothing runs until there is something to write.
 * @param period milliseconds from the first thing that is noted until all that was noted meanwhile is written
 */
export function gatherUsage(database: Database, logger: Logger, period = 20_000): Usage {
  const behind = writeBehind(period, (error) => {
    logger.warn({ err: error }, 'noting what was used failed; it will be tried again');
    return true;
  });
  const sessions = behind.gather<SessionUse>(MOST, (uses) => writeSessionUses(database, uses));
  const secrets = behind.gather<SecretUse>(MOST, (uses) => writeSecretUses(database, uses));
  const disclosures = behind.gather<Disclosure>(
    MOST,
    (all) => writeDisclosures(database, all),
    (earlier, { last, times }) => Object.assign(earlier, { last, times: earlier.times + times }),
  );

  return {
    sessionSeen: ({ userId, idHash }, address, at) =>
      sessions(idHash.toString('latin1'), { userId, idHash, at, address }),
    secretUsed: (clientId, secretHash, at) => {
      if (secretHash === null) return;
      secrets(clientId + secretHash.toString('latin1'), { clientId, secretHash, at });
    },
    disclosed: (userId, clientId, fields, at) =>
      disclosures(`${userId} ${clientId} ${fields}`, {
        userId,
        clientId,
        fields,
        first: at,
        last: at,
        times: 1,
      }),
    flush: behind.flush,
    close: behind.close,
  };
}
