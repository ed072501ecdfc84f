// The client properties that the protocol rules use.
import type { ClientType } from './redirect-uri.ts';

export interface Client {
  clientId: string;
  name: string;
  type: ClientType;
  redirectUris: string[];
  scopes: string[];
  /** Whether the client uses standard OpenID Connect mode, with standard claim names and optional `state`. */
  standard: boolean;
  /** Whether authorization requests must be pushed (RFC 9126 §6). */
  parRequired?: boolean;
  /** Whether authorization requests must contain a code_challenge. Always true for public clients. */
  pkceRequired?: boolean;
  mfaRequired?: boolean;
  /** Whether the client is an agent, that is, a metadata client or a dynamic client. Agents have no owner. */
  agent?: boolean;
}
