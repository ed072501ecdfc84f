// Device codes (RFC 8628 §3.2): a MAC of the user code, and 32 random bytes.
import { randomBytes } from 'node:crypto';
import { deviceCodeDigest } from './digests.ts';
import { uuidFromHash } from './uuid.ts';

const DEVICE_CODE_PREFIX = 'sesame_dc_';

export const newDeviceCode = (userCodeMac: Buffer): string =>
  `${DEVICE_CODE_PREFIX}${Buffer.concat([userCodeMac, randomBytes(32)]).toString('base64url')}`;

/** The result for a malformed code matches no request. */
export const parseDeviceCode = (code: string): { userCodeMac: Buffer; deviceCodeHash: Buffer } => ({
  userCodeMac: Buffer.from(code.slice(DEVICE_CODE_PREFIX.length), 'base64url').subarray(0, 32),
  deviceCodeHash: deviceCodeDigest(code),
});

/** A code has only one grant ID. The primary key of `grants` prevents a second grant. */
export const deriveGrantId = ({ deviceCodeHash }: { deviceCodeHash: Buffer }): string =>
  // The first byte is the kind of digest.
  uuidFromHash(deviceCodeHash.subarray(1));
