// Owns how passkeys are offered on pages. Without a script, or in a browser that knows none, no button is seen
// (public/passkeys.js).
import type { Messages } from '../../i18n/index.ts';
import { passkeyScriptPath, webauthnScriptPath } from './asset-paths.ts';
import { type Html, html } from './html.ts';

export const PASSKEY_SCRIPTS = [webauthnScriptPath, passkeyScriptPath];

/**
 * A button that asks for a passkey to sign in with, and sends the form it stands in.
 * @param options what the browser is asked for, as JSON; nothing is rendered where there is none
 */
export function passkeyButton(
  messages: Messages,
  {
    name,
    options,
    text,
    kind = 'secondary',
  }: {
    name: string;
    options: string | undefined;
    text: string;
    kind?: 'primary' | 'secondary';
  },
): Html | undefined {
  if (options === undefined) return undefined;
  return html`<div class="passkey" data-passkey="sign-in" data-options="${options}" hidden>
<input type="hidden" name="${name}" disabled>
<button class="button button--${kind}" type="button" hidden><span>${text}</span></button>
${passkeyStatus(messages)}
</div>`;
}

/**
 * Says that a passkey is asked for by the very button that sends the form, where nothing else is entered to confirm with: it stands
 * for no step of its own, which would leave two buttons to choose from.
 */
export function passkeyProof(
  messages: Messages,
  { name, options, text }: { name: string; options: string | undefined; text: string },
): Html | undefined {
  if (options === undefined) return undefined;
  return html`<div class="passkey" data-passkey="confirm" data-options="${options}" hidden>
<input type="hidden" name="${name}" disabled>
<p class="field-hint">${text}</p>
${passkeyStatus(messages)}
</div>`;
}

/** Why the button is not there without a script, where there is another way on. */
export const passkeyMissing = ({ passkeys }: Messages, options: string | undefined): Html | undefined =>
  options === undefined
    ? undefined
    : html`<noscript><p class="aside">${passkeys.useNeedsScript}</p></noscript>`;

/** Said with a form where the device can hold passkeys itself. */
export const ableToHoldPasskeys: Html = html`<input type="hidden" name="able" value="yes" disabled>`;

/** The button that makes one: it sends its form with what the browser has made. */
export function passkeyMaker(messages: Messages, options: string, text: string): Html {
  return html`<div class="passkey" data-passkey="create" data-options="${options}" hidden>
<input type="hidden" name="passkey" disabled>
<button class="button button--primary" type="submit"><span>${text}</span></button>
${passkeyStatus(messages)}
</div>`;
}

/** Where it is said what became of it: the words wait in the page. */
const passkeyStatus = ({ passkeys: text }: Messages): Html =>
  html`<p class="field-error passkey-status" role="status" data-cancelled="${text.cancelled}" data-known="${text.known}" data-failed="${text.failed}"></p>`;

export type PasskeySignal =
  | { unknown: string }
  | { userId: string; accepted: readonly string[]; email: string; name: string };

/** Renders nothing anybody sees. @param rpId the domain that the passkeys are for */
export const passkeySignal = (rpId: string, signal: PasskeySignal): Html =>
  html`<div hidden data-passkey-signal="${JSON.stringify({ rpId, ...signal })}"></div>`;
