// Content of outbox rows, sealed because emails contain links and codes.

import type { Locale } from '../i18n/index.ts';
import { EMAIL_LINK_TTL, UNSENT_EMAIL_TTL } from '../oauth/lifetimes.ts';
import type { Sealer } from '../oauth/seal.ts';
import type { Email } from './email.ts';

/**
 * Composed after the response so that timing doesn't reveal whether an account exists. During a rolling update, another
 * version may read the row, so property names must stay compatible.
 */
export type DeferredEmail = { kind: 'deferred' } & (
  | DeferredResetEmail
  | DeferredSignInEmail
  | DeferredGuessingAlert
  | DeferredChangeEmail
  | DeferredOfferEmail
  | DeferredIdentitySignUpEmail
);

export interface DeferredResetEmail {
  template: 'reset_password';
  email: string;
  locale: Locale;
  returnTo: object;
}

export interface DeferredSignInEmail {
  template: 'sign_in';
  /** null if the password is wrong or the account is unknown. If null, no email is sent. */
  userId: string | null;
  browser: string;
  ip: string;
  userAgent: string;
  locale: Locale;
}

export interface DeferredChangeEmail {
  template: 'change_email';
  userId: string;
  email: string;
  locale: Locale;
  link: string;
  code: string;
}

/** Deferred so that the response doesn't reveal whether the recipient has an account. */
export type DeferredOfferEmail = {
  id: string;
  template: 'offered';
  email: string;
  locale: Locale;
};

/** Deferred because an account may already have the email address. */
export interface DeferredIdentitySignUpEmail {
  template: 'identity_sign_up';
  email: string;
  locale: Locale;
  /** Works only in the browser that started the sign-up. */
  link: string;
}

export interface DeferredGuessingAlert {
  template: 'password_guessed';
  /** null if the account is unknown. If null, no email is sent. */
  userId: string | null;
  ip: string;
}

export type OutboxContent = Email | DeferredEmail;

const SEAL_PURPOSE = 'mail';

/** Binds the content to its outbox row. */
export const sealContent = (sealer: Sealer, id: string, content: OutboxContent): string =>
  sealer.sealJson(SEAL_PURPOSE, [id, content]);

/** Returns undefined if the content was sealed with a different key or for a different row. */
export function openContent(sealer: Sealer, id: string, sealed: string): OutboxContent | undefined {
  const [rowId, content] = sealer.openJson<[string, OutboxContent]>(SEAL_PURPOSE, sealed) ?? [];
  if (rowId !== id || content === undefined) return undefined;
  return {
    ...content,
    ...('at' in content && { at: new Date(content.at) }),
    ...('until' in content && { until: new Date(content.until) }),
  };
}

/** @returns milliseconds, at most the lifetime of the email's link */
export function getSendTtl(content: OutboxContent): number {
  const type = content.kind === 'deferred' ? content.template : content.kind;
  const { [type]: linkTtl = UNSENT_EMAIL_TTL }: Partial<Record<string, number>> = EMAIL_LINK_TTL;
  return 1000 * Math.min(UNSENT_EMAIL_TTL, linkTtl);
}
