// Runs the worker thread that verifies imported hashes.
import { Worker } from 'node:worker_threads';
import { temporarilyUnavailable } from '../oauth/errors.ts';
import type { VerificationRequest, VerificationResult } from './foreign-hash-worker.ts';

/** How long the thread may be idle before it ends, in milliseconds. */
const IDLE_TIMEOUT = 60_000;

interface PendingRequest {
  resolve: (result: VerificationResult) => void;
  reject: (reason: unknown) => void;
}

let worker: Worker | undefined;
let idleTimer: NodeJS.Timeout | undefined;
let lastId = 0;
const pending = new Map<number, PendingRequest>();

/**
 * Verifies a password in the worker thread.
 * @throws OAuthError `temporarily_unavailable` if the thread fails
 */
export function verifyInThread(stored: string | undefined, password: string): Promise<VerificationResult> {
  clearTimeout(idleTimer);
  worker ??= startWorker();
  worker.ref();
  const id = ++lastId;
  worker.postMessage({ id, stored, password } satisfies VerificationRequest);
  return new Promise((resolve, reject) => pending.set(id, { resolve, reject }));
}

function startWorker(): Worker {
  const started = new Worker(new URL('./foreign-hash-worker.ts', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16 },
  });
  started.on('message', (result: VerificationResult) => {
    pending.get(result.id)?.resolve(result);
    pending.delete(result.id);
    if (pending.size > 0) return;
    started.unref(); // an idle thread must not keep the process alive
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
  started.on('exit', () => rejectPending(new Error('the thread that verifies imported hashes exited')));
  return started;
}
