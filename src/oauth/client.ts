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
  parRequired?: boolean; // RFC 9126 §6
  /** Whether authorization requests must contain a code_challenge, which public clients must always send. */
  pkceRequired?: boolean;
  mfaRequired?: boolean;
  /** Whether the client is an agent: a metadata client or a dynamic client, which has no owner. */
  agent?: boolean;
}
