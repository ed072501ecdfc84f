// How long mails are worth something: the links in them, and sending them at all.
import type { TokenKind } from '../store/one-time-tokens.ts';
import type { Content } from './envelope.ts';

const HOUR = 3600;
const DAY = 24 * HOUR;

/** How long each link, and its code, is good, in seconds. */
export const LIFETIMES: Record<TokenKind, number> = {
  verify_email: DAY,
  change_email: DAY,
  reset_password: HOUR / 2,
  not_me: 7 * DAY,
  sign_in: HOUR / 2,
};

/** How long a mail is worth sending, in milliseconds: a day, or as long as its link is good. */
export function worthSending(content: Content): number {
  const what = content.kind === 'wish' ? content.what : content.kind;
  return 1000 * Math.min(DAY, what in LIFETIMES ? LIFETIMES[what as TokenKind] : DAY);
}
