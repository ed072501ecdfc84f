// Fast password digests from other systems. Only an Argon2id hash of a digest is stored.
import { hash } from 'node:crypto';

/** Bytes. */
export const DIGEST_LENGTHS = { md5: 16, sha1: 20, sha256: 32, sha512: 64 };

export type DigestAlgorithm = keyof typeof DIGEST_LENGTHS;

export interface DigestScheme {
  algorithm: DigestAlgorithm;
  saltPosition: 'before' | 'after';
  salt: Buffer;
}

export type Digest = DigestScheme & { digest: Buffer };

interface DigestHints {
  algorithm?: string | undefined;
  salt?: string | undefined;
  saltPosition?: string | undefined;
}

export function computeDigest({ algorithm, saltPosition, salt }: DigestScheme, password: string): string {
  const bytes = Buffer.from(password);
  return hash(algorithm, Buffer.concat(saltPosition === 'before' ? [salt, bytes] : [bytes, salt]));
}

const isDigestAlgorithm = (name: string): name is DigestAlgorithm => Object.hasOwn(DIGEST_LENGTHS, name);

export function parseDigest(
  text: string,
  hints: DigestHints,
): { wrap: Digest } | { refused: 'unknown' | 'malformed' | 'algorithm_missing' | 'algorithm_unknown' } {
  const ldap =
    /^\{(S?)(MD5|SHA|SHA1|SHA256|SHA512|SMD5|SHA-256|SHA-512)\}([A-Za-z0-9+/]{1,172}={0,2})$/i.exec(text);
  if (ldap !== null) return parseLdapDigest(`${ldap[1]}${ldap[2]}`, Buffer.from(ldap[3] ?? '', 'base64'));
  const django = /^(md5|sha1)\$([^$]{0,128})\$([0-9a-f]{32,40})$/.exec(text);
  if (django !== null) {
    const [, algorithm, salt, digest = ''] = django;
    return parseBareDigest(digest, { algorithm, salt });
  }
  return parseBareDigest(text, hints);
}

/** The salt follows the password in the hashed input. In the encoded value, it follows the digest. */
function parseLdapDigest(scheme: string, value: Buffer): ReturnType<typeof parseDigest> {
  const name = scheme.toLowerCase().replace('-', '');
  const isSalted = name.startsWith('ss') || name === 'smd5';
  const unsalted = isSalted ? name.slice(1) : name;
  const algorithm = unsalted === 'sha' ? 'sha1' : unsalted;
  if (!isDigestAlgorithm(algorithm)) return { refused: 'unknown' };
  const length = DIGEST_LENGTHS[algorithm];
  if (isSalted ? value.length <= length : value.length !== length) return { refused: 'malformed' };
  const [digest, salt] = [value.subarray(0, length), value.subarray(length)];
  return { wrap: { algorithm, saltPosition: 'after', salt, digest } };
}

function parseBareDigest(text: string, hints: DigestHints): ReturnType<typeof parseDigest> {
  const isHex = /^[0-9a-f]+$/i.test(text);
  if (!isHex && !/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return { refused: 'unknown' };
  if (hints.algorithm === undefined) return { refused: 'algorithm_missing' };
  const algorithm = hints.algorithm.toLowerCase().replace('-', '');
  if (!isDigestAlgorithm(algorithm)) return { refused: 'algorithm_unknown' };
  const { salt = '', saltPosition = 'before' } = hints;
  const length = DIGEST_LENGTHS[algorithm];
  const digest = Buffer.from(text, isHex && text.length === length * 2 ? 'hex' : 'base64');
  if (digest.length !== length || salt.length > 128 || !['before', 'after'].includes(saltPosition))
    return { refused: 'malformed' };
  return {
    wrap: {
      algorithm,
      saltPosition: saltPosition === 'after' ? 'after' : 'before',
      salt: Buffer.from(salt),
      digest,
    },
  };
}
