// What can be written to people: each letter by what it has to say, without its words.
import type { Locale } from '../i18n/index.ts';
import type { AddedKind } from '../store/added-since.ts';
import type { ChangedKind } from '../store/changed-since.ts';
import type { Kind } from '../store/owned.ts';
import type { MailImage } from './logo.ts';

/** Changes that an account's owner can report as unauthorized by the link of the email. */
export type SecurityNotice =
  | 'new_sign_in'
  | 'password_changed'
  | 'password_reset'
  | 'password_removed'
  | 'password_added'
  | 'email_change_requested'
  | 'email_changed'
  | 'secret_created'
  | 'secret_ended'
  | 'application_deleted'
  | 'application_changed'
  | 'application_transfer_offered'
  | 'application_transferred'
  | 'application_received'
  | 'api_secret_created'
  | 'api_secret_ended'
  | 'api_keys_changed'
  | 'api_deleted'
  | 'api_transfer_offered'
  | 'api_transferred'
  | 'api_received'
  | 'api_access_cut'
  | 'api_access_restored'
  | 'service_access_granted'
  | 'agent_access_given'
  | 'sensitive_access_given'
  | 'sessions_ended'
  | 'app_added'
  | 'app_removed'
  | 'recovery_codes_made'
  | 'second_factor_reset'
  | 'passkey_added'
  | 'passkey_renamed'
  | 'passkey_removed'
  | 'data_exported';

/** What can't be reported: decisions of administrators, attempts that failed, the deletion of an account. */
export type Announcement =
  | 'account_deleted'
  | 'password_guessed'
  | 'codes_tried'
  | 'passkey_behind'
  | 'codes_used_up'
  | 'account_removed'
  | 'account_suspended'
  | 'account_unsuspended'
  | 'access_ended'
  | 'password_set'
  | 'second_factor_reset_stopped'
  | 'operator_granted'
  | 'operator_revoked'
  | 'application_suspended'
  | 'application_unsuspended'
  | 'api_suspended'
  | 'api_unsuspended'
  | 'api_access_asked'
  | 'api_access_granted'
  | 'api_access_refused'
  | 'api_access_ended'
  | 'application_removed'
  | 'application_updated'
  | 'secret_replaced'
  | 'secret_removed'
  | 'api_removed'
  | 'api_secret_replaced'
  | 'api_secret_removed';

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
