// Recovery codes: ten, each good once, for whoever has lost the rest (D39).
import { recoveryCodeDigest } from '../oauth/digests.ts';
import type { Sealer } from '../oauth/seal.ts';
import { readTypedCode } from '../oauth/typed-code.ts';

const COUNT = 10;
/** Sixteen letters of five bits each: 80 bits. */
const LENGTH = 16;
/** Crockford's base 32, which has no i, l, o and u; a byte falls on each of them equally often. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** Whose codes they are, and the session and the form that make them. */
export interface CodesOf {
  userId: string;
  sid: string;
  /** 256 random bits (web/one-use-form.ts). */
  form: string;
}

/**
 * The codes that a form makes, in groups of four: the same however often it is sent in its session, so that they can be
 * shown again for a while without being kept (ADR 11).
 */
export const recoveryCodesOf = (sealer: Sealer, { userId, sid, form }: CodesOf): string[] =>
  Array.from({ length: COUNT }, (_, index) => {
    const bytes = sealer.mac('recovery code', userId, sid, form, String(index)).subarray(0, LENGTH);
    const letters = Array.from(bytes, (byte) => ALPHABET[byte % ALPHABET.length]).join('');
    return letters.replace(/(.{4})(?=.)/g, '$1-');
  });

const MISREAD: Record<string, string> = { o: '0', i: '1', l: '1' };

/** What is kept of a code, however it was typed; undefined where it is none. */
export function recoveryCodeHash(userId: string, typed: string): Buffer | undefined {
  const code = readTypedCode(typed)
    .toLowerCase()
    .replace(/[oil]/g, (letter) => MISREAD[letter] ?? letter);
  const isCode = code.length === LENGTH && [...code].every((letter) => ALPHABET.includes(letter));
  return isCode ? recoveryCodeDigest(userId, code) : undefined;
}

/** The same of those that were just made. */
export const hashesOf = (userId: string, codes: readonly string[]): Buffer[] =>
  codes.flatMap((code) => recoveryCodeHash(userId, code) ?? []);
