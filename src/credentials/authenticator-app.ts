// TOTP authenticator apps (RFC 6238): secrets, QR codes for setup, and code verification.
import { Secret, TOTP } from 'otpauth';
import { encode } from 'uqr';
import { parseDigits } from '../oauth/entered-code.ts';
import type { Sealer } from '../oauth/seal.ts';

/** RFC 4226 §4 recommends 160 bits. */
const SECRET_BYTES = 20;
/** Seconds. */
const TIME_STEP = 30;
export const APP_CODE_LENGTH = 6;
const SEAL_PURPOSE = 'authenticator-app';

export const generateSecret = (): string => new Secret({ size: SECRET_BYTES }).base32;

export const sealSecret = (sealer: Sealer, userId: string, secret: string): string =>
  sealer.sealJson(SEAL_PURPOSE, [userId, secret]);

/** Returns undefined if the secret was sealed for a different account or with a different key. */
export function openSecret(sealer: Sealer, userId: string, sealed: string): string | undefined {
  const [owner, secret] = sealer.openJson<[string, string]>(SEAL_PURPOSE, sealed) ?? [];
  return owner === userId ? secret : undefined;
}

const createTotp = (secret: string, labels: { issuer?: string; label?: string } = {}): TOTP =>
  new TOTP({
    ...labels,
    secret: Secret.fromBase32(secret),
    algorithm: 'SHA1',
    digits: APP_CODE_LENGTH,
    period: TIME_STEP,
  });

export interface Provisioning {
  keyUri: string;
  qrModules: readonly (readonly boolean[])[];
}

export function buildProvisioning(secret: string, service: string, email: string): Provisioning {
  // The label may contain only one colon, which separates the issuer from the account.
  const issuer = service.replace(/\s*:\s*/g, ' ').trim();
  const keyUri = createTotp(secret, { issuer, label: email }).toString();
  return { keyUri, qrModules: encode(keyUri, { border: 2 }).data };
}

export const formatSecret = (secret: string): string => secret.replace(/(.{4})(?=.)/g, '$1 ');

/**
 * Returns the time step of the code, or undefined if the code is wrong. Accepts one time step of clock drift in either
 * direction.
 */
export function findTimeStep(secret: string, code: string, now: Date): number | undefined {
  const token = parseDigits(code, APP_CODE_LENGTH);
  if (token === undefined) return undefined;
  const timestamp = now.getTime();
  const delta = createTotp(secret).validate({ token, timestamp, window: 1 });
  return delta === null ? undefined : Math.floor(timestamp / 1000 / TIME_STEP) + delta;
}
