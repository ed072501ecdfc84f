// A worker thread that starts on demand and ends when it is idle.
import { Worker } from 'node:worker_threads';
import { temporarilyUnavailable } from '../oauth/errors.ts';

/** Milliseconds. */
const IDLE_TIMEOUT = 60_000;

interface PendingRequest<Response> {
  resolve: (response: Response) => void;
  reject: (reason: unknown) => void;
}

/**
 * Creates a function that sends a request to the thread. The thread must answer with the same `id`.
 * @param maxMemory maximum size of the old generation of the thread's heap, in MB
 * @throws OAuthError `temporarily_unavailable` (from the created function) if the thread fails
 */
export function createWorkerThread<Request extends { id: number }, Response extends { id: number }>(
  file: URL,
  maxMemory: number,
): (request: Omit<Request, 'id'>) => Promise<Response> {
  let worker: Worker | undefined;
  let idleTimer: NodeJS.Timeout | undefined;
  let lastId = 0;
  const pending = new Map<number, PendingRequest<Response>>();

  function start(): Worker {
    const started = new Worker(file, {
      resourceLimits: { maxOldGenerationSizeMb: maxMemory, maxYoungGenerationSizeMb: 16 },
    });
    started.on('message', (response: Response) => {
      pending.get(response.id)?.resolve(response);
      pending.delete(response.id);
      if (pending.size > 0) return;
      started.unref();
      idleTimer = setTimeout(() => {
        worker = undefined;
        void started.terminate();
      }, IDLE_TIMEOUT).unref();
    });
    const rejectPending = (reason: unknown) => {
      if (worker !== started) return;
      worker = undefined;
      for (const { reject } of pending.values()) reject(temporarilyUnavailable(reason));
      pending.clear();
    };
    started.on('error', rejectPending);
    started.on('exit', () => rejectPending(new Error(`the worker thread ${file.pathname} exited`)));
    return started;
  }

  return (request) => {
    clearTimeout(idleTimer);
    worker ??= start();
    worker.ref();
    const id = ++lastId;
    worker.postMessage({ ...request, id });
    return new Promise((resolve, reject) => pending.set(id, { resolve, reject }));
  };
}
