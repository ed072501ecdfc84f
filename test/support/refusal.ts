// The refusal that a check throws.
import { OAuthError } from '../../src/oauth/errors.ts';

/** @returns undefined if it throws none */
export function refusalOf(check: () => unknown): OAuthError | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof OAuthError) return error;
    throw error;
  }
}
