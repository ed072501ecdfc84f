import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createSealer } from '../../src/oauth/seal.ts';

const SECRET_KEY = 'a secret key for tests only: 0123456789abcdef';
const OTHER_SECRET_KEY = 'another secret key for tests: fedcba9876543210';
const sealer = createSealer(SECRET_KEY);

const purpose = fc.string({ minLength: 1, maxLength: 20 });
const content = fc.uint8Array({ maxLength: 200 });

describe('a sealer', () => {
  test('can open any value that it sealed for the same purpose', () => {
    fc.assert(
      fc.property(purpose, content, (name, bytes) => {
        const sealed = sealer.seal(name, bytes);
        expect(sealed).toMatch(/^[A-Za-z0-9_-]+$/);
        expect(sealer.open(name, sealed)?.equals(bytes)).toBe(true);
      }),
    );
  });

  test('seals equal values identically', () => {
    fc.assert(
      fc.property(purpose, content, (name, bytes) => {
        expect(createSealer(SECRET_KEY).seal(name, bytes)).toBe(sealer.seal(name, bytes));
      }),
    );
  });
});

// The expected values were computed with Python and OpenSSL, as described in ADR 2.
test('sealing and opening match the test vectors', () => {
  const ascending = Buffer.from(Array.from({ length: 48 }, (_, i) => i));
  const vectors: [purpose: string, bytes: Buffer, sealed: string][] = [
    ['code', Buffer.alloc(0), 'Hxh0Ybhv-L6ovAZAsIjrQWJgJAI6DEYhFR1OX7w116A'],
    ['code', Buffer.from('content'), 'ozUwUdjgnr4GonyoVZ89xZbLZI5K1fjNRRoh-73RG4oigXQb7cxq'],
    ['refresh token', Buffer.from('content'), 'U_p26rsMpB4sVuXap4aHsTfHmDrbLvO3enl_jUoLtrq5MJWeVf5a'],
    [
      'code',
      ascending,
      'xOF8GRhvtrPO9YmyaHE6Z3CZ7n9vOUKAL3HYmtkW3Sc7_y49Aliqagzi_hnbnEcaK7sI946_SB-g_GTJwk7wgo43BSZM2bJJ97bOyAuWTSw',
    ],
  ];
  for (const [name, bytes, sealed] of vectors) {
    expect(sealer.seal(name, bytes)).toBe(sealed);
    expect(sealer.open(name, sealed)).toEqual(bytes);
  }
});

describe('opening a sealed value', () => {
  test('fails for a different purpose', () => {
    fc.assert(
      fc.property(purpose, purpose, content, (sealPurpose, openPurpose, bytes) => {
        fc.pre(sealPurpose !== openPurpose);
        expect(sealer.open(openPurpose, sealer.seal(sealPurpose, bytes))).toBeUndefined();
      }),
    );
  });

  test('fails if a bit was flipped', () => {
    fc.assert(
      fc.property(content, fc.nat(), (bytes, index) => {
        const sealed = Buffer.from(sealer.seal('p', bytes), 'base64url');
        const bit = index % (sealed.length * 8);
        const byte = sealed[bit >> 3] ?? 0;
        sealed[bit >> 3] = byte ^ (1 << (bit & 7));
        expect(sealer.open('p', sealed.toString('base64url'))).toBeUndefined();
      }),
      { numRuns: 500 },
    );
  });

  test('fails if the length was changed', () => {
    fc.assert(
      fc.property(content, content, fc.nat(), (bytes, otherBytes, cut) => {
        const sealed = sealer.seal('p', bytes);
        expect(sealer.open('p', sealed.slice(0, cut % sealed.length))).toBeUndefined();
        expect(sealer.open('p', `${sealed}A`)).toBeUndefined();
        expect(sealer.open('p', sealed + sealer.seal('p', otherBytes))).toBeUndefined();
      }),
    );
  });

  test('fails for an arbitrary string', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes).toString('base64url')),
    );
    fc.assert(
      fc.property(text, (arbitrary) => {
        expect(sealer.open('p', arbitrary)).toBeUndefined();
      }),
    );
  });

  test('fails for a different encoding, such as padded base64', () => {
    const bytes = Array.from({ length: 100 }, (_, i) => Buffer.from([i])).find((candidate) =>
      /[-_]/.test(sealer.seal('p', candidate)),
    );
    const sealed = sealer.seal('p', bytes ?? Buffer.alloc(0));
    expect(sealed).toMatch(/[-_]/);
    expect(sealer.open('p', sealed)).toBeDefined();
    const standard = sealed.replaceAll('-', '+').replaceAll('_', '/');
    for (const encoding of [`${sealed}=`, `${sealed}==`, standard, ` ${sealed}`, `${sealed}\n`, `${sealed}.`])
      expect(sealer.open('p', encoding), JSON.stringify(encoding)).toBeUndefined();
  });

  test('fails with a different key', () => {
    const sealed = sealer.seal('p', Buffer.from('content'));
    expect(createSealer(OTHER_SECRET_KEY).open('p', sealed)).toBeUndefined();
    expect(createSealer(`${SECRET_KEY} `).open('p', sealed)).toBeUndefined();
  });
});

describe('SECRET_KEY_PREVIOUS', () => {
  const rotated = createSealer(OTHER_SECRET_KEY, [SECRET_KEY]);

  test('can open values sealed before the key changed', () => {
    expect(rotated.open('p', sealer.seal('p', Buffer.from('content')))?.toString()).toBe('content');
  });

  test('is never used to seal new values', () => {
    const sealed = rotated.seal('p', Buffer.from('content'));
    expect(sealer.open('p', sealed)).toBeUndefined();
    expect(sealed).toBe(createSealer(OTHER_SECRET_KEY).seal('p', Buffer.from('content')));
  });
});

describe('a MAC', () => {
  test('differs from the tag of a sealed value', () => {
    const sealed = Buffer.from(sealer.seal('csrf', Buffer.from('["text"]')), 'base64url');
    expect(sealer.mac('csrf', 'text')).not.toEqual(sealed.subarray(0, 32));
  });

  test('depends on the purpose, the parts and the current key', () => {
    const macs = [
      sealer.mac('csrf', 'text'),
      sealer.mac('other', 'text'),
      sealer.mac('csrf', 'other'),
      sealer.mac('csrf', 'text', ''),
      sealer.mac('csrf', 'te', 'xt'),
      sealer.mac('csrf', 'te","xt'),
      createSealer(OTHER_SECRET_KEY, [SECRET_KEY]).mac('csrf', 'text'),
    ];
    expect(new Set(macs.map((mac) => mac.toString('hex'))).size).toBe(macs.length);
  });
});
