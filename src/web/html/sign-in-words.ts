// How a browser, the way of a sign-in and a pending reset of the second factor are worded.
import type { Messages } from '../../i18n/index.ts';
import { isWay } from '../../oauth/sign-in-way.ts';
import { type Html, html } from './html.ts';
import { moment } from './time.ts';

export interface NamedDevice {
  browser: string | null | undefined;
  system: string | null | undefined;
}

/** @param within whether it stands within a sentence, where what is not known begins with no capital */
export function deviceInWords(
  { browser, system }: NamedDevice,
  { account }: Messages,
  { within = false } = {},
): string {
  const text = account.sessions;
  if (browser && system) return text.device(browser, system);
  return browser ?? system ?? (within ? text.unknownDevice.toLowerCase() : text.unknownDevice);
}

/** An earlier or later version may have written another way. */
export function wayInWords(way: string, { account }: Messages): string {
  const { ways, unknown } = account.security.signIns;
  return isWay(way) ? ways[way] : unknown;
}

export function resetInWords(
  { passkeys, dueAt }: { passkeys: boolean; dueAt: Date },
  messages: Messages,
): Html {
  const { pending, pendingWithPasskeys } = messages.account.security.reset;
  return html`${passkeys ? pendingWithPasskeys : pending} ${moment(dueAt, messages)}.`;
}
