// Mail address and password: pages of the account, and those that links in mails open.
import type { FastifyInstance } from 'fastify';
import type { Parts } from '../../http/parts.ts';
import { memberArea } from '../../web/member.ts';
import { confirmPage } from './confirm.ts';
import { emailPage } from './email.ts';
import { forgotPage } from './forgot.ts';
import { newPasskeyPages } from './new-passkey.ts';
import { passkeyPages } from './passkeys.ts';
import { passwordPage, securityPasswordPages } from './password.ts';
import { passwordLinkPage } from './password-link.ts';
import { reportPage } from './report-unauthorized-activity.ts';
import { securityPage } from './security.ts';
import { securityAppPage, securityCodesPage } from './security-app.ts';
import { stopResetButton, stopResetPage } from './stop-reset.ts';
import { strengthRoute } from './strength.ts';
import { verifyPage } from './verify.ts';

export function credentialPages(app: FastifyInstance, parts: Parts): void {
  memberArea(app, parts, (area) => {
    emailPage(area, parts);
    verifyPage(area, parts);
    passwordPage(area, parts);
    securityPage(area, parts);
    securityAppPage(area, parts);
    securityCodesPage(area, parts);
    securityPasswordPages(area, parts);
    stopResetButton(area, parts);
    passkeyPages(area, parts);
    newPasskeyPages(area, parts);
  });
  strengthRoute(app, parts);
  forgotPage(app, parts);
  passwordLinkPage(app, parts);
  confirmPage(app, parts);
  reportPage(app, parts);
  stopResetPage(app, parts);
}
