// The client properties that the protocol rules use.
import type { ClientType } from './redirect-uri.ts';

export interface Client {
  clientId: string;
  name: string;
  type: ClientType;
  redirectUris: string[];
  scopes: string[];
  /** Whether the client uses standard mode: claims have standard names, and `state` is optional. */
  standard: boolean;
  parRequired?: boolean; // RFC 9126 §6
  /** Whether authorization requests must contain a code_challenge. For public clients, it is always required. */
  pkceRequired?: boolean;
  mfaRequired?: boolean;
  /** A metadata client or a dynamic client. Agents have no owner. */
  agent?: boolean;
}
