// Limits and storage formats for other systems' password hashing schemes.
import { DIGEST_LENGTHS, type DigestAlgorithm } from './hash-digests.ts';

export const HASH_ERRORS = {
  unknown: 'the password hash has an unknown format',
  malformed: 'the password hash is malformed',
  too_expensive: 'verifying the password hash would take too long or too much memory',
  des_crypt: 'DES crypt compares only 8 characters of a password',
  algorithm_missing: 'password_hash_algorithm is missing (md5, sha1, sha256 or sha512)',
  algorithm_unknown: 'the algorithm of the password hash is not supported',
} as const;

export type HashErrorCode = keyof typeof HASH_ERRORS;

type SchemeHash = { stored: string } | { refused: HashErrorCode };

const refuse = (refused: HashErrorCode): SchemeHash => ({ refused });

/** At each maximum, one verification takes about a second on one core. */
const MAX_HASH_COST = {
  bcrypt: 14,
  /** Iterations multiplied by the number of digests in the derived key. */
  pbkdf2: 2_000_000,
  scryptMemory: 128 * 1024 * 1024,
  /** N × r × p. */
  scryptWork: 2 ** 21,
  /** KiB. */
  argon2Memory: 256 * 1024,
  /** KiB multiplied by the number of passes. */
  argon2Work: 1024 * 1024,
  argon2Lanes: 16,
  /** Base-2 logarithm of the iterations. */
  phpass: 19,
  shaCrypt: 700_000,
};

/** Firebase's `hash_config`. `rounds` is scrypt's r, and `memCost` is log2 of N. */
export interface FirebaseHashConfig {
  signerKey: string;
  saltSeparator: string;
  rounds: number;
  memCost: number;
}

/** Parameters from `credentialData`, and the base64 salt from `secretData`. */
export interface KeycloakHashParameters {
  algorithm: string;
  iterations: number;
  salt: string;
  additionalParameters?: Readonly<Record<string, readonly string[]>>;
}

export function convertBcrypt(prefix: string, cost: string, rest: string): SchemeHash {
  if (Number(cost) < 4 || Number(cost) > 31) return refuse('malformed');
  if (Number(cost) > MAX_HASH_COST.bcrypt) return refuse('too_expensive');
  return { stored: `${prefix}${cost}$${rest}` };
}

/** Django passes the hexadecimal SHA-256 digest of the password to bcrypt. */
export const convertDjangoBcrypt = (cost: string, rest: string): SchemeHash =>
  convertBcrypt('$django-bcrypt-sha256$r=', cost, rest);

/** WordPress 6.8 passes a keyed SHA-384 digest of the password to bcrypt. */
export const convertWordPressBcrypt = (cost: string, rest: string): SchemeHash =>
  convertBcrypt('$wordpress-bcrypt-sha384$r=', cost, rest);

export function convertPhpass(cost: number, rest: string): SchemeHash {
  if (cost < 7 || cost > 30) return refuse('malformed');
  return cost > MAX_HASH_COST.phpass ? refuse('too_expensive') : { stored: `$phpass$r=${cost}$${rest}` };
}

export function convertShaCrypt(bits: string, rounds: number, salt: string, digest: string): SchemeHash {
  if (digest.length !== (bits === '256' ? 43 : 86) || rounds < 1000) return refuse('malformed');
  if (rounds > MAX_HASH_COST.shaCrypt) return refuse('too_expensive');
  return { stored: `$sha${bits}-crypt$rounds=${rounds}$${salt}$${digest}` };
}

/** Returns undefined if the text isn't base64. */
export function decodeBase64(text: string): Buffer | undefined {
  const unpadded = text
    .replace(/={1,2}$/, '')
    .replace(/[.-]/g, '+')
    .replaceAll('_', '/');
  return /^[A-Za-z0-9+/]*$/.test(unpadded) && unpadded.length % 4 !== 1
    ? Buffer.from(unpadded, 'base64')
    : undefined;
}

const encodeBase64 = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');

const isValidSalt = (bytes: Buffer | undefined): bytes is Buffer =>
  bytes !== undefined && bytes.length <= 128;
/** Several passwords could match a digest of fewer than 16 bytes. */
const isValidDigest = (bytes: Buffer | undefined): bytes is Buffer =>
  bytes !== undefined && bytes.length >= 16 && bytes.length <= 128;

const isCount = (value: number, max: number): boolean =>
  Number.isInteger(value) && value >= 1 && value <= max;

export function convertArgon2(
  type: string,
  version: string,
  [memory = 0, passes = 0, lanes = 0]: number[],
  salt: Buffer | undefined,
  digest: Buffer | undefined,
): SchemeHash {
  const isValid = [memory, passes, lanes].every((value) => isCount(value, 2 ** 32)) && memory >= 8 * lanes;
  if (
    !isValid ||
    !isValidSalt(salt) ||
    salt.length < 8 ||
    salt.length > 48 ||
    !isValidDigest(digest) ||
    digest.length > 64
  )
    return refuse('malformed');
  if (
    memory > MAX_HASH_COST.argon2Memory ||
    memory * passes > MAX_HASH_COST.argon2Work ||
    lanes > MAX_HASH_COST.argon2Lanes
  )
    return refuse('too_expensive');
  const parameters = `v=${version}$m=${memory},t=${passes},p=${lanes}`;
  return { stored: `$${type}$${parameters}$${encodeBase64(salt)}$${encodeBase64(digest)}` };
}

export function convertPbkdf2(
  algorithm: string,
  iterations: number,
  salt: Buffer | undefined,
  digest: Buffer | undefined,
): SchemeHash {
  if (!isCount(iterations, 2 ** 32) || !isValidSalt(salt) || !isValidDigest(digest))
    return refuse('malformed');
  const blocks = Math.ceil(digest.length / DIGEST_LENGTHS[algorithm as DigestAlgorithm]);
  if (iterations * blocks > MAX_HASH_COST.pbkdf2) return refuse('too_expensive');
  const parameters = `i=${iterations},l=${digest.length}`;
  return { stored: `$pbkdf2-${algorithm}$${parameters}$${encodeBase64(salt)}$${encodeBase64(digest)}` };
}

/** RFC 7914 §2. */
function checkScryptParameters([logN = 0, r = 0, p = 0]: number[]): HashErrorCode | undefined {
  if (!isCount(logN, 31) || !isCount(r, 2 ** 16) || !isCount(p, 2 ** 16) || logN >= 16 * r)
    return 'malformed';
  const isExpensive =
    128 * 2 ** logN * r > MAX_HASH_COST.scryptMemory || 2 ** logN * r * p > MAX_HASH_COST.scryptWork;
  return isExpensive ? 'too_expensive' : undefined;
}

export function convertScrypt(
  cost: number[],
  salt: Buffer | undefined,
  digest: Buffer | undefined,
): SchemeHash {
  const refused = checkScryptParameters(cost);
  if (refused !== undefined) return refuse(refused);
  if (!isValidSalt(salt) || !isValidDigest(digest)) return refuse('malformed');
  const [logN, r, p] = cost;
  return { stored: `$scrypt$ln=${logN},r=${r},p=${p}$${encodeBase64(salt)}$${encodeBase64(digest)}` };
}

export function convertFirebaseHash(
  hash: string,
  salt: string,
  { signerKey, saltSeparator, rounds, memCost }: FirebaseHashConfig,
): SchemeHash {
  const refused = checkScryptParameters([memCost, rounds, 1]);
  if (refused !== undefined) return refuse(refused);
  const [digest, key] = [decodeBase64(hash), decodeBase64(signerKey)];
  const salts = [decodeBase64(salt), decodeBase64(saltSeparator)];
  if (
    !isValidDigest(digest) ||
    !isValidDigest(key) ||
    digest.length !== key.length ||
    !salts.every(isValidSalt)
  )
    return refuse('malformed');
  const values = [...salts, key, digest].map(encodeBase64).join('$');
  return { stored: `$firebase-scrypt$ln=${memCost},r=${rounds}$${values}` };
}

export function convertKeycloakHash(
  value: string,
  { algorithm, iterations, salt, additionalParameters = {} }: KeycloakHashParameters,
): SchemeHash {
  const [saltBytes, digest] = [decodeBase64(salt), decodeBase64(value)];
  const prf = /^pbkdf2(?:-(sha256|sha512))?$/.exec(algorithm);
  if (prf !== null) return convertPbkdf2(prf[1] ?? 'sha1', iterations, saltBytes, digest);
  if (algorithm !== 'argon2') return refuse('algorithm_unknown');
  const getParameter = (name: string) => additionalParameters[name]?.[0] ?? '';
  const type = getParameter('type');
  const version = { '1.0': '16', '1.3': '19' }[getParameter('version')];
  if (!/^(?:i|d|id)$/.test(type) || version === undefined) return refuse('malformed');
  const cost = [Number(getParameter('memory')), iterations, Number(getParameter('parallelism'))];
  return convertArgon2(`argon2${type}`, version, cost, saltBytes, digest);
}
