// Passkeys on pages: buttons that stay hidden unless public/passkeys.js can use them.
import type { Messages } from '../../i18n/index.ts';
import { passkeyScriptPath, webauthnScriptPath } from './asset-paths.ts';
import { type Html, html } from './html.ts';

export const PASSKEY_SCRIPTS = [webauthnScriptPath, passkeyScriptPath];

/**
 * A button that asks for a passkey to sign in with, and sends its form.
 * @param options what the browser is asked for, as JSON; nothing is rendered without it
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
<button class="button button--${kind}" type="button" hidden><span>${text}</span></button>
${passkeyStatus(messages)}
</div>`;
}

/** Says that the button of the form asks for a passkey, where nothing else is entered to re-authenticate. */
export function passkeyProof(
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

/** Explains the missing button in a browser without scripts. */
export const passkeyMissing = ({ passkeys }: Messages, options: string | undefined): Html | undefined =>
  options === undefined
    ? undefined
    : html`<noscript><p class="aside">${passkeys.useNeedsScript}</p></noscript>`;

/** Sent with a form if the device can hold passkeys. */
export const ableToHoldPasskeys: Html = html`<input type="hidden" name="able" value="yes" disabled>`;

/** The button that creates a passkey and sends it with its form. */
export function passkeyMaker(messages: Messages, options: string, text: string): Html {
  return html`<div class="passkey" data-passkey="create" data-options="${options}" hidden>
<input type="hidden" name="passkey" disabled>
<button class="button button--primary" type="submit"><span>${text}</span></button>
${passkeyStatus(messages)}
</div>`;
}

const passkeyStatus = ({ passkeys: text }: Messages): Html =>
  html`<p class="field-error passkey-status" role="status" data-cancelled="${text.cancelled}" data-known="${text.known}" data-failed="${text.failed}"></p>`;

export type PasskeySignal =
  | { unknown: string }
  | { userId: string; accepted: readonly string[]; email: string; name: string };

/** Invisible data for the script. @param rpId the domain that the passkeys are for */
export const passkeySignal = (rpId: string, signal: PasskeySignal): Html =>
  html`<div hidden data-passkey-signal="${JSON.stringify({ rpId, ...signal })}"></div>`;
