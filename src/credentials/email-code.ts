// Checks emailed codes and limits the number of wrong codes per day.
import { countCodeAttempt } from '../accounts/rate-limits.ts';
import { EMAIL_CODE_LENGTH, hashEmailCode, type MailServices } from '../mail/links.ts';
import { parseDigits } from '../oauth/entered-code.ts';
import { findNewestToken, type TokenKind } from '../store/one-time-tokens.ts';

export interface EnteredCode {
  userId: string;
  kind: TokenKind;
  entered: string;
  browser?: string;
  ip: string;
}

/**
 * Checks an entered code. Malformed codes don't count toward the daily limit.
 * @returns the result of `check`, or `invalid` if no emailed code is pending. After too many wrong codes, returns
 *   `tooMany` until the next UTC day. Emailed links still work.
 */
export async function checkEmailCode<Checked extends { outcome: string }>(
  services: Pick<MailServices, 'database' | 'sealer'>,
  { userId, kind, entered, browser, ip }: EnteredCode,
  now: Date,
  check: (hash: Buffer) => Promise<Checked>,
): Promise<Checked | { outcome: 'wrong' | 'invalid' | 'tooMany' }> {
  const code = parseDigits(entered, EMAIL_CODE_LENGTH);
  if (code === undefined) return { outcome: 'wrong' };
  // Attempts without a pending code aren't counted, so attackers can't use up a user's limit. Sign-in codes are always
  // counted. Otherwise, the limit would reveal that the password was correct.
  const token = await findNewestToken(services.database, userId, kind, now, browser);
  if (token === undefined && kind !== 'sign_in') return { outcome: 'invalid' };
  const email = kind === 'sign_in' ? `${browser} ${token?.createdAt.toISOString()}` : undefined;
  const refund = await countCodeAttempt(services, { userId, ip, email }, now);
  if (refund === undefined) return { outcome: 'tooMany' };
  const checked = await check(hashEmailCode(services.sealer, userId, kind, code));
  if (checked.outcome !== 'wrong') await refund();
  return checked;
}
