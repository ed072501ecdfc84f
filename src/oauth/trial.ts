// "Try it": the owner of a client signs in to the client at a redirect URI of this service.
import type { Client } from './client.ts';

export const TRIAL_REDIRECT_PATH = '/console/applications/try-it';

export const buildTrialRedirectUri = (baseUrl: string): string => `${baseUrl}${TRIAL_REDIRECT_PATH}`;

/**
 * Returns the client as a trial sees it. The service's redirect URI replaces the registered ones, and the request needn't
 * be pushed, because the service itself creates it. Security-critical: use this only for a pending request with `isTrial`.
 */
export const asTrialClient = (client: Client, baseUrl: string): Client => ({
  ...client,
  redirectUris: [buildTrialRedirectUri(baseUrl)],
  parRequired: false,
});
