// Registers the pages for credentials: email address, password, MFA, passkeys, emailed links.
import type { FastifyInstance } from 'fastify';
import type { Services } from '../../http/services.ts';
import { registerSignedInRoutes } from '../../web/session-guard.ts';
import { authenticatorAppPage, recoveryCodesPage } from './authenticator-app.ts';
import { cancelMfaResetForm, cancelMfaResetPage } from './cancel-mfa-reset.ts';
import { changeEmailPage } from './change-email.ts';
import { confirmEmailPage } from './confirm-email.ts';
import { forgotPasswordPage } from './forgot-password.ts';
import { identityPages } from './identities.ts';
import { newPasskeyPages } from './new-passkey.ts';
import { passkeyPages } from './passkeys.ts';
import { addAndRemovePasswordPages, changePasswordPage } from './password.ts';
import { passwordStrengthRoute } from './password-strength.ts';
import { reportUnauthorizedActivityPage } from './report-unauthorized-activity.ts';
import { resetPasswordPage } from './reset-password.ts';
import { securityPage } from './security.ts';
import { verifyEmailPage } from './verify-email.ts';

export function credentialPages(app: FastifyInstance, services: Services): void {
  registerSignedInRoutes(app, services, (area) => {
    changeEmailPage(area, services);
    verifyEmailPage(area, services);
    changePasswordPage(area, services);
    securityPage(area, services);
    authenticatorAppPage(area, services);
    recoveryCodesPage(area, services);
    addAndRemovePasswordPages(area, services);
    cancelMfaResetForm(area, services);
    passkeyPages(area, services);
    newPasskeyPages(area, services);
    identityPages(area, services);
  });
  passwordStrengthRoute(app, services);
  forgotPasswordPage(app, services);
  resetPasswordPage(app, services);
  confirmEmailPage(app, services);
  reportUnauthorizedActivityPage(app, services);
  cancelMfaResetPage(app, services);
}
