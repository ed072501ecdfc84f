// Kinds of emails and their content before rendering.
import type { Locale, Messages } from '../i18n/index.ts';
import type { ResourceKind } from '../store/owned-resources.ts';
import type { AddedKind } from '../store/recent-additions.ts';
import type { ChangedKind } from '../store/recent-changes.ts';
import type { EmailImage } from './logo.ts';

/** Emails about account changes, with a link for reporting unauthorized activity. */
export type SecurityAlert = keyof Messages['mail']['notices'];

/** Emails without a report link, for example about account deletion. */
export type AccountNotification = keyof Messages['mail']['announcements'];

interface Circumstances {
  at: Date;
  ip: string;
  device: { browser: string | undefined; system: string | undefined };
}

interface RemovedItem {
  kind: AddedKind;
  resourceName: string | null;
  name: string | null;
}

/** `link` is the item's page, if the item still exists. */
interface ReviewItem {
  kind: ChangedKind;
  holder: string | null;
  link: string | undefined;
}

interface EmailRecipient {
  to: { name: string; email: string };
  locale: Locale;
}

export type Email = EmailRecipient &
  (
    | { kind: 'verify_email' | 'change_email'; link: string; code: string }
    | { kind: 'reset_password' | 'invitation'; link: string }
    | { kind: 'email_in_use' }
    | { kind: 'identity_sign_up' | 'identity_sign_up_taken'; link: string }
    /** Sent instead of a password reset email if the account has no password. */
    | { kind: 'without_password'; link: string }
    | { kind: 'offered'; what: ResourceKind; name: string; from: string; until: Date; link: string }
    | { kind: 'mfa_reset_requested'; at: Date; until: Date; passkeys: boolean; link: string }
    | {
        kind: 'activity_reported';
        removed: readonly RemovedItem[];
        review: readonly ReviewItem[];
        /** Whether another account now has the former email address. */
        taken: boolean;
        link: string;
      }
    | (Circumstances & { kind: 'sign_in'; code: string })
    /** `link` is the report link of a security alert. */
    | (Circumstances & {
        kind: 'notice';
        notice: SecurityAlert | AccountNotification;
        subject: string | undefined;
        link?: string;
      })
  );

export interface RenderedEmail {
  from: { name: string; address: string };
  to: { name: string; address: string };
  subject: string;
  text: string;
  html: string;
  images: readonly EmailImage[];
  date: Date;
}
