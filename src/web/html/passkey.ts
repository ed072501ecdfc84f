// Passkey controls, hidden until public/passkeys.js enables them.
import type { Messages } from '../../i18n/index.ts';
import { passkeyScriptPath, webauthnScriptPath } from './asset-paths.ts';
import { type Html, html } from './html.ts';
import { icon } from './icons.ts';

export const PASSKEY_SCRIPTS = [webauthnScriptPath, passkeyScriptPath];

/**
 * Asks for a passkey and then submits the sign-in form.
 * @param options WebAuthn request options as JSON
 */
export function passkeyButton(
  messages: Messages,
  options: string | undefined,
  text: string,
  kind: 'primary' | 'secondary' = 'secondary',
): Html | undefined {
  if (options === undefined) return undefined;
  return html`<div class="passkey" data-passkey="sign-in" data-options="${options}" hidden>
<input type="hidden" name="passkey" disabled>
<button class="button button--${kind}" type="button" hidden>${icon('fingerprint')}<span>${text}</span></button>
${passkeyStatus(messages)}
</div>`;
}

/** Makes the submit button ask for a passkey unless the user has entered a different factor. */
export function passkeyConfirmation(
  messages: Messages,
  options: string | undefined,
  text: string,
): Html | undefined {
  if (options === undefined) return undefined;
  return html`<div class="passkey" data-passkey="confirm" data-options="${options}" hidden>
<input type="hidden" name="confirmation_passkey" disabled>
<p class="field-hint">${text}</p>
${passkeyStatus(messages)}
</div>`;
}

export const passkeyScriptNotice = ({ passkeys }: Messages, options: string | undefined): Html | undefined =>
  options === undefined
    ? undefined
    : html`<noscript><p class="aside">${passkeys.useNeedsScript}</p></noscript>`;

/** The script enables this input on devices that support passkeys. */
export const passkeyCapabilityInput: Html = html`<input type="hidden" name="able" value="yes" disabled>`;

export function createPasskeyButton(messages: Messages, options: string, text: string): Html {
  return html`<div class="passkey" data-passkey="create" data-options="${options}" hidden>
<input type="hidden" name="passkey" disabled>
<button class="button button--primary" type="submit"><span>${text}</span></button>
${passkeyStatus(messages)}
</div>`;
}

const passkeyStatus = ({ passkeys: text }: Messages): Html =>
  html`<p class="field-error passkey-status" role="status" data-canceled="${text.canceled}" data-known="${text.known}" data-failed="${text.failed}"></p>`;

export type PasskeySignal =
  | { unknown: string }
  | { userId: string; accepted: readonly string[]; email: string; name: string };

export const passkeySignal = (rpId: string, signal: PasskeySignal): Html =>
  html`<div hidden data-passkey-signal="${JSON.stringify({ rpId, ...signal })}"></div>`;
