// Owns how the reset of a second factor that waits is said.
import type { Messages } from '../../i18n/index.ts';
import { type Html, html } from './html.ts';
import { moment } from './time.ts';

/** What goes, and when. */
export function resetInWords(
  { passkeys, dueAt }: { passkeys: boolean; dueAt: Date },
  messages: Messages,
): Html {
  const { pending, pendingWithPasskeys } = messages.account.security.reset;
  return html`${passkeys ? pendingWithPasskeys : pending} ${moment(dueAt, messages)}.`;
}
