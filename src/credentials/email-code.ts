// Checks emailed codes, and limits the number of wrong codes per day.
import { countCodeAttempt } from '../accounts/rate-limits.ts';
import { EMAIL_CODE_LENGTH, hashEmailCode, type MailServices } from '../mail/links.ts';
import { parseDigits } from '../oauth/entered-code.ts';
import { findNewestToken, type TokenKind } from '../store/one-time-tokens.ts';

export interface EnteredCode {
  userId: string;
  kind: TokenKind;
  entered: string;
  /** Hash of the id of the browser in which the email was requested, if the code is valid only in that browser. */
  browser?: string;
  ip: string;
}

/**
 * Checks an entered code, unless too many wrong codes were entered today. Malformed codes are rejected, but aren't counted.
 * @returns the result of `check`. Returns `invalid` if no emailed code is pending. Returns `tooMany` if too many wrong codes were
 *   entered. In that case, only the emailed link works for the rest of the day.
 */
export async function checkEmailCode<Checked extends { outcome: string }>(
  services: Pick<MailServices, 'database' | 'sealer'>,
  { userId, kind, entered, browser, ip }: EnteredCode,
  now: Date,
  /** Redeems the emailed code that has this hash. */
  check: (hash: Buffer) => Promise<Checked>,
): Promise<Checked | { outcome: 'wrong' | 'invalid' | 'tooMany' }> {
  const code = parseDigits(entered, EMAIL_CODE_LENGTH);
  if (code === undefined) return { outcome: 'wrong' };
  // If no code is pending, the attempt isn't counted, so attackers can't use up another account's limit. Attempts to enter a
  // sign-in code are always counted. Otherwise, the limit would reveal whether a code was sent, which happens only after a right
  // password.
  const token = await findNewestToken(services.database, userId, kind, now, browser);
  if (token === undefined && kind !== 'sign_in') return { outcome: 'invalid' };
  // Attempts to enter a sign-in code are counted per message, so that one browser can't use up other browsers' attempts.
  const email = kind === 'sign_in' ? `${browser} ${token?.createdAt.toISOString()}` : undefined;
  const refund = await countCodeAttempt(services, { userId, ip, email }, now);
  if (refund === undefined) return { outcome: 'tooMany' };
  const checked = await check(hashEmailCode(services.sealer, userId, kind, code));
  if (checked.outcome !== 'wrong') await refund();
  return checked;
}
