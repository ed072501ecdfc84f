// Client properties that the OAuth protocol code uses.
import type { ClientType } from './redirect-uri.ts';

export interface Client {
  clientId: string;
  name: string;
  type: ClientType;
  redirectUris: string[];
  scopes: string[];
  /** In standard mode, claims have standard names and `state` is optional. */
  standard: boolean;
  parRequired?: boolean;
  /** Public clients must use PKCE even if this is false. */
  pkceRequired?: boolean;
  mfaRequired?: boolean;
  /** True for metadata clients and dynamic clients. They have no owner. */
  agent?: boolean;
}
