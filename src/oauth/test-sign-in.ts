// Test sign-ins of owners, started from the console. Their redirect URI belongs to this service.
import type { Client } from './client.ts';

export const TEST_SIGN_IN_REDIRECT_PATH = '/console/applications/try-it';

export const buildTestSignInRedirectUri = (baseUrl: string): string =>
  `${baseUrl}${TEST_SIGN_IN_REDIRECT_PATH}`;

/**
 * The test redirect URI becomes the only redirect URI. Security-critical: use this only for a request with
 * `isTestSignIn`.
 */
export const toTestSignInClient = (client: Client, baseUrl: string): Client => ({
  ...client,
  redirectUris: [buildTestSignInRedirectUri(baseUrl)],
  parRequired: false,
});
