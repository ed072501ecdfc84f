// Worker thread that verifies passwords against imported hashes.
import { parentPort } from 'node:worker_threads';
import { verifyImportedHash } from './imported-hash-verification.ts';

export interface VerificationRequest {
  id: number;
  /** Undefined if the account has no imported hash. The result is then false. */
  stored: string | undefined;
  password: string;
}

export interface VerificationResult {
  id: number;
  matches: boolean;
  /** Time that the verification took in the thread. */
  milliseconds: number;
}

parentPort?.on('message', ({ id, stored, password }: VerificationRequest) => {
  const startedAt = performance.now();
  const matches = stored !== undefined && verifyStored(stored, password);
  parentPort?.postMessage({
    id,
    matches,
    milliseconds: performance.now() - startedAt,
  } satisfies VerificationResult);
});

/** A hash that can't be verified matches no password. */
function verifyStored(stored: string, password: string): boolean {
  try {
    return verifyImportedHash(stored, password);
  } catch {
    return false;
  }
}
