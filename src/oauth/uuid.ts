// Formats bytes and hashes as UUIDs.

export const formatUuid = (bytes: Buffer): string =>
  bytes.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');

/** UUIDv8 of the first 16 bytes (RFC 9562 §5.8). */
export function uuidFromHash(hash: Buffer): string {
  const bytes = Buffer.from(hash.subarray(0, 16));
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return formatUuid(bytes);
}
