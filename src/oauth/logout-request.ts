// Where a sign-out that an application asked for leads: sealed while the person is asked (RP-Initiated Logout §2, §3).
import type { Sealer } from './seal.ts';

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

export const sealLogoutTarget = (sealer: Sealer, { clientId, redirectUri, state }: LogoutTarget): string =>
  sealer.seal('logout', Buffer.from(JSON.stringify([clientId, redirectUri, state ?? null])));

/**
 * Opens what the page sent back; undefined when this service never sealed it. Whether the address still is one of the
 * application's has to be asked again: what was sealed stays readable for ever.
 */
export function openLogoutTarget(sealer: Sealer, text: string): LogoutTarget | undefined {
  const bytes = sealer.open('logout', text);
  if (bytes === undefined) return undefined;
  const [clientId, redirectUri, state] = JSON.parse(bytes.toString('utf8')) as [
    string,
    string,
    string | null,
  ];
  return { clientId, redirectUri, state: state ?? undefined };
}
