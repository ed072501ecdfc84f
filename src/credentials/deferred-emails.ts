// Composes deferred emails after the response has been sent.

import { composeGuessingAlert } from '../accounts/notifications.ts';
import type { EmailComposer } from '../mail/delivery.ts';
import type { MailServices } from '../mail/links.ts';
import { composeOfferEmail } from '../ownership/offer-email.ts';
import { composeChangeEmail } from './email-verification.ts';
import { composeIdentitySignUpEmail } from './identity-sign-up.ts';
import { composePasswordResetEmail } from './password-change.ts';
import { composeSignInEmail } from './sign-in-with-email-code.ts';

export const composeDeferredEmail =
  (services: Pick<MailServices, 'config' | 'database' | 'sealer'>): EmailComposer =>
  async (email, now) => {
    switch (email.template) {
      case 'reset_password':
        return composePasswordResetEmail(services, email, now);
      case 'sign_in':
        return composeSignInEmail(services, email, now);
      case 'change_email':
        return composeChangeEmail(services, email);
      case 'identity_sign_up':
        return composeIdentitySignUpEmail(services, email, now);
      case 'offered':
        return composeOfferEmail(services, email, now);
      case 'password_guessed':
        return composeGuessingAlert(services, email, now);
    }
  };
