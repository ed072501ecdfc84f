// Sealed values: nobody can read, make, alter or move them (design: codes, refresh tokens, pending requests, keys).
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createSealer } from '../../src/oauth/seal.ts';

const KEY = 'a secret key for tests only: 0123456789abcdef';
const OTHER_KEY = 'another secret key for tests: fedcba9876543210';
const sealer = createSealer(KEY);

const purpose = fc.string({ minLength: 1, maxLength: 20 });
const content = fc.uint8Array({ maxLength: 200 });

describe('what was sealed opens', () => {
  test('property: round trip for any bytes under any purpose', () => {
    fc.assert(
      fc.property(purpose, content, (name, bytes) => {
        const sealed = sealer.seal(name, bytes);
        expect(sealed).toMatch(/^[A-Za-z0-9_-]+$/);
        expect(sealer.open(name, sealed)?.equals(bytes)).toBe(true);
      }),
    );
  });

  test('property: the same bytes always give the same text, which a lost successor needs (D16)', () => {
    fc.assert(
      fc.property(purpose, content, (name, bytes) => {
        expect(createSealer(KEY).seal(name, bytes)).toBe(sealer.seal(name, bytes));
      }),
    );
  });
});

// Made with Python's hmac and hashlib and OpenSSL's AES-256-CTR from the construction in ADR 2.
test('test vectors', () => {
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

describe('what was not sealed so never opens', () => {
  test('property: under another purpose', () => {
    fc.assert(
      fc.property(purpose, purpose, content, (one, other, bytes) => {
        fc.pre(one !== other);
        expect(sealer.open(other, sealer.seal(one, bytes))).toBeUndefined();
      }),
    );
  });

  test('property: with any one bit flipped', () => {
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

  test('property: cut short, lengthened, or joined with another', () => {
    fc.assert(
      fc.property(content, content, fc.nat(), (bytes, others, cut) => {
        const sealed = sealer.seal('p', bytes);
        expect(sealer.open('p', sealed.slice(0, cut % sealed.length))).toBeUndefined();
        expect(sealer.open('p', `${sealed}A`)).toBeUndefined();
        expect(sealer.open('p', sealed + sealer.seal('p', others))).toBeUndefined();
      }),
    );
  });

  test('property: any text at all', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes).toString('base64url')),
    );
    fc.assert(
      fc.property(text, (any) => {
        expect(sealer.open('p', any)).toBeUndefined();
      }),
    );
  });

  test('in any other spelling: padding, standard base64, white space (one value has one spelling)', () => {
    const bytes = Array.from({ length: 100 }, (_, i) => Buffer.from([i])).find((one) =>
      /[-_]/.test(sealer.seal('p', one)),
    );
    const sealed = sealer.seal('p', bytes ?? Buffer.alloc(0));
    expect(sealed).toMatch(/[-_]/);
    expect(sealer.open('p', sealed)).toBeDefined();
    const standard = sealed.replaceAll('-', '+').replaceAll('_', '/');
    for (const spelling of [`${sealed}=`, `${sealed}==`, standard, ` ${sealed}`, `${sealed}\n`, `${sealed}.`])
      expect(sealer.open('p', spelling), JSON.stringify(spelling)).toBeUndefined();
  });

  test('under another key', () => {
    const sealed = sealer.seal('p', Buffer.from('content'));
    expect(createSealer(OTHER_KEY).open('p', sealed)).toBeUndefined();
    expect(createSealer(`${KEY} `).open('p', sealed)).toBeUndefined();
  });
});

describe('SECRET_KEY_PREVIOUS', () => {
  const moved = createSealer(OTHER_KEY, [KEY]);

  test('still opens what it sealed', () => {
    expect(moved.open('p', sealer.seal('p', Buffer.from('content')))?.toString()).toBe('content');
  });

  test('seals nothing any more', () => {
    const sealed = moved.seal('p', Buffer.from('content'));
    expect(sealer.open('p', sealed)).toBeUndefined();
    expect(sealed).toBe(createSealer(OTHER_KEY).seal('p', Buffer.from('content')));
  });
});

describe('mac', () => {
  test('is never the tag of what is sealed for a purpose of the same name', () => {
    const sealed = Buffer.from(sealer.seal('csrf', Buffer.from('["text"]')), 'base64url');
    expect(sealer.mac('csrf', 'text')).not.toEqual(sealed.subarray(0, 32));
  });

  test('differs by purpose, text and key; a previous key does not count', () => {
    const macs = [
      sealer.mac('csrf', 'text'),
      sealer.mac('other', 'text'),
      sealer.mac('csrf', 'other'),
      sealer.mac('csrf', 'text', ''),
      sealer.mac('csrf', 'te', 'xt'),
      sealer.mac('csrf', 'te","xt'),
      createSealer(OTHER_KEY, [KEY]).mac('csrf', 'text'),
    ];
    expect(new Set(macs.map((mac) => mac.toString('hex'))).size).toBe(macs.length);
  });
});
