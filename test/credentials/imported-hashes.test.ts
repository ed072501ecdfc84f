// Imported password hashes: formats, limits and verification.
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hashSync as hashBcrypt } from '@node-rs/bcrypt';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canReplaceHash } from '../../src/credentials/imported-hash-checks.ts';
import { findSlowestSchemes } from '../../src/credentials/imported-hash-costs.ts';
import { verifyImportedHash } from '../../src/credentials/imported-hash-verification.ts';
import { type HashHints, type ParsedHash, parseImportedHash } from '../../src/credentials/imported-hashes.ts';
import { createPasswordHasher } from '../../src/credentials/password-hashing.ts';

const hasher = await createPasswordHasher();

const readFixture = (name: string): string =>
  readFileSync(new URL(`../fixtures/import/${name}`, import.meta.url), 'utf8');

/** Parses a hash that must be accepted. @returns the text to store */
async function toStored(text: string, hints?: HashHints): Promise<string> {
  const parsed = parseImportedHash(text, hints);
  if ('refused' in parsed) throw new Error(`${text} was refused: ${parsed.refused}`);
  return 'wrap' in parsed ? hasher.wrap(parsed.wrap) : parsed.stored;
}

async function expectVerified(text: string, password: string, hints?: HashHints): Promise<void> {
  const stored = await toStored(text, hints);
  expect(stored).toMatch(/^\{imported\}\$/);
  expect(verifyImportedHash(stored, password)).toBe(true);
  expect(verifyImportedHash(stored, `${password}!`)).toBe(false);
  expect(verifyImportedHash(stored, '')).toBe(false);
  expect(parseImportedHash(stored), 'the stored form is accepted, too').toEqual({ stored });
}

const getErrorCode = (parsed: ParsedHash) => ('refused' in parsed ? parsed.refused : parsed);

interface HashRow {
  name: string;
  password_for_test: string;
  password_hash: string;
  password_hash_algorithm?: string;
  password_hash_salt?: string;
  password_hash_salt_position?: string;
}

describe('an imported hash', () => {
  const rows = readFixture('hashes.jsonl')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as HashRow);
  const getHints = (row: HashRow): HashHints => ({
    algorithm: row.password_hash_algorithm,
    salt: row.password_hash_salt,
    saltPosition: row.password_hash_salt_position,
  });
  const REFUSED = new Map([
    ['bcrypt-cost-16-too-dear', 'too_expensive'],
    ['des-crypt-refused', 'des_crypt'],
    ['garbage', 'unknown'],
  ]);

  test.each(rows.filter(({ name }) => !REFUSED.has(name)))(
    'matches only the correct password ($name)',
    (row) => expectVerified(row.password_hash, row.password_for_test, getHints(row)),
  );

  test.each(rows.filter(({ name }) => REFUSED.has(name)))(
    'is rejected for the expected reason ($name)',
    (row) => {
      expect(parseImportedHash(row.password_hash, getHints(row))).toEqual({ refused: REFUSED.get(row.name) });
    },
  );

  test('from Firebase or Supabase matches only the correct password', async () => {
    const config = JSON.parse(readFixture('firebase-hash-config.json'));
    const { users } = JSON.parse(readFixture('firebase-users.json'));
    const firebase = {
      signerKey: config.base64_signer_key,
      saltSeparator: config.base64_salt_separator,
      rounds: config.rounds,
      memCost: config.mem_cost,
    };
    const passwords: string[] = config.passwords_for_test;
    for (const [index, password] of passwords.entries()) {
      const { passwordHash, salt } = users[index];
      await expectVerified(passwordHash, password, { salt, firebase });
      const parameters = `v=1,n=${firebase.memCost},r=${firebase.rounds},p=1,ss=${firebase.saltSeparator},sk=${firebase.signerKey}`;
      await expectVerified(`$fbscrypt$${parameters}$${salt}$${passwordHash}`, password);
    }
  });

  test('from Keycloak matches only the correct password', async () => {
    const parameters = {
      hashLength: ['32'],
      memory: ['7168'],
      type: ['id'],
      version: ['1.3'],
      parallelism: ['1'],
    };
    await expectVerified('2p7J3Gv3g1tipyBfbpl0ORhReZGvlvZdYHGJH2mWHEY=', 'pässwörd-日本-6', {
      keycloak: {
        algorithm: 'argon2',
        iterations: 5,
        salt: 'XJ+aHz7hX63bBMUI/SzO8w==',
        additionalParameters: parameters,
      },
    });
  });
});

describe('password verification matches the published test vectors for', () => {
  test('PBKDF2 with SHA-1 (RFC 6070)', () =>
    expectVerified('SwB5AbdlSJq+rUnZJvch0GWkKcE=', 'password', {
      keycloak: { algorithm: 'pbkdf2', iterations: 4096, salt: Buffer.from('salt').toString('base64') },
    }));

  test('PBKDF2 with SHA-256 and two blocks (RFC 7914 §11)', () => {
    const digest =
      '55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc' +
      '49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783';
    const value = Buffer.from(digest, 'hex').toString('base64');
    return expectVerified(value, 'passwd', {
      keycloak: { algorithm: 'pbkdf2-sha256', iterations: 1, salt: Buffer.from('salt').toString('base64') },
    });
  });

  test('scrypt (RFC 7914 §12)', () => {
    const digest =
      'fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162' +
      '2eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640';
    const [salt, value] = [Buffer.from('NaCl'), Buffer.from(digest, 'hex')].map((b) => b.toString('base64'));
    return expectVerified(`$scrypt$ln=10,r=8,p=16$${salt}$${value}`, 'password');
  });

  test('Firebase scrypt', () =>
    expectVerified(
      'lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==',
      'user1password',
      {
        salt: '42xEC+ixf3L2lw==',
        firebase: {
          signerKey:
            'jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==',
          saltSeparator: 'Bw==',
          rounds: 8,
          memCost: 14,
        },
      },
    ));

  test('WordPress 6.8', async () => {
    await expectVerified('$wp$2y$10$y6/UfA/WhvVLZK6RxBSJE./L6YpJN8ChGg15a0Pqry/bTGsDuMR1q', 'Na101918!');
  });

  test('phpass', async () => {
    await expectVerified('$P$9IQRaTwmfeRo7ud9Fh4E2PdI0S3r.L0', 'test12345');
    await expectVerified('$H$9IQRaTwmfeRo7ud9Fh4E2PdI0S3r.L0', 'test12345');
  });

  test('SHA-crypt', async () => {
    const password = 'Hello world!';
    await expectVerified('$5$saltstring$5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc5', password);
    await expectVerified(
      '$6$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjl/O817G3uBnIFNjnQJuesI68u4OTLiBFdcbYEdFCoEOfaS35inz1',
      password,
    );
    await expectVerified(
      '$5$rounds=10000$saltstringsaltst$3xv.VbSHBb41AL9AvLeujZkZRBAwqFMz2.opqey6IcA',
      password,
    );
  });

  test('Argon2 1.0', () =>
    expectVerified(
      '$argon2i$m=65536,t=2,p=1$c29tZXNhbHQ$9sTbSlTio3Biev89thdrlKKiCaYsjjYVJxGAL3swxpQ',
      'password',
    ));
});

describe('an imported MD5 or SHA digest', () => {
  test.each(['md5', 'sha1', 'sha256', 'sha512'])(
    'matches only the correct password (%s)',
    async (algorithm) => {
      const computeDigest = (text: string) => hash(algorithm, text, 'buffer');
      await expectVerified(computeDigest('password').toString('hex'), 'password', { algorithm });
      await expectVerified(computeDigest('password').toString('base64'), 'password', { algorithm });
      const salted = computeDigest('NaClpassword').toString('hex');
      await expectVerified(salted.toUpperCase(), 'password', { algorithm, salt: 'NaCl' });
      const hints = { algorithm, salt: 'NaCl', saltPosition: 'after' };
      await expectVerified(computeDigest('passwordNaCl').toString('hex'), 'password', hints);
      const scheme = algorithm.replace('sha1', 'sha').toUpperCase();
      await expectVerified(`{${scheme}}${computeDigest('password').toString('base64')}`, 'password');
      const ldap = Buffer.concat([computeDigest('passwordNaCl'), Buffer.from('NaCl')]);
      await expectVerified(`{S${scheme}}${ldap.toString('base64')}`, 'password');
    },
  );

  test('from Django matches only the correct password', async () => {
    await expectVerified(`md5$NaCl$${hash('md5', 'NaClpassword')}`, 'password');
    await expectVerified(`sha1$$${hash('sha1', 'password')}`, 'password');
  });

  test('is hashed with Argon2id before it is stored', async () => {
    const digest = hash('sha256', 'password');
    const stored = await toStored(digest, { algorithm: 'sha256' });
    expect(stored).toMatch(/^\{imported\}\$wrapped\$sha256-before\$\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(stored).not.toContain(digest);
    expect(stored).not.toContain(Buffer.from(digest, 'hex').toString('base64').slice(0, 20));
    expect(await toStored(digest, { algorithm: 'sha256' }), 'with a new salt').not.toBe(stored);
  });

  test('is rejected if the Argon2id hash around it was altered', async () => {
    const stored = await toStored(hash('md5', 'password'), { algorithm: 'md5' });
    expect(parseImportedHash(stored)).toEqual({ stored });
    for (const [parameters, others] of [
      ['m=19456', 'm=262144'],
      ['t=2', 't=50'],
    ] as const)
      expect(getErrorCode(parseImportedHash(stored.replace(parameters, others)))).toBe('malformed');
  });

  test('is rejected if its algorithm or length is wrong', () => {
    const digest = hash('md5', 'password');
    expect(getErrorCode(parseImportedHash(digest))).toBe('algorithm_missing');
    expect(getErrorCode(parseImportedHash(digest, { algorithm: 'md4' }))).toBe('algorithm_unknown');
    expect(getErrorCode(parseImportedHash(digest, { algorithm: 'constructor' }))).toBe('algorithm_unknown');
    expect(getErrorCode(parseImportedHash(digest, { algorithm: 'sha256' }))).toBe('malformed');
    const hints = { algorithm: 'md5', salt: 'x', saltPosition: 'around' };
    expect(getErrorCode(parseImportedHash(digest, hints))).toBe('malformed');
  });
});

test('findSlowestSchemes compares PBKDF2 schemes by the number of computed digests', () => {
  const slow = { scheme: '$pbkdf2-sha512$i=2000000,l=16', example: '' };
  const fast = { scheme: '$pbkdf2-sha512$i=1000000,l=64', example: '' };
  expect(findSlowestSchemes([slow, fast])).toMatchObject([slow]);
  const twoBlocks = { scheme: '$pbkdf2-sha256$i=600000,l=64', example: '' };
  const oneBlock = { scheme: '$pbkdf2-sha256$i=1000000,l=32', example: '' };
  expect(findSlowestSchemes([oneBlock, twoBlocks])).toMatchObject([twoBlocks]);
});

test('a hash from this service is imported unchanged', async () => {
  const own = await hasher.hash('password');
  expect(parseImportedHash(own)).toEqual({ stored: own });
});

test('prefixes that Django, OpenLDAP and Dovecot add to standard hashes are removed', async () => {
  const bcrypt = '$2b$04$bPf3T0Ioii5pQDeXqoxPou0sbUJVpJhBo0SFAmgXJa7C/LX5QbGJ.';
  for (const prefix of ['bcrypt$', '{CRYPT}', '{crypt}', '{BCRYPT}', '{BLF-CRYPT}'])
    expect(parseImportedHash(`${prefix}${bcrypt}`)).toEqual({ stored: `{imported}${bcrypt}` });
});

describe('bcrypt verification', () => {
  test('ignores everything after the first 72 bytes of a password', () => {
    const stored = `{imported}${hashBcrypt(`${'é'.repeat(36)}one`, 4)}`;
    expect(verifyImportedHash(stored, `${'é'.repeat(36)}two`)).toBe(true);
    expect(verifyImportedHash(stored, 'é'.repeat(35))).toBe(false);
    expect(canReplaceHash(stored, `${'é'.repeat(36)}two`), 'the password may have a typo').toBe(false);
    expect(canReplaceHash(stored, 'é'.repeat(36))).toBe(true);
    expect(canReplaceHash(stored, `"${'é'.repeat(35)}o`), 'longer with a backslash').toBe(false);
  });

  test('includes the characters after a NUL', () => {
    const stored = `{imported}${hashBcrypt('one', 4)}`;
    expect(verifyImportedHash(stored, 'one\0two')).toBe(false);
  });
});

describe('a hash that is too expensive to verify', () => {
  const DIGEST = 'A'.repeat(43);
  const salt = 'c2FsdHNhbHQ';
  const bcrypt = (cost: string) => `$2b$${cost}$bPf3T0Ioii5pQDeXqoxPou0sbUJVpJhBo0SFAmgXJa7C/LX5QbGJ.`;
  const argon2 = (parameters: string) => `$argon2id$v=19$${parameters}$${salt}$${DIGEST}`;
  const scrypt = (parameters: string) => `$scrypt$${parameters}$${salt}$${DIGEST}`;
  const pbkdf2 = (iterations: number, digest = DIGEST) => `$pbkdf2-sha256$${iterations}$${salt}$${digest}`;
  test.each([
    ['bcrypt', bcrypt('14'), bcrypt('15')],
    ['PBKDF2', pbkdf2(2_000_000), pbkdf2(2_000_001)],
    ['PBKDF2 with two blocks', pbkdf2(1_000_000, 'A'.repeat(86)), pbkdf2(1_000_001, 'A'.repeat(86))],
    ['Django PBKDF2', `pbkdf2_sha256$2000000$s$${DIGEST}=`, `pbkdf2_sha256$2000001$s$${DIGEST}=`],
    ['scrypt memory', scrypt('ln=17,r=8,p=1'), scrypt('ln=18,r=8,p=1')],
    ['scrypt time', scrypt('ln=14,r=8,p=16'), scrypt('ln=14,r=8,p=17')],
    ['Django scrypt', `scrypt$131072$s$8$1$${DIGEST}=`, `scrypt$262144$s$8$1$${DIGEST}=`],
    ['Argon2 memory', argon2('m=262144,t=4,p=1'), argon2('m=262145,t=1,p=1')],
    ['Argon2 time', argon2('m=65536,t=16,p=1'), argon2('m=65536,t=17,p=1')],
    ['Argon2 lanes', argon2('m=65536,t=1,p=16'), argon2('m=65536,t=1,p=17')],
    ['SHA-crypt', `$6$rounds=700000$salt$${'A'.repeat(86)}`, `$6$rounds=700001$salt$${'A'.repeat(86)}`],
    ['phpass', '$P$HfDNpebw8aEmSJkSpdvEI2SMc.YiaS.', '$P$IfDNpebw8aEmSJkSpdvEI2SMc.YiaS.'],
  ])('is rejected (%s)', (_name, accepted, refused) => {
    expect(parseImportedHash(accepted)).toHaveProperty('stored');
    expect(parseImportedHash(refused)).toEqual({ refused: 'too_expensive' });
  });
});

test('malformed hashes are rejected', () => {
  const malformed = [
    '',
    ' '.repeat(3),
    'x'.repeat(5000),
    '$2b$03$bPf3T0Ioii5pQDeXqoxPou0sbUJVpJhBo0SFAmgXJa7C/LX5QbGJ.',
    '$argon2id$v=19$m=0,t=3,p=4$MGasdS7FeE8JYQyhlHKudQ$mRej4yXf20om0t3qnBR1fKWFlwNKF8Af/yNi8ZDx6zc',
    '$argon2id$v=19$m=8,t=3,p=4$MGasdS7FeE8JYQyhlHKudQ$mRej4yXf20om0t3qnBR1fKWFlwNKF8Af/yNi8ZDx6zc',
    '$scrypt$ln=0,r=8,p=1$POecE8LYG2PMWUvpXevd2w$Jz/iVvn4F6uXZzuEc6W8rrZ3svNTM8oWRe7fVIwij6A',
    '$scrypt$ln=16,r=1,p=1$POecE8LYG2PMWUvpXevd2w$Jz/iVvn4F6uXZzuEc6W8rrZ3svNTM8oWRe7fVIwij6A',
    'scrypt$16383$salt$8$5$c3lRpOmCYd9ibAKy8iogIuWtsfSLA+IrZ+UL+5erVbwXFj5gQBsEdqKfqSuiLfGakmVEP2yf8tFOthe5DCnKRg==',
    'pbkdf2_sha256$0$salt$DugOY3YRG5RVx+eJcU5IvddmRUFmsd7RKg0kjlBmepg=',
    // A digest of 3 bytes would match many passwords.
    'pbkdf2_sha256$1000$salt$AAAA',
    '{SSHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g=',
  ];
  for (const text of malformed) expect(getErrorCode(parseImportedHash(text)), text).toBe('malformed');
  const keycloak = { algorithm: 'argon2', iterations: 5, salt: 'c2FsdHNhbHQ=' };
  expect(getErrorCode(parseImportedHash('A'.repeat(44), { keycloak }))).toBe('malformed');
  const unknown = { ...keycloak, algorithm: 'custom' };
  expect(getErrorCode(parseImportedHash('A'.repeat(44), { keycloak: unknown }))).toBe('algorithm_unknown');
  const firebase = { signerKey: 'not base64!', saltSeparator: '', rounds: 8, memCost: 14 };
  expect(getErrorCode(parseImportedHash('A'.repeat(44), { firebase }))).toBe('malformed');
});

describe('parseImportedHash', () => {
  const pieces = [
    '$',
    '{imported}',
    '$2b$10$',
    '$argon2id$v=19$m=8,t=1,p=1$',
    '{SSHA}',
    'scrypt$2$',
    'md5$',
    '$P$',
    '=',
  ];
  const text = fc
    .array(fc.oneof(fc.constantFrom(...pieces), fc.string({ unit: 'binary', maxLength: 80 })))
    .map((parts) => parts.join(''));
  const hints = fc.record(
    {
      algorithm: fc.constantFrom('md5', 'sha256', 'SHA-512', '__proto__'),
      salt: fc.string(),
      saltPosition: fc.constantFrom('before', 'after', ''),
      firebase: fc.record({
        signerKey: fc.base64String(),
        saltSeparator: fc.string(),
        rounds: fc.double(),
        memCost: fc.double(),
      }),
      keycloak: fc.record({
        algorithm: fc.constantFrom('argon2', 'pbkdf2'),
        iterations: fc.double(),
        salt: fc.base64String(),
      }),
    },
    { requiredKeys: [] },
  );

  test('throws no exception for any input', () => {
    fc.assert(
      fc.property(text, hints, (hashText, hashHints) => {
        const parsed = parseImportedHash(hashText, hashHints);
        expect(Object.keys(parsed)).toHaveLength(1);
        // Parsing the stored form again must not change it.
        if ('stored' in parsed) expect(parseImportedHash(parsed.stored)).toEqual(parsed);
      }),
      { numRuns: 2000 },
    );
  });

  test('rejects highly repetitive input quickly', () => {
    const repeated = ['$', 'A', '=', '$a', '1,', '\u0000'].map((piece) => piece.repeat(1024).slice(0, 1024));
    for (const tail of repeated)
      for (const piece of pieces) expect(parseImportedHash(`${piece}${tail}`)).toHaveProperty('refused');
  });
});
