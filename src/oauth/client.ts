// A client application as the rules see it.
import type { ClientType } from './redirect-uri.ts';

export interface Client {
  clientId: string;
  name: string;
  type: ClientType;
  redirectUris: string[];
  scopes: string[];
  /** Standard OpenID Connect mode (D19). */
  standard: boolean;
  /** Authorization requests have to be pushed (RFC 9126 §6). */
  parRequired?: boolean;
  /** Authorization requests have to carry a code_challenge; those of public applications always do (D5). */
  pkceRequired?: boolean;
  /** Only people who have shown a second factor may sign in (D42). */
  secondFactorRequired?: boolean;
  /** Nobody registered it: it is known by a document at its own address, or registered itself (D49, D55). */
  agent?: boolean;
}
