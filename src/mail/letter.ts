// What can be written to people: each letter by what it has to say, without its words.
import type { Locale, Messages } from '../i18n/index.ts';
import type { AddedKind } from '../store/added-since.ts';
import type { ChangedKind } from '../store/changed-since.ts';
import type { Kind } from '../store/owned.ts';
import type { MailImage } from './logo.ts';

/** Changes that an account's owner can report as unauthorized by the link of the email. */
export type SecurityNotice = keyof Messages['mail']['notices'];

/** What can't be reported: decisions of administrators, attempts that failed, the deletion of an account. */
export type Announcement = keyof Messages['mail']['announcements'];

/** When, from which address, and with what, as far as it is known. */
interface Circumstances {
  at: Date;
  address: string;
  device: { browser: string | undefined; system: string | undefined };
}

/** What was removed; without a holder it belonged to the account. */
interface RemovedItem {
  kind: AddedKind;
  holder: string | null;
  name: string | null;
}

/** What was changed or deleted, with a link to it if it is still there. */
interface ReviewItem {
  kind: ChangedKind;
  holder: string | null;
  link: string | undefined;
}

interface Addressed {
  to: { name: string; email: string };
  locale: Locale;
}

export type Letter = Addressed &
  (
    | { kind: 'verify_email' | 'change_email'; link: string; code: string }
    | { kind: 'reset_password' | 'invitation'; link: string }
    | { kind: 'address_taken' }
    /** A new password was asked for, and the account has none: the link leads to where its recovery codes are good. */
    | { kind: 'without_password'; link: string }
    | { kind: 'offered'; what: Kind; name: string; from: string; until: Date; link: string }
    /** Operators are about to take the second factor away. */
    | { kind: 'reset_asked'; at: Date; until: Date; passkeys: boolean; link: string }
    | {
        kind: 'activity_reported';
        removed: readonly RemovedItem[];
        review: readonly ReviewItem[];
        /** Whether the former email address could not be restored. */
        taken: boolean;
        link: string;
      }
    | (Circumstances & { kind: 'sign_in'; code: string })
    /** `link`: reports it. */
    | (Circumstances & {
        kind: 'notice';
        notice: SecurityNotice | Announcement;
        subject: string | undefined;
        link?: string;
      })
  );

/** A letter in words, as it goes to the server. */
export interface Mail {
  from: { name: string; address: string };
  to: { name: string; address: string };
  subject: string;
  text: string;
  html: string;
  /** What the HTML shows as `cid:`. */
  images: readonly MailImage[];
  date: Date;
}
