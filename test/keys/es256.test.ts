// ES256 signatures as JWTs carry them, verified by a reader that is not ours.
import { generateKeyPairSync, verify } from 'node:crypto';
import { expect, test } from 'vitest';
import { signEs256 } from '../../src/keys/es256.ts';

test('RFC 7518 §3.4: both numbers have 32 bytes, also the small ones (one signature in 128 has one)', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  let small = 0;
  for (let n = 0; n < 1500; n += 1) {
    const data = Buffer.from(`signed ${n}`);
    const signature = signEs256(data, privateKey);
    expect(signature).toHaveLength(64);
    expect(verify('sha256', data, { key: publicKey, dsaEncoding: 'ieee-p1363' }, signature)).toBe(true);
    if (signature[0] === 0 || signature[32] === 0) small += 1;
  }
  expect(small).toBeGreaterThan(0);
});
