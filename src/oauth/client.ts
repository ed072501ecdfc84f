// The client properties that the protocol rules use.
import type { ClientType } from './redirect-uri.ts';

export interface Client {
  clientId: string;
  name: string;
  type: ClientType;
  redirectUris: string[];
  scopes: string[];
  /** Whether claims have standard names and `state` is optional. */
  standard: boolean;
  parRequired?: boolean; // RFC 9126 §6
  /** Whether requests must contain a code_challenge. Always true for public clients. */
  pkceRequired?: boolean;
  mfaRequired?: boolean;
  /** A metadata client or a dynamic client. Agents have no owner. */
  agent?: boolean;
}
