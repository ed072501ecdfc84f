// How a browser, the way of a sign-in and a pending reset of the second factor are worded.
import type { Messages } from '../../i18n/index.ts';
import type { Way } from '../../oauth/sign-in-way.ts';
import { type Html, html } from './html.ts';
import { moment } from './time.ts';

export interface NamedDevice {
  browser: string | undefined;
  system: string | undefined;
}

/** @param within whether it stands within a sentence, where what is not known begins with no capital */
export function deviceInWords(
  { browser, system }: NamedDevice,
  { account }: Messages,
  { within = false } = {},
): string {
  const text = account.sessions;
  if (browser !== undefined && system !== undefined) return text.device(browser, system);
  return browser ?? system ?? (within ? text.unknownDevice.toLowerCase() : text.unknownDevice);
}

export function wayInWords(way: Way | undefined, { account }: Messages): string {
  const { ways, unknown } = account.security.signIns;
  return way === undefined ? unknown : ways[way];
}

export function resetInWords(
  { passkeys, dueAt }: { passkeys: boolean; dueAt: Date },
  messages: Messages,
): Html {
  const { pending, pendingWithPasskeys } = messages.account.security.reset;
  return html`${passkeys ? pendingWithPasskeys : pending} ${moment(dueAt, messages)}.`;
}
