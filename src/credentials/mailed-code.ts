// Codes sent by email: read as they are typed, and bounded in how many wrong ones are checked.
import { takeCodeGuess } from '../accounts/limits.ts';
import { codeHash, MAILED_CODE_LENGTH, type MailParts } from '../mail/links.ts';
import { readDigits } from '../oauth/typed-code.ts';
import { newestToken, type TokenKind } from '../store/one-time-tokens.ts';

export interface TypedCode {
  userId: string;
  kind: TokenKind;
  typed: string;
  /** The hash of the browser that the email is for, if it is for one. */
  browser?: string;
  address: string;
}

/**
 * Checks a typed code, unless too many wrong ones were checked today.
 * @param check compares the hash of the code with that of the email, and uses it up
 * @returns what that returned; `wrong` also for what can't be a code, which doesn't count as an attempt; `dead` if no code is
 *   waited for; `tooMany` if only the link works today
 */
export async function checkMailedCode<Checked extends { outcome: string }>(
  parts: Pick<MailParts, 'database' | 'sealer'>,
  { userId, kind, typed, browser, address }: TypedCode,
  now: Date,
  check: (hash: Buffer) => Promise<Checked>,
): Promise<Checked | { outcome: 'wrong' | 'dead' | 'tooMany' }> {
  const code = readDigits(typed, MAILED_CODE_LENGTH);
  if (code === undefined) return { outcome: 'wrong' };
  // Without an email there is nothing to guess, so nobody can use up the attempts of another account. A sign-in does the same
  // work in any case: whether there is an email tells whether the password was right.
  const token = await newestToken(parts.database, userId, kind, now, browser);
  if (token === undefined && kind !== 'sign_in') return { outcome: 'dead' };
  // A browser that the account doesn't know mustn't use up the attempts of another.
  const email = kind === 'sign_in' ? `${browser} ${token?.createdAt.toISOString()}` : undefined;
  const giveBack = await takeCodeGuess(parts, { userId, address, email }, now);
  if (giveBack === undefined) return { outcome: 'tooMany' };
  const checked = await check(codeHash(parts.sealer, userId, kind, code));
  if (checked.outcome !== 'wrong') await giveBack();
  return checked;
}
