// Several processes behind one port: the primary starts them, replaces those that end, and stops them all.
import cluster, { type Worker } from 'node:cluster';
import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import { countForWorkers } from '../http/worker-counts.ts';
import { watchConnections } from './worker-connections.ts';

/** A worker that has listened for so long did not end because of how it starts. Milliseconds, as everything here. */
const STEADY = 10_000;
/** Before a worker that ended at once is replaced; doubled each time, up to the longest. */
const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 10_000;
/** Workers end by themselves within eight seconds of being asked to; whoever stops us waits ten. */
const GRACE = 9_000;

interface Ending {
  code: number | null;
  signal: string | null;
}

/** The system refused a process. */
const NEVER_RAN: Ending = { code: 1, signal: null };

interface Forked {
  /** Absent where nothing was made that could be one. */
  worker?: Worker | undefined;
  ended: Promise<Ending>;
}

/** A worker could not start; it has said why, and `exitCode` is what it ended with. */
export class WorkerFault extends Error {
  readonly exitCode: number;
  constructor({ code, signal }: Ending) {
    super(`a worker ended before it listened (${signal ?? `exit code ${code}`})`);
    this.exitCode = code || 1;
  }
}

export interface Workers {
  /** Resolves when all of them listen. @throws WorkerFault when one ends instead */
  start(): Promise<void>;
  /** Lets all of them answer what they have accepted, and resolves when they have ended. */
  stop(): Promise<void>;
}

/**
 * @param size how many processes serve
 * @param environment settings on top of this process's own
 */
export function createWorkers(size: number, environment: Record<string, string>, logger: Logger): Workers {
  const alive = new Map<Worker, Promise<Ending>>();
  const watch = watchConnections();
  const count = countForWorkers();
  const listeningSince = new WeakMap<Worker, number>();
  const stopped = new AbortController();

  const fork = (): Forked => {
    let worker: Worker;
    try {
      worker = cluster.fork(environment);
    } catch (error) {
      logger.error({ err: error }, 'a worker cannot be started');
      return { ended: Promise.resolve(NEVER_RAN) };
    }
    watch(worker);
    count(worker);
    worker.once('listening', () => listeningSince.set(worker, performance.now()));
    const ended = endOf(worker, logger).finally(() => alive.delete(worker));
    alive.set(worker, ended);
    return { worker, ended };
  };

  const startOne = async (): Promise<void> => {
    if (stopped.signal.aborted) return;
    const { worker, ended } = fork();
    const listens = new Promise<undefined>((resolve) => worker?.once('listening', () => resolve(undefined)));
    const ending = await Promise.race([listens, ended]);
    if (ending === undefined) {
      void keepUp({ worker, ended });
      return;
    }
    if (stopped.signal.aborted) return;
    // Ctrl-C reaches every process of the terminal, and this one may hear of it last.
    if (/^SIG(TERM|INT|HUP)$/.test(ending.signal ?? '')) return startOne();
    throw new WorkerFault(ending);
  };

  /**
   * Replaces a worker whenever it ends, after a pause that grows while its successors end at once, too, or cannot even
   * be started (no process, file descriptor or memory left).
   */
  const keepUp = async (first: Forked): Promise<void> => {
    let current = first;
    for (let failures = 0; ; ) {
      const ending = await current.ended;
      if (stopped.signal.aborted) return;
      const now = performance.now();
      const since = (current.worker && listeningSince.get(current.worker)) ?? now;
      failures = now - since < STEADY ? failures + 1 : 0;
      const pause = failures === 0 ? 0 : Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (failures - 1));
      logger.error(
        { worker: current.worker?.process.pid, ...ending, pause },
        'a worker ended and is replaced',
      );
      await wait(pause, undefined, { signal: stopped.signal }).catch(() => {});
      if (stopped.signal.aborted) return;
      current = fork();
    }
  };

  return {
    start: async () => {
      await startOne(); // alone at first: what is wrong with all of them is said once
      await Promise.all(Array.from({ length: size - 1 }, startOne));
    },
    stop: async () => {
      stopped.abort();
      for (const worker of alive.keys()) worker.process.kill('SIGTERM');
      const all = Promise.all(alive.values());
      const outOfTime = wait(GRACE, 'late', { ref: false });
      if ((await Promise.race([all, outOfTime])) !== 'late') return;
      logger.warn('workers that took too long were ended by force');
      for (const worker of alive.keys()) worker.process.kill('SIGKILL');
      await all;
    },
  };
}

function endOf(worker: Worker, logger: Logger): Promise<Ending> {
  return new Promise((resolve) => {
    worker.once('exit', (code: number | null, signal: string | null) => resolve({ code, signal }));
    worker.on('error', (error) => {
      logger.error({ err: error }, 'a worker cannot be reached');
      // Nothing ever ran that could end.
      if (worker.process.pid === undefined) resolve(NEVER_RAN);
    });
  });
}
