// Client properties that the OAuth protocol code uses.
import type { ClientType } from './redirect-uri.ts';

export interface Client {
  clientId: string;
  name: string;
  type: ClientType;
  redirectUris: string[];
  scopes: string[];
  /** Whether the client uses standard mode, in which claims have standard names and `state` is optional. */
  standard: boolean;
  /** Whether the client must use pushed authorization requests (RFC 9126 §6). */
  parRequired?: boolean;
  /** Whether a confidential client must use PKCE. Public clients always must. */
  pkceRequired?: boolean;
  mfaRequired?: boolean;
  /** Whether the client is an agent, which is a metadata client or a dynamic client. Agents have no owner. */
  agent?: boolean;
}
