// The authenticator app: its secret, how it gets into the app, and which code is good now (RFC 6238; D39).
import { Secret, TOTP } from 'otpauth';
import { encode } from 'uqr';
import type { Sealer } from '../oauth/seal.ts';
import { readDigits } from '../oauth/typed-code.ts';

/** Bits are 160, as RFC 4226 §4 recommends; a step is 30 seconds. */
const SECRET_BYTES = 20;
const PERIOD = 30;
export const APP_CODE_LENGTH = 6;
const PURPOSE = 'authenticator-app';

/** A new secret in base32, as people type it. */
export const newSecret = (): string => new Secret({ size: SECRET_BYTES }).base32;

/** The secret as it is kept: for this account and no other. */
export const sealSecret = (sealer: Sealer, userId: string, secret: string): string =>
  sealer.sealJson(PURPOSE, [userId, secret]);

/** Gives it back; undefined where it is another account's, or was sealed under a key that is gone. */
export function openSecret(sealer: Sealer, userId: string, sealed: string): string | undefined {
  const [owner, secret] = sealer.openJson<[string, string]>(PURPOSE, sealed) ?? [];
  return owner === userId ? secret : undefined;
}

const appOf = (secret: string, labels: { issuer?: string; label?: string } = {}): TOTP =>
  new TOTP({
    ...labels,
    secret: Secret.fromBase32(secret),
    algorithm: 'SHA1',
    digits: APP_CODE_LENGTH,
    period: PERIOD,
  });

/** What an app reads: an address, and the dark squares of a QR code of it, row by row. */
export function setUp(
  secret: string,
  service: string,
  email: string,
): { address: string; squares: readonly (readonly boolean[])[] } {
  // The colon between issuer and account is the only one that apps accept, encoded or not.
  const issuer = service.replace(/\s*:\s*/g, ' ').trim();
  const address = appOf(secret, { issuer, label: email }).toString();
  return { address, squares: encode(address, { border: 2 }).data };
}

/** In groups of four, as people copy it by hand. */
export const inGroups = (secret: string): string => secret.replace(/(.{4})(?=.)/g, '$1 ');

/**
 * The step whose code this is: now, or one before or after, for clocks that differ.
 * @param code what was typed
 * @returns undefined where it is none of theirs
 */
export function stepOf(secret: string, code: string, now: Date): number | undefined {
  const token = readDigits(code, APP_CODE_LENGTH);
  if (token === undefined) return undefined;
  const timestamp = now.getTime();
  const delta = appOf(secret).validate({ token, timestamp, window: 1 });
  return delta === null ? undefined : Math.floor(timestamp / 1000 / PERIOD) + delta;
}
