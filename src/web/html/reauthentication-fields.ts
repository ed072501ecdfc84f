// Fields for re-authenticating before a sensitive action.
import type { Messages } from '../../i18n/index.ts';
import { type FormError, labelError, onlyInvalidField } from './error-summary.ts';
import { codeField, passwordField, usernameField } from './fields.ts';
import { type Html, html } from './html.ts';
import { type ProviderLink, providerLinks } from './identity-providers.ts';
import { passkeyConfirmation } from './passkey.ts';

export type ReauthenticationState = {
  messages: Messages;
  isRecent: boolean;
  hasPassword: boolean;
  username: string | undefined;
  requiresTotp: boolean;
  /** If true, the password alone is not sufficient. */
  hasPasskeys: boolean;
  passkey: string | undefined;
  /** Empty if the account has a password or a passkey. */
  providers: readonly ProviderLink[];
  errors: readonly FormError[];
};

/** Returns undefined after a recent sign-in. */
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

export function passkeyReauthentication(
  { messages, passkey, errors }: ReauthenticationState,
  text: string = messages.passkeys.asked,
): Html | undefined {
  const error = errors.find(({ field }) => field === 'confirmation_passkey');
  if (error !== undefined) labelError(error, messages.passkeys.use);
  return html`${error && html`<p class="field-error" id="confirmation_passkey" tabindex="-1"${onlyInvalidField(errors) === 'confirmation_passkey' && html` autofocus`}>${error.text}</p>`}
${passkeyConfirmation(messages, passkey, text)}`;
}

/** Returns undefined without MFA or after a recent sign-in. */
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
