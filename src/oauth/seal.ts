// Sealed values: what leaves the service and comes back unread and unchanged (codes, refresh tokens, pending requests).
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
 * Seals and opens byte strings, each under a purpose of its own, so that a value sealed for one thing never opens as
 * another. Sealing is deterministic: the same bytes give the same text, which is what lets a lost successor be given
 * again (D16). Whatever must differ has to carry its own randomness.
 */
export interface Sealer {
  /** Gives base64url text. */
  seal(purpose: string, bytes: Uint8Array): string;
  /** Gives the bytes back, or undefined when the text was not sealed by this service for this purpose. */
  open(purpose: string, text: string): Buffer | undefined;
  /** The same for whatever JSON can say. */
  sealJson(purpose: string, value: unknown): string;
  /** Gives the value back, of the type that it was sealed with; undefined where there is none, or `open` says so. */
  openJson<Value>(purpose: string, text: string | undefined): Value | undefined;
  /**
   * A keyed hash for values that are compared, never opened, and few enough to be guessed (CSRF tokens, throttle keys,
   * codes that people type). Several parts are told apart whatever they hold. Current key only.
   */
  mac(purpose: string, ...parts: [string, ...string[]]): Buffer;
}

/** As key objects: node:crypto converts raw bytes anew at every use, which costs more than the work itself. */
interface Keys {
  mac: KeyObject;
  encryption: KeyObject;
}

const TAG_LENGTH = 32;

/**
 * Deterministic authenticated encryption: RFC 5297's SIV with HMAC-SHA256 in place of S2V, and AES-256-CTR (ADR 2).
 * @param secretKey SECRET_KEY; @param previous SECRET_KEY_PREVIOUS, which still opens what it sealed
 */
export function createSealer(secretKey: string, previous: string[] = []): Sealer {
  const rings = [secretKey, ...previous].map((secret) => keyRing(secret));
  const [current] = rings as [(purpose: string) => Keys];
  const sealer: Sealer = {
    seal(purpose, bytes) {
      const keys = current(purpose);
      const tag = createHmac('sha256', keys.mac).update(bytes).digest();
      const cipher = createCipheriv('aes-256-ctr', keys.encryption, tag.subarray(0, 16));
      return Buffer.concat([tag, cipher.update(bytes)]).toString('base64url'); // CTR: final() adds nothing
    },
    open(purpose, text) {
      const sealed = Buffer.from(text, 'base64url');
      // Buffer.from forgives what base64url does not allow; one value has one spelling.
      if (sealed.length < TAG_LENGTH || sealed.toString('base64url') !== text) return undefined;
      for (const ring of rings) {
        const bytes = openWith(ring(purpose), sealed);
        if (bytes !== undefined) return bytes;
      }
      return undefined;
    },
    sealJson: (purpose, value) => sealer.seal(purpose, Buffer.from(JSON.stringify(value))),
    openJson(purpose, text) {
      const bytes = text === undefined ? undefined : sealer.open(purpose, text);
      return bytes === undefined ? undefined : JSON.parse(bytes.toString('utf8'));
    },
    // Never under the key of what is sealed for a purpose of that name: its tags are not to be had here.
    mac: (purpose, ...parts) =>
      createHmac('sha256', current(`mac ${purpose}`).mac)
        .update(JSON.stringify(parts))
        .digest(),
  };
  return sealer;
}

function openWith(keys: Keys, sealed: Buffer): Buffer | undefined {
  const tag = sealed.subarray(0, TAG_LENGTH);
  const decipher = createDecipheriv('aes-256-ctr', keys.encryption, tag.subarray(0, 16));
  const bytes = decipher.update(sealed.subarray(TAG_LENGTH));
  const expected = createHmac('sha256', keys.mac).update(bytes).digest();
  return timingSafeEqual(tag, expected) ? bytes : undefined;
}

function keyRing(secret: string): (purpose: string) => Keys {
  const known = new Map<string, Keys>();
  return (purpose) => {
    let keys = known.get(purpose);
    if (keys === undefined) {
      const derived = Buffer.from(hkdfSync('sha256', secret, 'sesame', purpose, 64));
      keys = {
        mac: createSecretKey(derived.subarray(0, 32)),
        encryption: createSecretKey(derived.subarray(32)),
      };
      known.set(purpose, keys);
    }
    return keys;
  };
}
