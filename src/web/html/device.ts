// Owns how a browser on a system is named: « Chrome sur Linux », or as much of it as is known.
import type { Messages } from '../../i18n/index.ts';

/** What a User-Agent header was understood as (accounts/browser-name.ts). */
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
