// Device codes (RFC 8628 §3.2): a MAC of the user code, and 32 random bytes.
import { randomBytes } from 'node:crypto';
import { deviceCodeDigest } from './digests.ts';
import { uuidFromHash } from './uuid.ts';

const DEVICE_CODE_PREFIX = 'sesame_dc_';

export const newDeviceCode = (userCodeMac: Buffer): string =>
  `${DEVICE_CODE_PREFIX}${Buffer.concat([userCodeMac, randomBytes(32)]).toString('base64url')}`;

/** Never throws. For a malformed code, returns values that match no stored request. */
export const parseDeviceCode = (code: string): { userCodeMac: Buffer; deviceCodeHash: Buffer } => ({
  userCodeMac: Buffer.from(code.slice(DEVICE_CODE_PREFIX.length), 'base64url').subarray(0, 32),
  deviceCodeHash: deviceCodeDigest(code),
});

/** Each device code has one grant ID, so the primary key of `grants` prevents a second grant. */
export const deriveGrantId = ({ deviceCodeHash }: { deviceCodeHash: Buffer }): string =>
  // The first byte is the kind of digest.
  uuidFromHash(deviceCodeHash.subarray(1));
