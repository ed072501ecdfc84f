// The kinds of client that developers choose from at registration, and what each kind implies.
import type { ClientType } from '../oauth/redirect-uri.ts';

/** The client type of each kind. Only `machine` clients need no redirect URI, because no user signs in to them. */
export const CLIENT_KINDS = {
  web: 'confidential',
  spa: 'public',
  native: 'public',
  machine: 'confidential',
} as const satisfies Record<string, ClientType>;

export type ClientKind = keyof typeof CLIENT_KINDS;

export const isClientKind = (text: string | undefined): text is ClientKind =>
  text !== undefined && Object.hasOwn(CLIENT_KINDS, text);

/**
 * Whether a client has no redirect URI. Such a client can get tokens only for itself (`client_credentials`).
 */
export const isMachineClient = (client: { type: ClientType; redirectUris: readonly string[] }): boolean =>
  client.type === 'confidential' && client.redirectUris.length === 0;
