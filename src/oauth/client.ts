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
  /** Authorization requests must be pushed (RFC 9126 §6). */
  parRequired?: boolean;
  /** Authorization requests must contain a code_challenge. For public clients, this is always true. */
  pkceRequired?: boolean;
  /** Users must sign in with MFA. */
  mfaRequired?: boolean;
  /** Whether it is a metadata client or a dynamic client. Agents have no owner. */
  agent?: boolean;
}
