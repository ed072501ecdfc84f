// What an application wants of a sign-out it asked for: sealed while the person is asked (RP-Initiated Logout §2, §3).
import type { Sealer } from './seal.ts';

/** Bytes of `state`: what travels in addresses has to fit into one. */
export const LONGEST_STATE = 2048;

/** An address that the application registered, and the `state` that it wants back. */
export interface LogoutTarget {
  clientId: string;
  redirectUri: string;
  state: string | undefined;
}

/** The address to send the browser to once it is signed out. */
export function logoutAddress({ redirectUri, state }: Omit<LogoutTarget, 'clientId'>): string {
  if (state === undefined) return redirectUri;
  const separator = !redirectUri.includes('?') ? '?' : /[?&]$/.test(redirectUri) ? '' : '&';
  return `${redirectUri}${separator}${new URLSearchParams({ state })}`;
}

export const sealLogoutTarget = (sealer: Sealer, target: LogoutTarget): string =>
  sealer.sealJson('logout', target);

/**
 * Opens what the page sent back; undefined when this service never sealed it. Whether the address still is one of the
 * application's has to be asked again: what was sealed stays readable for ever.
 */
export const openLogoutTarget = (sealer: Sealer, text: string): LogoutTarget | undefined =>
  sealer.openJson('logout', text);
