// What lies in the outbox: a letter, or the wish for one that is yet to be written; sealed, for it may open something.

import type { Locale } from '../i18n/index.ts';
import { MAILED_LINK, UNSENT_MAIL } from '../oauth/lifetimes.ts';
import type { Sealer } from '../oauth/seal.ts';
import type { Letter } from './letter.ts';

/**
 * A letter that may not be felt in the answer's time: whether there is anybody to write to is found out afterwards.
 * The same row is written for everybody who asks. Its members keep their names: the version before may write it, or read it.
 */
export type Wish = { kind: 'wish' } & (ResetWish | SignInWish | GuessedWish | ChangeWish | OfferWish);

export interface ResetWish {
  what: 'reset_password';
  email: string;
  locale: Locale;
  returnTo: object;
}

export interface SignInWish {
  what: 'sign_in';
  /** Null when the password was wrong, or nobody has the account: then nobody is written to. */
  userId: string | null;
  /** The browser in which it was given, as the token's detail names it. */
  browser: string;
  address: string;
  userAgent: string;
  locale: Locale;
}

export interface ChangeWish {
  what: 'change_email';
  userId: string;
  email: string;
  locale: Locale;
  link: string;
  code: string;
}

/** An application or an API on offer: whether anybody has the address is nobody's business. */
export type OfferWish = {
  /** Of the client or API. */
  id: string;
  what: 'offered';
  email: string;
  /** The language of whoever offers it. */
  locale: Locale;
};

export interface GuessedWish {
  what: 'password_guessed';
  /** Null where there is no account with the email: the same row is written for it. */
  userId: string | null;
  address: string;
}

export type Content = Letter | Wish;

/** A purpose of its own: nothing else that is sealed opens as a mail. */
const PURPOSE = 'mail';

/** The id goes with it: a row's content opens in no other row. */
export const sealContent = (sealer: Sealer, id: string, content: Content): string =>
  sealer.sealJson(PURPOSE, [id, content]);

/** Undefined when another key has sealed it, or for another row. */
export function openContent(sealer: Sealer, id: string, sealed: string): Content | undefined {
  const [of, content] = sealer.openJson<[string, Content]>(PURPOSE, sealed) ?? [];
  if (of !== id || content === undefined) return undefined;
  return {
    ...content,
    ...('at' in content && { at: new Date(content.at) }),
    ...('until' in content && { until: new Date(content.until) }),
  };
}

/** How long it is worth sending, in milliseconds: a link that is dead opens nothing. */
export function worthSending(content: Content): number {
  const what = content.kind === 'wish' ? content.what : content.kind;
  const { [what]: link = UNSENT_MAIL }: Partial<Record<string, number>> = MAILED_LINK;
  return 1000 * Math.min(UNSENT_MAIL, link);
}
