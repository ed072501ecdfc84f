// Letters that were only wished for while the answer was made: written afterwards, by what they are.

import { writeGuessed } from '../accounts/notifications.ts';
import type { MailParts } from '../mail/links.ts';
import type { Writer } from '../mail/mailer.ts';
import { writeOffer } from '../ownership/offer-mail.ts';
import { writeChange } from './email-address.ts';
import { writeReset } from './password-change.ts';
import { writeSignIn } from './sign-in-by-mail.ts';

/** Writes what was wished for, to whom it may concern; nobody is told that there is nobody. */
export const writeWished =
  (parts: Pick<MailParts, 'config' | 'database' | 'sealer'>): Writer =>
  async (wish, now) => {
    switch (wish.what) {
      case 'reset_password':
        return writeReset(parts, wish, now);
      case 'sign_in':
        return writeSignIn(parts, wish, now);
      case 'change_email':
        return writeChange(parts, wish);
      case 'offered':
        return writeOffer(parts, wish, now);
      case 'password_guessed':
        return writeGuessed(parts, wish, now);
    }
  };
