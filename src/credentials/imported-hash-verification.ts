// Verifies passwords against imported hashes. Must run in a worker thread because it blocks.
import {
  createCipheriv,
  createHmac,
  hash as digest,
  pbkdf2Sync,
  scryptSync,
  timingSafeEqual,
} from 'node:crypto';
import { verifySync as verifyArgon2 } from '@node-rs/argon2';
import { verifySync as verifyBcrypt } from '@node-rs/bcrypt';
import { IMPORTED_PREFIX } from '../store/imported-passwords.ts';
import { computeDigest, type DigestAlgorithm } from './hash-digests.ts';
import { CRYPT_ALPHABET, computeShaCrypt } from './sha-crypt.ts';

/**
 * @param stored a hash as returned by `parseImportedHash`
 * @throws Error if the format is unknown
 */
export function verifyImportedHash(stored: string, password: string): boolean {
  const hash = stored.slice(IMPORTED_PREFIX.length);
  const [, scheme = '', ...parts] = hash.split('$');
  const verifyScheme = /^argon2/.test(scheme) ? verifyArgon2Hash : VERIFIERS[scheme];
  if (verifyScheme === undefined) throw new Error('unknown password hash format');
  return verifyScheme(password, parts, hash);
}

type Verifier = (password: string, parts: readonly string[], hash: string) => boolean;

const verifyArgon2Hash: Verifier = (password, _parts, hash) => verifyArgon2(hash, password);
const verifyBcryptHash: Verifier = (password, _parts, hash) => verifyBcrypt(password, hash);

const VERIFIERS: Readonly<Record<string, Verifier>> = {
  '2a': verifyBcryptHash,
  '2b': verifyBcryptHash,
  '2y': verifyBcryptHash,
  'django-bcrypt-sha256': (password, [cost = '', rest = '']) =>
    verifyBcrypt(digest('sha256', password), `$2b$${cost.slice('r='.length)}$${rest}`),
  'wordpress-bcrypt-sha384': (password, [cost = '', rest = '']) =>
    verifyBcrypt(
      createHmac('sha384', 'wp-sha384').update(password).digest('base64'),
      `$2b$${cost.slice('r='.length)}$${rest}`,
    ),
  'pbkdf2-sha1': (password, parts) => verifyPbkdf2('sha1', password, parts),
  'pbkdf2-sha256': (password, parts) => verifyPbkdf2('sha256', password, parts),
  'pbkdf2-sha512': (password, parts) => verifyPbkdf2('sha512', password, parts),
  scrypt: (password, [cost = '', salt = '', key = '']) => {
    const expected = Buffer.from(key, 'base64');
    return isEqual(computeScrypt(password, Buffer.from(salt, 'base64'), expected.length, cost), expected);
  },
  'firebase-scrypt': verifyFirebase,
  'sha256-crypt': (password, parts) => verifyShaCrypt('sha256', password, parts),
  'sha512-crypt': (password, parts) => verifyShaCrypt('sha512', password, parts),
  phpass: verifyPhpass,
  wrapped: (password, [digestScheme = '', salt = '', ...argon2]) => {
    const [algorithm, position] = digestScheme.split('-');
    const scheme = {
      algorithm: algorithm as DigestAlgorithm,
      saltPosition: position as 'before' | 'after',
      salt: Buffer.from(salt, 'base64'),
    };
    return verifyArgon2(`$${argon2.join('$')}`, computeDigest(scheme, password));
  },
};

const isEqual = (computed: Buffer, expected: Buffer): boolean =>
  computed.length === expected.length && timingSafeEqual(computed, expected);

function verifyPbkdf2(
  algorithm: string,
  password: string,
  [cost = '', salt = '', key = '']: readonly string[],
): boolean {
  const [saltBytes, expected] = [Buffer.from(salt, 'base64'), Buffer.from(key, 'base64')];
  const iterations = Number(/^i=(\d+)/.exec(cost)?.[1]);
  return isEqual(pbkdf2Sync(password, saltBytes, iterations, expected.length, algorithm), expected);
}

/** @param cost such as `ln=14,r=8,p=1`. The default of `p` is 1. */
function computeScrypt(password: string, salt: Buffer, length: number, cost: string): Buffer {
  const [logN = 0, r = 0, p = 1] = cost.split(',').map((parameter) => Number(parameter.split('=')[1]));
  return scryptSync(password, salt, length, { N: 2 ** logN, r, p, maxmem: 2 ** 29 });
}

/** The hash is the signer key, encrypted with a key derived from the password. */
function verifyFirebase(password: string, [cost = '', ...values]: readonly string[]): boolean {
  const [salt, separator, signerKey, expected] = values.map((text) => Buffer.from(text, 'base64')) as [
    Buffer,
    Buffer,
    Buffer,
    Buffer,
  ];
  const key = computeScrypt(password, Buffer.concat([salt, separator]), 32, cost);
  const cipher = createCipheriv('aes-256-ctr', key, Buffer.alloc(16));
  return isEqual(Buffer.concat([cipher.update(signerKey), cipher.final()]), expected);
}

function verifyShaCrypt(
  algorithm: 'sha256' | 'sha512',
  password: string,
  [cost = '', salt = '', expected = '']: readonly string[],
): boolean {
  const rounds = Number(cost.slice('rounds='.length));
  return isEqual(Buffer.from(computeShaCrypt(algorithm, password, salt, rounds)), Buffer.from(expected));
}

/** Portable PHP password hashing (WordPress, phpBB): iterated MD5. */
function verifyPhpass(password: string, [cost = '', rest = '']: readonly string[]): boolean {
  const [salt, expected] = [rest.slice(0, 8), rest.slice(8)];
  const bytes = Buffer.from(password);
  const input = Buffer.concat([digest('md5', salt + password, 'buffer'), bytes]);
  for (let left = 2 ** Number(cost.slice('r='.length)); left > 0; left -= 1)
    digest('md5', input, 'buffer').copy(input);
  return isEqual(Buffer.from(encodePhpass(input.subarray(0, 16))), Buffer.from(expected));
}

function encodePhpass(bytes: Buffer): string {
  let text = '';
  for (let start = 0; start < bytes.length; start += 3) {
    const group = bytes.subarray(start, start + 3);
    let value = group.readUIntLE(0, group.length);
    for (let i = 0; i <= group.length; i += 1) {
      text += CRYPT_ALPHABET[value & 63];
      value >>= 6;
    }
  }
  return text;
}
