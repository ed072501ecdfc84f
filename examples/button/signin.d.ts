// Types for signin.js.

export declare class SignInError extends Error {
  readonly code: string;
  constructor(code: string, message?: string);
}

export interface Application {
  /** The service's URL, without a trailing slash. */
  baseUrl: string;
  clientId: string;
  /** The redirect URI, exactly as registered. */
  redirectUri: string;
  /** Stores the state and code verifier. Defaults to sessionStorage. */
  storage?: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;
}

export interface TokenResponse {
  access_token: string;
  token_type: string;
  /** In seconds. */
  expires_in: number;
  refresh_token?: string;
  scope: string;
  id_token?: string;
}

export declare function randomString(
  length: number,
  fill?: (bytes: Uint8Array<ArrayBuffer>) => Uint8Array,
): string;
export declare function createState(): string;
export declare function createVerifier(): string;
export declare function createChallenge(verifier: string): Promise<string>;
export declare function startSignIn(
  options: Application & { scope?: string; navigate?: (url: string) => void },
): Promise<void>;
export declare function finishSignIn(
  options: Application & { callbackUrl?: string; send?: typeof fetch },
): Promise<TokenResponse>;
