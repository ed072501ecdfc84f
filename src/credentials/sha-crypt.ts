// SHA-crypt, the `$5$` and `$6$` hashes of Linux, OpenLDAP and Dovecot.
// Specification: https://www.akkadia.org/drepper/SHA-crypt.txt
import { hash } from 'node:crypto';

export const CRYPT_ALPHABET = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Computes the encoded digest. The time grows with the square of the password's length. */
export function computeShaCrypt(
  algorithm: 'sha256' | 'sha512',
  password: string,
  salt: string,
  rounds: number,
): string {
  const digest = (...parts: Buffer[]) => hash(algorithm, Buffer.concat(parts), 'buffer');
  const repeat = (bytes: Buffer, length: number) => Buffer.alloc(length, bytes);
  const [key, saltBytes] = [Buffer.from(password), Buffer.from(salt)];
  const both = digest(key, saltBytes, key);
  const parts = [key, saltBytes, repeat(both, key.length)];
  for (let bits = key.length; bits > 0; bits >>= 1) parts.push(bits % 2 === 1 ? both : key);
  let state = digest(...parts);
  const p = repeat(digest(...Array<Buffer>(key.length).fill(key)), key.length);
  const s = repeat(digest(...Array<Buffer>(16 + (state[0] ?? 0)).fill(saltBytes)), saltBytes.length);
  const none = Buffer.alloc(0);
  for (let round = 0; round < rounds; round += 1) {
    const [first, last] = round % 2 === 1 ? [p, state] : [state, p];
    state = digest(first, round % 3 === 0 ? none : s, round % 7 === 0 ? none : p, last);
  }
  return algorithm === 'sha256' ? encodeSha256(state) : encodeSha512(state);
}

function encodeGroup(bytes: readonly number[], length: number): string {
  let value = bytes.reduce((sum, byte) => sum * 256 + byte, 0);
  let text = '';
  for (let i = 0; i < length; i += 1) {
    text += CRYPT_ALPHABET[value & 63];
    value >>= 6;
  }
  return text;
}

function encodeSha512(bytes: Buffer): string {
  const byte = (index: number) => bytes[index] ?? 0;
  const groups = Array.from({ length: 21 }, (_, k) => {
    const columns = [byte(k), byte(k + 21), byte(k + 42)];
    return encodeGroup([...columns.slice(k % 3), ...columns.slice(0, k % 3)], 4);
  });
  return groups.join('') + encodeGroup([byte(63)], 2);
}

function encodeSha256(bytes: Buffer): string {
  const byte = (index: number) => bytes[index] ?? 0;
  const groups = Array.from({ length: 10 }, (_, k) => {
    const columns = [byte(k), byte(k + 10), byte(k + 20)];
    const shift = (3 - (k % 3)) % 3;
    return encodeGroup([...columns.slice(shift), ...columns.slice(0, shift)], 4);
  });
  return groups.join('') + encodeGroup([byte(31), byte(30)], 3);
}
