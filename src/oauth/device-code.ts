// Device codes (RFC 8628 §3.2): the MAC of the user code as the lookup key, and 32 random bytes.
import { randomBytes } from 'node:crypto';
import { deviceCodeDigest } from './digests.ts';
import { uuidFromHash } from './uuid.ts';

const DEVICE_CODE_PREFIX = 'sesame_dc_';

/** @param userCodeMac 32 bytes */
export const newDeviceCode = (userCodeMac: Buffer): string =>
  `${DEVICE_CODE_PREFIX}${Buffer.concat([userCodeMac, randomBytes(32)]).toString('base64url')}`;

/** Returns a device code's lookup key and hash. Those of a malformed code match no request. */
export const parseDeviceCode = (code: string): { userCodeMac: Buffer; deviceCodeHash: Buffer } => ({
  userCodeMac: Buffer.from(code.slice(DEVICE_CODE_PREFIX.length), 'base64url').subarray(0, 32),
  deviceCodeHash: deviceCodeDigest(code),
});

/**
 * Derives the grant's id from the device code so that redeeming the code twice violates the primary key of `grants`.
 */
export const deriveGrantId = ({ deviceCodeHash }: { deviceCodeHash: Buffer }): string =>
  // The first byte is omitted because it is the kind of digest, not part of the hash.
  uuidFromHash(deviceCodeHash.subarray(1));
