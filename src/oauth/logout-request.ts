// What an application wants of a sign-out it asked for: sealed while the person is asked (RP-Initiated Logout §2, §3).
import { withParameters } from './redirect-uri.ts';
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
export const logoutAddress = ({ redirectUri, state }: Omit<LogoutTarget, 'clientId'>): string =>
  state === undefined ? redirectUri : withParameters(redirectUri, { state });

export const sealLogoutTarget = (sealer: Sealer, target: LogoutTarget): string =>
  sealer.sealJson('logout', target);

/**
 * Opens what the page sent back; undefined when this service never sealed it. Whether the address still is one of the
 * application's has to be asked again: what was sealed stays readable for ever.
 */
export const openLogoutTarget = (sealer: Sealer, text: string): LogoutTarget | undefined =>
  sealer.openJson('logout', text);
