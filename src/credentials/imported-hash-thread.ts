// Verifies passwords against imported hashes in a worker thread.
import type { VerificationRequest, VerificationResult } from './imported-hash-worker.ts';
import { createWorkerThread } from './worker-thread.ts';

const verify = createWorkerThread<VerificationRequest, VerificationResult>(
  new URL('./imported-hash-worker.ts', import.meta.url),
  64,
);

export const verifyInThread = (stored: string | undefined, password: string): Promise<VerificationResult> =>
  verify({ stored, password });
