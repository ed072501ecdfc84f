// The notice about a pending MFA reset, with the form that cancels it.
import type { Messages } from '../../i18n/index.ts';
import { submitButton } from './buttons.ts';
import { form } from './form.ts';
import { type Html, html } from './html.ts';
import { actionNotice } from './notices.ts';
import { describeMfaReset } from './sign-in-text.ts';

export const CANCEL_MFA_RESET_URL = '/account/security/reset/stop';

export interface PendingResetView {
  messages: Messages;
  csrf: string;
  reset: Parameters<typeof describeMfaReset>[0];
}

export function pendingMfaResetView({ messages, csrf, reset }: PendingResetView): Html {
  const text = messages.account.security.reset;
  return actionNotice(
    html`${describeMfaReset(reset, messages)} ${text.unlessYou}`,
    form({
      action: CANCEL_MFA_RESET_URL,
      csrf,
      body: submitButton({ text: text.stop, kind: 'secondary' }),
    }),
  );
}
