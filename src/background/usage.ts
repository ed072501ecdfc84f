// What is used, by whom, and what applications receive: gathered in the process and written in batches, so that a
// request only touches a map. A process that is killed loses one batch at most.
import type { Logger } from 'pino';
import { isClientSecretHash } from '../oauth/digests.ts';
import type { Database } from '../store/database.ts';
import {
  type ConsentUse,
  type Disclosure,
  type SecretUse,
  type SessionUse,
  writeConsentUses,
  writeDisclosures,
  writeSecretUses,
  writeSessionUses,
} from '../store/usage.ts';

/** Entries of each kind that a process keeps; when there are more, they are written before their time. */
const MOST = 5_000;

export interface Usage {
  /** A browser came with the session of this hash. */
  sessionSeen(idHash: Buffer, address: string, at: Date): void;
  /** An application authenticated by this; a public one by nothing. Only secrets are noted: an assertion is none. */
  secretUsed(clientId: string, proof: Buffer | null, at: Date): void;
  /** An application made use of what a person agreed to, and received nothing about them. */
  consentUsed(userId: string, clientId: string, at: Date): void;
  /** An application received these claims about a person; their names separated by spaces. */
  disclosed(userId: string, clientId: string, fields: string, at: Date): void;
  /** Writes what has been gathered. What cannot be written is kept for the next time. */
  flush(): Promise<void>;
  /** Writes what is left, and nothing after it. */
  close(): Promise<void>;
}

/** One kind of entries: at most one for each key, the latest; or all of a key added up. */
interface Gathering<Entry> {
  note(key: string, entry: Entry): void;
  write(): Promise<void>;
}

/**
 * Starts gathering; nothing runs until there is something to write.
 * @param period milliseconds from the first thing that is noted until all that was noted meanwhile is written
 */
export function gatherUsage(database: Database, logger: Logger, period = 20_000): Usage {
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();
  let closed = false;

  const flush = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    // One after the other: what failed is put back before the next begins.
    writing = writing.then(async () => {
      for (const kind of [sessions, secrets, consents, disclosures])
        await kind.write().catch((error) => {
          logger.warn({ err: error }, 'noting what was used failed; it will be tried again');
          schedule(period);
        });
    });
    return writing;
  };
  function schedule(delay: number): void {
    if (closed) return;
    if (delay === 0) clearTimeout(timer);
    else if (timer !== undefined) return;
    timer = setTimeout(flush, delay).unref();
  }

  function gathering<Entry>(
    write: (database: Database, entries: Entry[]) => Promise<void>,
    merge: (earlier: Entry, later: Entry) => Entry,
  ): Gathering<Entry> {
    let entries = new Map<string, Entry>();
    const note = (key: string, entry: Entry) => {
      const earlier = entries.get(key);
      if (earlier === undefined && entries.size >= MOST) return; // the database has been away for long
      entries.set(key, earlier === undefined ? entry : merge(earlier, entry));
      if (earlier === undefined) schedule(entries.size === MOST / 2 ? 0 : period);
    };
    return {
      note,
      write: async () => {
        if (entries.size === 0) return;
        const batch = entries;
        entries = new Map();
        try {
          await write(database, [...batch.values()]);
        } catch (error) {
          const newer = entries;
          entries = batch;
          for (const [key, entry] of newer) note(key, entry);
          throw error;
        }
      },
    };
  }

  const latest = <Entry>(_earlier: Entry, later: Entry): Entry => later;
  const sessions = gathering<SessionUse>(writeSessionUses, latest);
  const secrets = gathering<SecretUse>(writeSecretUses, latest);
  const consents = gathering<ConsentUse>(writeConsentUses, latest);
  const disclosures = gathering<Disclosure>(writeDisclosures, (earlier, { last, times }) => {
    earlier.last = last;
    earlier.times += times;
    return earlier;
  });

  return {
    sessionSeen: (idHash, address, at) => sessions.note(idHash.toString('latin1'), { idHash, at, address }),
    secretUsed: (clientId, proof, at) => {
      if (proof === null || !isClientSecretHash(proof)) return;
      secrets.note(clientId + proof.toString('latin1'), { clientId, secretHash: proof, at });
    },
    consentUsed: (userId, clientId, at) => consents.note(userId + clientId, { userId, clientId, at }),
    disclosed: (userId, clientId, fields, at) =>
      disclosures.note(`${userId} ${clientId} ${fields}`, {
        userId,
        clientId,
        fields,
        first: at,
        last: at,
        times: 1,
      }),
    flush,
    close: async () => {
      closed = true;
      await flush();
    },
  };
}
