// Encrypts and authenticates values that clients send back, such as codes and refresh tokens.
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  timingSafeEqual,
} from 'node:crypto';

/**
 * Encrypts values with a separate key for each purpose. Sealing is deterministic so that a lost refresh token
 * can be reissued. Values that must be unique need their own randomness.
 */
export interface Sealer {
  seal(purpose: string, bytes: Uint8Array): string;
  /** Returns undefined if this service didn't seal the value for this purpose. */
  open(purpose: string, encoded: string): Buffer | undefined;
  sealJson(purpose: string, value: unknown): string;
  /** Doesn't check the value's type. */
  openJson<Value>(purpose: string, encoded: string | undefined): Value | undefined;
  /** Keyed hash for guessable values, such as short codes. Uses only the current key. */
  mac(purpose: string, ...parts: [string, ...string[]]): Buffer;
}

/** Stored as key objects because node:crypto converts raw keys on every use. */
interface PurposeKeys {
  mac: KeyObject;
  encryption: KeyObject;
}

const TAG_LENGTH = 32;

/**
 * SIV mode (RFC 5297) with HMAC-SHA256 instead of S2V (ADR 2).
 * @param previousKeys used only to open values
 */
export function createSealer(secretKey: string, previousKeys: string[] = []): Sealer {
  const keyRings = [secretKey, ...previousKeys].map((secret) => createKeyRing(secret));
  const [currentKeyRing] = keyRings as [(purpose: string) => PurposeKeys];
  const sealer: Sealer = {
    seal(purpose, bytes) {
      const keys = currentKeyRing(purpose);
      const tag = createHmac('sha256', keys.mac).update(bytes).digest();
      const cipher = createCipheriv('aes-256-ctr', keys.encryption, tag.subarray(0, 16));
      // CTR mode doesn't need a call to `final`.
      return Buffer.concat([tag, cipher.update(bytes)]).toString('base64url');
    },
    open(purpose, encoded) {
      const sealed = Buffer.from(encoded, 'base64url');
      // Buffer.from accepts several encodings of the same bytes, but a sealed value must have only one.
      if (sealed.length < TAG_LENGTH || sealed.toString('base64url') !== encoded) return undefined;
      for (const keyRing of keyRings) {
        const bytes = openWith(keyRing(purpose), sealed);
        if (bytes !== undefined) return bytes;
      }
      return undefined;
    },
    sealJson: (purpose, value) => sealer.seal(purpose, Buffer.from(JSON.stringify(value))),
    openJson(purpose, encoded) {
      const bytes = encoded === undefined ? undefined : sealer.open(purpose, encoded);
      return bytes === undefined ? undefined : JSON.parse(bytes.toString('utf8'));
    },
    // The prefix keeps MACs and the tags of sealed values distinct.
    mac: (purpose, ...parts) =>
      createHmac('sha256', currentKeyRing(`mac ${purpose}`).mac)
        .update(JSON.stringify(parts))
        .digest(),
  };
  return sealer;
}

function openWith(keys: PurposeKeys, sealed: Buffer): Buffer | undefined {
  const tag = sealed.subarray(0, TAG_LENGTH);
  const decipher = createDecipheriv('aes-256-ctr', keys.encryption, tag.subarray(0, 16));
  const bytes = decipher.update(sealed.subarray(TAG_LENGTH));
  const expected = createHmac('sha256', keys.mac).update(bytes).digest();
  return timingSafeEqual(tag, expected) ? bytes : undefined;
}

function createKeyRing(secret: string): (purpose: string) => PurposeKeys {
  const cache = new Map<string, PurposeKeys>();
  return (purpose) => {
    let keys = cache.get(purpose);
    if (keys === undefined) {
      const derived = Buffer.from(hkdfSync('sha256', secret, 'sesame', purpose, 64));
      keys = {
        mac: createSecretKey(derived.subarray(0, 32)),
        encryption: createSecretKey(derived.subarray(32)),
      };
      cache.set(purpose, keys);
    }
    return keys;
  };
}
