// Worker thread that verifies passwords against imported hashes.
import { parentPort } from 'node:worker_threads';
import { verifyImportedHash } from './imported-hash-verification.ts';

export interface VerificationRequest {
  id: number;
  stored: string | undefined;
  password: string;
}

export interface VerificationResult {
  id: number;
  matches: boolean;
  milliseconds: number;
}

parentPort?.on('message', ({ id, stored, password }: VerificationRequest) => {
  const startedAt = performance.now();
  const matches = stored !== undefined && verifyStoredHash(stored, password);
  parentPort?.postMessage({
    id,
    matches,
    milliseconds: performance.now() - startedAt,
  } satisfies VerificationResult);
});

function verifyStoredHash(stored: string, password: string): boolean {
  try {
    return verifyImportedHash(stored, password);
  } catch {
    return false;
  }
}
