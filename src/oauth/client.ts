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
}
