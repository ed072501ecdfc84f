// Owns the look of what stops the reset of a second factor: the page of the mail's link, and the line with its button in the
// account.
import type { Messages } from '../../i18n/index.ts';
import { STOP_RESET } from '../../mail/links.ts';
import { attention, form, hiddenInput, submitButton } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { moment } from '../../web/html/time.ts';

export const STOP_HERE = '/account/security/reset/stop';

interface Stopping {
  messages: Messages;
  csrf: string;
  dueAt: Date;
}

/** Asks whether it is to be stopped. */
export function stopResetView({ messages, csrf, token, dueAt }: Stopping & { token: string }): Html {
  const text = messages.account.security.reset;
  return html`<h1>${text.title}</h1>
<p class="lead">${text.pending} ${moment(dueAt, messages)}. ${text.afterwards}</p>
${form({
  action: STOP_RESET,
  csrf,
  body: html`${hiddenInput('token', token)}${submitButton({ text: text.stop })}`,
})}
<p class="aside">${text.advice}</p>`;
}

/** Says in the account that one waits. */
export function pendingReset({ messages, csrf, dueAt }: Stopping): Html {
  const text = messages.account.security.reset;
  return html`${attention(html`${text.pending} ${moment(dueAt, messages)}. ${text.unlessYou}`)}
${form({ action: STOP_HERE, csrf, body: submitButton({ text: text.stop, kind: 'secondary' }) })}`;
}
