// Owns the look of what stops the reset of a second factor: the page of the mail's link, and the line with its button in the
// account.
import type { Messages } from '../../i18n/index.ts';
import { STOP_RESET } from '../../mail/links.ts';
import type { PendingReset } from '../../store/second-factor-resets.ts';
import { attention, buttonLink, form, hiddenInput, submitButton } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { resetInWords } from '../../web/html/pending-reset.ts';
import { SECURITY } from './security-form-view.ts';

export const STOP_HERE = '/account/security/reset/stop';

interface Stopping {
  messages: Messages;
  csrf: string;
  reset: PendingReset;
}

/** Asks whether it is to be stopped. */
export function stopResetView({ messages, csrf, token, reset }: Stopping & { token: string }): Html {
  const text = messages.account.security.reset;
  return html`<h1>${text.title}</h1>
<p class="lead">${resetInWords(reset, messages)} ${text.afterwards}</p>
${form({
  action: STOP_RESET,
  csrf,
  body: html`${hiddenInput('token', token)}${submitButton({ text: text.stop })}`,
})}
<p class="aside">${text.advice}</p>`;
}

/** The link is about one that does not wait any more: nobody keeps which of the two ways it ended. */
export function notWaitingView(messages: Messages): Html {
  const { reset: text, title } = messages.account.security;
  return html`<div class="stopped">
<h1>${text.overTitle}</h1>
<p class="lead">${text.over}</p>
<p>${text.overAdvice}</p>
<p class="actions">${buttonLink({ href: SECURITY, text: title })}</p>
</div>`;
}

/** Says in the account that one waits. */
export function pendingReset({ messages, csrf, reset }: Stopping): Html {
  const text = messages.account.security.reset;
  return html`${attention(html`${resetInWords(reset, messages)} ${text.unlessYou}`)}
${form({ action: STOP_HERE, csrf, body: submitButton({ text: text.stop, kind: 'secondary' }) })}`;
}
