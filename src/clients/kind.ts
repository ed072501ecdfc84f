// Kinds of clients that developers can register.
import type { ClientType } from '../oauth/redirect-uri.ts';

export const CLIENT_KINDS = {
  web: 'confidential',
  spa: 'public',
  native: 'public',
  machine: 'confidential',
} as const satisfies Record<string, ClientType>;

export type ClientKind = keyof typeof CLIENT_KINDS;

export const isClientKind = (text: string | undefined): text is ClientKind =>
  text !== undefined && Object.hasOwn(CLIENT_KINDS, text);

/** A machine client can only use `client_credentials`. */
export const isMachineClient = (client: { type: ClientType; redirectUris: readonly string[] }): boolean =>
  client.type === 'confidential' && client.redirectUris.length === 0;
