// Device codes (RFC 8628 §3.2): the MAC of the user code, which finds the request, and 32 random bytes.
import { randomBytes } from 'node:crypto';
import { deviceCodeDigest } from './digests.ts';
import { hashUuid } from './uuid.ts';

const PREFIX = 'sesame_dc_';

/** @param userCodeMac 32 bytes */
export const newDeviceCode = (userCodeMac: Buffer): string =>
  `${PREFIX}${Buffer.concat([userCodeMac, randomBytes(32)]).toString('base64url')}`;

/** How a device code, or any other text, is looked up: the MAC says where to look, the digest of the whole decides. */
export const deviceCodeKey = (code: string): { userCodeMac: Buffer; deviceCodeHash: Buffer } => ({
  userCodeMac: Buffer.from(code.slice(PREFIX.length), 'base64url').subarray(0, 32),
  deviceCodeHash: deviceCodeDigest(code),
});

/** The id of the grant that a device code becomes, so that the key of the grant lets one redemption win. */
export const grantIdOf = ({ deviceCodeHash }: { deviceCodeHash: Buffer }): string =>
  hashUuid(deviceCodeHash.subarray(1)); // after the number of its kind
