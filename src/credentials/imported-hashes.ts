// Parses password hashes from other systems and converts them to the stored form.
import { IMPORTED_PREFIX } from '../store/imported-passwords.ts';
import { type Digest, parseDigest } from './hash-digests.ts';
import {
  convertArgon2,
  convertBcrypt,
  convertDjangoBcrypt,
  convertFirebaseHash,
  convertKeycloakHash,
  convertPbkdf2,
  convertPhpass,
  convertScrypt,
  convertShaCrypt,
  convertWordPressBcrypt,
  decodeBase64,
  type FirebaseHashConfig,
  type HashErrorCode,
  type KeycloakHashParameters,
} from './imported-hash-schemes.ts';
import { NATIVE_HASH_PREFIX } from './password-hashing.ts';
import { CRYPT_ALPHABET } from './sha-crypt.ts';

export interface HashHints {
  algorithm?: string | undefined;
  salt?: string | undefined;
  /** Position of a bare digest's salt in the hashed input: `before` (default) or `after` the password. */
  saltPosition?: string | undefined;
  firebase?: FirebaseHashConfig | undefined;
  keycloak?: KeycloakHashParameters | undefined;
}

/**
 * `stored` is the value for the column `password_hash`. `wrap` must be hashed by `PasswordHasher.wrap` before it is
 * stored.
 */
export type ParsedHash = { stored: string } | { wrap: Digest } | { refused: HashErrorCode };

const MAX_HASH_LENGTH = 1024;

/** Parses a password hash from another system, or one that is already in the stored format. Never throws. */
export function parseImportedHash(text: string, hints: HashHints = {}): ParsedHash {
  const hash = text.trim().replace(/^\{(?:imported|(?:\w+-)?CRYPT|BCRYPT|ARGON2(?:I|ID)?)\}(?=\$)/i, '');
  const parsed = parseHash(hash, hints);
  return 'stored' in parsed && !parsed.stored.startsWith(NATIVE_HASH_PREFIX)
    ? { stored: `${IMPORTED_PREFIX}${parsed.stored}` }
    : parsed;
}

function parseHash(hash: string, hints: HashHints): ParsedHash {
  if (hash.length === 0 || hash.length > MAX_HASH_LENGTH) return { refused: 'malformed' };
  if (hints.firebase !== undefined) return convertFirebaseHash(hash, hints.salt ?? '', hints.firebase);
  if (hints.keycloak !== undefined) return convertKeycloakHash(hash, hints.keycloak);
  for (const [pattern, parse] of FORMATS) {
    const match = pattern.exec(hash);
    if (match !== null) return parse(...(match.slice(1).map((part) => part ?? '') as MatchGroups));
  }
  return parseDigest(hash, hints);
}

type MatchGroups = [string, string, string, string, string, string];

const FORMATS: readonly (readonly [RegExp, (...parts: MatchGroups) => ParsedHash])[] = [
  // Django adds a prefix: `bcrypt$$2b$…`.
  [
    /^(?:bcrypt\$)?(\$2[aby]\$)(\d\d)\$([./A-Za-z0-9]{53})$/,
    (version, cost, rest) => convertBcrypt(version, cost, rest),
  ],
  [/^bcrypt_sha256\$\$2[aby]\$(\d\d)\$([./A-Za-z0-9]{53})$/, (cost, rest) => convertDjangoBcrypt(cost, rest)],
  [
    /^\$django-bcrypt-sha256\$r=(\d\d)\$([./A-Za-z0-9]{53})$/,
    (cost, rest) => convertDjangoBcrypt(cost, rest),
  ],
  // WordPress 6.8 and later.
  [/^\$wp\$2[aby]\$(\d\d)\$([./A-Za-z0-9]{53})$/, (cost, rest) => convertWordPressBcrypt(cost, rest)],
  [
    /^\$wordpress-bcrypt-sha384\$r=(\d\d)\$([./A-Za-z0-9]{53})$/,
    (cost, rest) => convertWordPressBcrypt(cost, rest),
  ],
  // Django adds a prefix: `argon2$argon2id$…`. For Argon2 version 1.0, `v` is 16 or missing.
  [
    /^(?:argon2)?\$(argon2(?:i|d|id))(?:\$v=(16|19))?\$m=(\d{1,8}),t=(\d{1,8}),p=(\d{1,3})\$([\w+/]{1,172}={0,2}\$[\w+/]{1,172}={0,2})$/,
    (type, version, memory, passes, lanes, rest) => {
      const [salt = '', digest = ''] = rest.split('$');
      return convertArgon2(
        type,
        version || '16',
        [memory, passes, lanes].map(Number),
        decodeBase64(salt),
        decodeBase64(digest),
      );
    },
  ],
  // PHC strings. passlib omits the suffix for SHA-1 and writes "." instead of "+".
  [
    /^\$pbkdf2(?:-(sha1|sha256|sha512))?\$(?:i=)?(\d{1,8})(?:,l=\d{1,3})?\$([\w./+]{0,172}={0,2})\$([\w./+]{1,172}={0,2})$/,
    (algorithm, iterations, salt, digest) =>
      convertPbkdf2(algorithm || 'sha1', Number(iterations), decodeBase64(salt), decodeBase64(digest)),
  ],
  // Django's format. The salt is plain text.
  [
    /^pbkdf2_(sha1|sha256|sha512)\$(\d{1,8})\$([^$]{1,128})\$([\w+/]{1,172}={0,2})$/,
    (algorithm, iterations, salt, digest) =>
      convertPbkdf2(algorithm, Number(iterations), Buffer.from(salt), decodeBase64(digest)),
  ],
  [
    /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,4}),p=(\d{1,4})\$([\w./+]{0,172}={0,2})\$([\w./+]{1,172}={0,2})$/,
    (logN, r, p, salt, digest) =>
      convertScrypt([logN, r, p].map(Number), decodeBase64(salt), decodeBase64(digest)),
  ],
  [
    /^scrypt\$(\d{1,9})\$([^$]{1,128})\$(\d{1,4})\$(\d{1,4})\$([\w+/]{1,172}={0,2})$/,
    (n, salt, r, p, digest) =>
      convertScrypt([Math.log2(Number(n)), Number(r), Number(p)], Buffer.from(salt), decodeBase64(digest)),
  ],
  // Older versions of WordPress ($P$) and phpBB ($H$). The character after the prefix encodes the cost.
  [
    /^\$[PH]\$([./0-9A-Za-z])([./0-9A-Za-z]{30})$/,
    (cost, rest) => convertPhpass(CRYPT_ALPHABET.indexOf(cost), rest),
  ],
  [/^\$phpass\$r=(\d{1,2})\$([./0-9A-Za-z]{30})$/, (cost, rest) => convertPhpass(Number(cost), rest)],
  [
    /^\$firebase-scrypt\$ln=(\d{1,2}),r=(\d{1,4})\$([\w+/]{0,172})\$([\w+/]{0,172})\$([\w+/]{1,172})\$([\w+/]{1,172})$/,
    (memCost, rounds, salt, saltSeparator, signerKey, hash) =>
      convertFirebaseHash(hash, salt, {
        signerKey,
        saltSeparator,
        rounds: Number(rounds),
        memCost: Number(memCost),
      }),
  ],
  // Supabase's format for users imported from Firebase.
  [
    /^\$fbscrypt\$v=1,n=(\d{1,2}),r=(\d{1,4}),p=1,ss=([\w+/]{1,172}={0,2}),sk=([\w+/]{1,172}={0,2})\$([\w+/]{1,172}={0,2})\$([\w+/]{1,172}={0,2})$/,
    (memCost, rounds, saltSeparator, signerKey, salt, hash) =>
      convertFirebaseHash(hash, salt, {
        signerKey,
        saltSeparator,
        rounds: Number(rounds),
        memCost: Number(memCost),
      }),
  ],
  [
    /^\$wrapped\$(md5|sha1|sha256|sha512)-(before|after)\$([\w+/]{0,172})(\$argon2id\$.+)$/,
    (algorithm, position, salt, hash) => {
      // Only the outer scheme's cost is compared, so the inner hash must have this service's parameters.
      if (!hash.startsWith(NATIVE_HASH_PREFIX)) return { refused: 'malformed' };
      const parsed = parseHash(hash, {});
      const prefix = `$wrapped$${algorithm}-${position}$${salt}`;
      return 'stored' in parsed ? { stored: `${prefix}${parsed.stored}` } : parsed;
    },
  ],
  [
    /^\$([56])\$(?:rounds=(\d{1,9})\$)?([./0-9A-Za-z]{1,16})\$([./0-9A-Za-z]{43,86})$/,
    (type, rounds, salt, digest) =>
      convertShaCrypt(type === '5' ? '256' : '512', Number(rounds || '5000'), salt, digest),
  ],
  [
    /^\$sha(256|512)-crypt\$rounds=(\d{1,9})\$([./0-9A-Za-z]{1,16})\$([./0-9A-Za-z]{43,86})$/,
    (bits, rounds, salt, digest) => convertShaCrypt(bits, Number(rounds), salt, digest),
  ],
  [/^(?:\{CRYPT\})?(?:[./0-9A-Za-z]{13}|_[./0-9A-Za-z]{19})$/i, () => ({ refused: 'des_crypt' })],
];
