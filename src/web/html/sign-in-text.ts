// Describes devices, sign-in methods and pending MFA resets.
import type { Messages } from '../../i18n/index.ts';
import { isSignInMethod } from '../../oauth/sign-in-method.ts';
import { type Html, html } from './html.ts';
import type { IconName } from './icons.ts';
import { dateTime } from './time.ts';

export const DEVICE_ICONS = {
  phone: 'smartphone',
  tablet: 'tablet',
  computer: 'laptop',
  unknown: 'circle-question-mark',
} as const satisfies Record<string, IconName>;

const BROWSER_ICONS: Partial<Record<string, IconName>> = {
  Chrome: 'chrome',
  Firefox: 'flame',
  Safari: 'compass',
};

export const browserIconOf = (browser: string): IconName => BROWSER_ICONS[browser] ?? 'globe';

export interface BrowserAndSystem {
  browser: string | null | undefined;
  system: string | null | undefined;
}

export function describeDevice(
  { browser, system }: BrowserAndSystem,
  { account }: Messages,
  { within = false } = {},
): string {
  const text = account.sessions;
  if (browser && system) return text.device(browser, system);
  return browser ?? system ?? (within ? text.unknownDevice.toLowerCase() : text.unknownDevice);
}

/** A newer version may have recorded a method that this version doesn't know. */
export function describeSignInMethod(method: string, { account }: Messages): string {
  const { ways, unknown } = account.security.signIns;
  return isSignInMethod(method) ? ways[method] : unknown;
}

export function describeMfaReset(
  { passkeys, dueAt }: { passkeys: boolean; dueAt: Date },
  messages: Messages,
): Html {
  const { pending, pendingWithPasskeys } = messages.account.security.reset;
  return html`${passkeys ? pendingWithPasskeys : pending} ${dateTime(dueAt, messages)}.`;
}
