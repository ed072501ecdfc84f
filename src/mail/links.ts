// Links and codes that go out by mail: made here, told apart by their kind, which says what ends them too; only their hashes stay.

import { randomInt } from 'node:crypto';
import type { Config } from '../config.ts';
import { mailedLinkDigest } from '../oauth/digests.ts';
import { MAILED_LINK } from '../oauth/lifetimes.ts';
import type { Sealer } from '../oauth/seal.ts';
import { accountOfSecret, newAccountSecret } from '../oauth/secrets.ts';
import type { Database, Queryable } from '../store/database.ts';
import { insertToken, type MailedLink, type NewToken, type TokenKind } from '../store/one-time-tokens.ts';
import type { Mailer } from './mailer.ts';

/** What everything that writes mails needs of the process. */
export interface MailParts {
  config: Pick<Config, 'baseUrl' | 'hourlyLimits' | 'sessionTtl'>;
  database: Database;
  sealer: Sealer;
  mailer: Mailer;
}

/** The pages that the links open; each uses its token up by a form only, since mail scanners open links, too. */
const PAGES: Record<TokenKind, string> = {
  verify_email: '/security/confirm',
  change_email: '/security/confirm',
  reset_password: '/password/reset',
  invitation: '/password/reset',
  not_me: '/security/not-me',
  sign_in: '/signin/code', // its email shows the code alone
};

/** The page of the one link that is no token of its own: it is known by what it stops (store/second-factor-resets.ts). */
export const STOP_RESET = '/security/stop-reset';

/** Reads the token of a link; undefined if it can't be one. */
export function readLink(token = ''): MailedLink | undefined {
  const userId = accountOfSecret(token);
  return userId === undefined ? undefined : { userId, hash: mailedLinkDigest(token) };
}

export const MAILED_CODE_LENGTH = 8;

/** The keyed hash of a code, in ASCII digits. */
export const codeHash = (sealer: Sealer, userId: string, kind: TokenKind, code: string): Buffer =>
  sealer.mac('mail-code', kind, userId, code);

/** A link that stops the reset of a second factor, and the hash under which that knows it. */
export function newStopLink(
  { config }: Pick<MailParts, 'config'>,
  userId: string,
): { link: string; hash: Buffer } {
  const token = newAccountSecret(userId);
  return { link: `${config.baseUrl}${STOP_RESET}?token=${token}`, hash: mailedLinkDigest(token) };
}

/** Makes a link, and for addresses a code to type instead. */
export async function issueToken(
  { config, sealer }: Pick<MailParts, 'config' | 'sealer'>,
  database: Queryable,
  { kind, userId, email, detail = {} }: Pick<NewToken, 'kind' | 'userId' | 'email'> & Partial<NewToken>,
  now: Date,
): Promise<{ link: string; code: string }> {
  const token = newAccountSecret(userId);
  const code = randomInt(10 ** MAILED_CODE_LENGTH)
    .toString()
    .padStart(MAILED_CODE_LENGTH, '0');
  const hasCode = kind === 'verify_email' || kind === 'change_email' || kind === 'sign_in';
  await insertToken(
    database,
    {
      hash: mailedLinkDigest(token),
      kind,
      userId,
      email,
      // « This was not me » must still work after the one who it was has changed the password.
      bound: kind !== 'verify_email' && kind !== 'not_me',
      codeHash: hasCode ? codeHash(sealer, userId, kind, code) : undefined,
      detail,
      expiresAt: new Date(now.getTime() + MAILED_LINK[kind] * 1000),
    },
    now,
  );
  return { link: `${config.baseUrl}${PAGES[kind]}?token=${token}`, code };
}
