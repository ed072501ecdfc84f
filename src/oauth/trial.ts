// Trials: test sign-ins that owners start in the console, with a redirect URI of this service.
import type { Client } from './client.ts';

export const TRIAL_REDIRECT_PATH = '/console/applications/try-it';

export const buildTrialRedirectUri = (baseUrl: string): string => `${baseUrl}${TRIAL_REDIRECT_PATH}`;

/**
 * Returns the client with the trial redirect URI as its only redirect URI, and without required PAR. Security-critical:
 * use this only for a pending request with `isTrial`.
 */
export const toTrialClient = (client: Client, baseUrl: string): Client => ({
  ...client,
  redirectUris: [buildTrialRedirectUri(baseUrl)],
  parRequired: false,
});
