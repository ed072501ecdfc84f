// Issues one-time links and codes for emails, and stores only their hashes.

import { randomInt } from 'node:crypto';
import type { Config } from '../config.ts';
import { emailedLinkDigest } from '../oauth/digests.ts';
import { EMAIL_LINK_TTL } from '../oauth/lifetimes.ts';
import type { Sealer } from '../oauth/seal.ts';
import { newAccountSecret, parseSecretUserId } from '../oauth/secrets.ts';
import type { Database, Queryable } from '../store/database.ts';
import { type EmailedLink, insertToken, type NewToken, type TokenKind } from '../store/one-time-tokens.ts';
import type { Mailer } from './delivery.ts';

export interface MailServices {
  config: Pick<Config, 'baseUrl' | 'hourlyLimits' | 'sessionTtl'>;
  database: Database;
  sealer: Sealer;
  mailer: Mailer;
}

/** Mail scanners open links, so only submitting the linked page's form redeems the token. */
const LINK_PATHS: Record<TokenKind, string> = {
  verify_email: '/security/confirm',
  change_email: '/security/confirm',
  reset_password: '/password/reset',
  invitation: '/password/reset',
  report_activity: '/security/report',
  sign_in: '/signin/code', // unused: sign-in emails contain only a code
};

/** The token's hash is stored with the MFA reset, not as a one-time token. */
export const CANCEL_RESET_PATH = '/security/cancel-reset';

/** Returns undefined if the token is malformed. */
export function parseLinkToken(token = ''): EmailedLink | undefined {
  const userId = parseSecretUserId(token);
  return userId === undefined ? undefined : { userId, hash: emailedLinkDigest(token) };
}

export const EMAIL_CODE_LENGTH = 8;

export const hashEmailCode = (sealer: Sealer, userId: string, kind: TokenKind, code: string): Buffer =>
  sealer.mac('mail-code', kind, userId, code);

/** Returns the link and the hash to store with the MFA reset. */
export function createCancelLink(
  { config }: Pick<MailServices, 'config'>,
  userId: string,
): { link: string; hash: Buffer } {
  const token = newAccountSecret(userId);
  return { link: `${config.baseUrl}${CANCEL_RESET_PATH}?token=${token}`, hash: emailedLinkDigest(token) };
}

/** Issues a link and a code. Some emails contain only the link or only the code. */
export async function issueToken(
  { config, sealer }: Pick<MailServices, 'config' | 'sealer'>,
  database: Queryable,
  { kind, userId, email, detail = {} }: Pick<NewToken, 'kind' | 'userId' | 'email'> & Partial<NewToken>,
  now: Date,
): Promise<{ link: string; code: string }> {
  const token = newAccountSecret(userId);
  const code = randomInt(10 ** EMAIL_CODE_LENGTH)
    .toString()
    .padStart(EMAIL_CODE_LENGTH, '0');
  const hasCode = kind === 'verify_email' || kind === 'change_email' || kind === 'sign_in';
  await insertToken(
    database,
    {
      hash: emailedLinkDigest(token),
      kind,
      userId,
      email,
      // A report link must stay valid after an intruder has changed the password or email address.
      endsWithEpoch: kind !== 'verify_email' && kind !== 'report_activity',
      codeHash: hasCode ? hashEmailCode(sealer, userId, kind, code) : undefined,
      detail,
      expiresAt: new Date(now.getTime() + EMAIL_LINK_TTL[kind] * 1000),
    },
    now,
  );
  return { link: `${config.baseUrl}${LINK_PATHS[kind]}?token=${token}`, code };
}
