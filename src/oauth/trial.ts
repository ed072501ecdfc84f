// Trials are an owner's test sign-ins from the console. Their redirect URI belongs to this service.
import type { Client } from './client.ts';

export const TRIAL_REDIRECT_PATH = '/console/applications/try-it';

export const buildTrialRedirectUri = (baseUrl: string): string => `${baseUrl}${TRIAL_REDIRECT_PATH}`;

/**
 * The trial redirect URI becomes the only redirect URI. Security-critical: use this only for a request with
 * `isTrial`.
 */
export const toTrialClient = (client: Client, baseUrl: string): Client => ({
  ...client,
  redirectUris: [buildTrialRedirectUri(baseUrl)],
  parRequired: false,
});
