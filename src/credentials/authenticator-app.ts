// TOTP authenticator apps (RFC 6238): secrets, QR codes for setup, and code verification.
import { Secret, TOTP } from 'otpauth';
import { encode } from 'uqr';
import { parseDigits } from '../oauth/entered-code.ts';
import type { Sealer } from '../oauth/seal.ts';

/** Length of a TOTP secret in bytes. RFC 4226 §4 recommends 160 bits. */
const SECRET_BYTES = 20;
/** Duration of a TOTP time step, in seconds. */
const TIME_STEP = 30;
export const APP_CODE_LENGTH = 6;
const SEAL_PURPOSE = 'authenticator-app';

export const generateSecret = (): string => new Secret({ size: SECRET_BYTES }).base32;

/** Seals a secret for storage and binds it to the account. */
export const sealSecret = (sealer: Sealer, userId: string, secret: string): string =>
  sealer.sealJson(SEAL_PURPOSE, [userId, secret]);

/** Opens a sealed secret. Returns undefined if it was sealed for a different account or with a different key. */
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
  /** The QR code's modules, row by row. `true` means a dark module. */
  qrModules: readonly (readonly boolean[])[];
}

/** Builds the provisioning URI for an authenticator app and the QR code that contains it. */
export function buildKeyUri(secret: string, service: string, email: string): Provisioning {
  // The label may contain only one colon, encoded or not, because the colon separates the issuer from the account.
  const issuer = service.replace(/\s*:\s*/g, ' ').trim();
  const keyUri = createTotp(secret, { issuer, label: email }).toString();
  return { keyUri, qrModules: encode(keyUri, { border: 2 }).data };
}

/** Formats a secret in groups of four characters. */
export const formatSecret = (secret: string): string => secret.replace(/(.{4})(?=.)/g, '$1 ');

/**
 * Returns the time step of an entered code, or undefined if the code is wrong. Also accepts codes for the previous and
 * next time steps, to tolerate clock drift.
 */
export function findTimeStep(secret: string, code: string, now: Date): number | undefined {
  const token = parseDigits(code, APP_CODE_LENGTH);
  if (token === undefined) return undefined;
  const timestamp = now.getTime();
  const delta = createTotp(secret).validate({ token, timestamp, window: 1 });
  return delta === null ? undefined : Math.floor(timestamp / 1000 / TIME_STEP) + delta;
}
