// Fields for re-authenticating before a sensitive action.
import type { Messages } from '../../i18n/index.ts';
import { type FormError, labelError, onlyInvalidField } from './error-summary.ts';
import { codeField, passwordField, usernameField } from './fields.ts';
import { type Html, html } from './html.ts';
import { type ProviderLink, providerLinks } from './identity-providers.ts';
import { passkeyConfirmation } from './passkey.ts';

export type ReauthenticationState = {
  messages: Messages;
  /** Whether the sign-in is recent enough to skip re-authentication. */
  isRecent: boolean;
  hasPassword: boolean;
  /** The account's email address, for password managers. */
  username: string | undefined;
  /** Whether the account has an authenticator app. */
  requiresTotp: boolean;
  /** Whether the account has passkeys. The password alone is then not sufficient. */
  hasPasskeys: boolean;
  /** WebAuthn request options for re-authentication, as JSON (web/passkeys.ts). */
  passkey: string | undefined;
  /** Identity providers for re-authentication. Empty if the account has a password or a passkey. */
  providers: readonly ProviderLink[];
  errors: readonly FormError[];
};

/** Fields for a passkey, or for the password and, with MFA, a code. Undefined if the sign-in is recent. */
export function reauthenticationFields(
  view: ReauthenticationState,
  hint: string = view.messages.fields.confirmPasswordHint,
): Html | undefined {
  if (view.isRecent) return undefined;
  const { errors, messages, passkey } = view;
  const password = passwordField({
    name: 'current_password',
    label: messages.fields.confirmPassword,
    hint: passkey === undefined ? hint : undefined,
    errors,
    autocomplete: 'current-password',
  });
  if (view.providers.length > 0)
    return html`<p class="field-hint">${messages.linkedAccounts.confirmFirst}</p>
${providerLinks(messages, view.providers, messages.linkedAccounts.confirmWith, view.providers.length === 1 ? 'primary' : 'secondary')}`;
  const otherFactors = html`${view.hasPassword && html`${usernameField(view.username)}${password}`}
${reauthenticationCodeField(view)}`;
  if (passkey === undefined) return otherFactors;
  const hasErrors = errors.some(({ field }) => field === 'current_password' || field === 'confirmation_code');
  return html`<p class="field-hint">${hint}</p>
${passkeyReauthentication(view)}
<details class="disclosure"${hasErrors && html` open`}>
<summary>${messages.passkeys.without}</summary>
${otherFactors}
</details>`;
}

/**
 * Fields for re-authentication with a passkey only.
 * @param text explains when the browser asks for the passkey
 */
export function passkeyReauthentication(
  { messages, passkey, errors }: ReauthenticationState,
  text: string = messages.passkeys.asked,
): Html | undefined {
  const error = errors.find(({ field }) => field === 'confirmation_passkey');
  if (error !== undefined) labelError(error, messages.passkeys.use);
  return html`${error && html`<p class="field-error" id="confirmation_passkey" tabindex="-1"${onlyInvalidField(errors) === 'confirmation_passkey' && html` autofocus`}>${error.text}</p>`}
${passkeyConfirmation(messages, passkey, text)}`;
}

/** A field for an authenticator or recovery code. Undefined if the account has no MFA or the sign-in is recent. */
export function reauthenticationCodeField({
  messages: { fields },
  isRecent,
  requiresTotp,
  hasPassword,
  hasPasskeys,
  errors,
}: ReauthenticationState): Html | undefined {
  if (isRecent || !(requiresTotp || hasPasskeys)) return undefined;
  return codeField('recovery', {
    name: 'confirmation_code',
    label: requiresTotp && hasPassword ? fields.confirmationCode : fields.recoveryCode,
    hint: requiresTotp && hasPassword ? fields.confirmationCodeHint : fields.recoveryCodeHint,
    errors,
  });
}
