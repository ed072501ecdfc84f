// Seals logout requests that await the user's confirmation (RP-Initiated Logout §2, §3).
import { addQueryParameters } from './redirect-uri.ts';
import type { Sealer } from './seal.ts';

/** In bytes. The sealed target must fit into a URL. */
export const MAX_LOGOUT_STATE_BYTES = 2048;

export interface LogoutTarget {
  clientId: string;
  redirectUri: string;
  state: string | undefined;
}

export const buildLogoutRedirectUrl = ({ redirectUri, state }: Omit<LogoutTarget, 'clientId'>): string =>
  state === undefined ? redirectUri : addQueryParameters(redirectUri, { state });

export const sealLogoutTarget = (sealer: Sealer, target: LogoutTarget): string =>
  sealer.sealJson('logout', target);

/** Sealed targets don't expire. Callers must check that the redirect URI is still registered. */
export const openLogoutTarget = (sealer: Sealer, sealed: string): LogoutTarget | undefined =>
  sealer.openJson('logout', sealed);
