// What a new password must be like: neither short, nor endless, nor easy to guess; each fault by name, its words are in the dictionaries.
import { type Asker, type Strength, strengthOf, type Weakness } from './password-strength.ts';

/** Characters (NIST SP 800-63B §3.1.1.2: at least 8, and room for 64 and more). */
export const PASSWORD_MIN = 8;
export const PASSWORD_MAX = 1024;

/** Where pages ask how strong one is that may do (pages/credentials/strength.ts). */
export const STRENGTH = { address: '/password/strength', least: PASSWORD_MIN };

/** What is guessed within a million tries is refused: slowed down as they are, somebody has the time for those. */
const WEAKEST_SCORE = 2;

export type PasswordFault = 'tooShort' | 'tooLong' | Weakness;

/** Whose password it will be: what of them could be in it. */
export type About = readonly string[];

/** @returns what is wrong with it, or how strong it is */
export async function judgePassword(
  password: string,
  about: About,
  asker?: Asker,
): Promise<{ fault: PasswordFault } | { fault: undefined; strength: Strength }> {
  const fault = lengthFault(password);
  if (fault !== undefined) return { fault };
  const strength = await strengthOf(password, about, asker);
  return strength.score < WEAKEST_SCORE ? { fault: strength.weakness } : { fault: undefined, strength };
}

export function lengthFault(password: string): 'tooShort' | 'tooLong' | undefined {
  if (password.length > PASSWORD_MAX * 2) return 'tooLong';
  // Counted as a person counts (code points), not in UTF-16 units.
  const length = [...password].length;
  if (length < PASSWORD_MIN) return 'tooShort';
  return length > PASSWORD_MAX ? 'tooLong' : undefined;
}
