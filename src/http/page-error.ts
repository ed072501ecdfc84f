// Errors shown as a page in browsers and sent as OAuth JSON to other clients.

import type { ErrorPageText, Messages } from '../i18n/index.ts';
import type { OAuthError } from '../oauth/errors.ts';

type ErrorPageName = {
  [Name in keyof Messages['errorPages']]: Messages['errorPages'][Name] extends
    | ErrorPageText
    | ((provider: string) => ErrorPageText)
    ? Name
    : never;
}[keyof Messages['errorPages']];

interface ErrorPageOptions {
  restartUrl?: string;
  provider?: string;
  client?: { name: string; homePage: string | null };
  showDescription?: boolean;
}

/** Browsers get the error page `failure`. Other clients get `oauthError`. */
export class PageError extends Error {
  readonly failure: ErrorPageName;
  readonly oauthError: OAuthError;
  readonly options: ErrorPageOptions;

  constructor(failure: ErrorPageName, oauthError: OAuthError, options: ErrorPageOptions = {}) {
    super(oauthError.message);
    this.failure = failure;
    this.oauthError = oauthError;
    this.options = options;
  }
}

export function errorMessageFor(
  error: OAuthError,
  page: PageError | undefined,
  { errorPages }: Messages,
): ErrorPageText {
  if (page !== undefined) {
    const text = errorPages[page.failure];
    return typeof text === 'function' ? text(page.options.provider ?? '') : text;
  }
  const retryAfter = Number(error.headers['retry-after'] ?? 60);
  switch (error.error) {
    case 'rate_limited':
      return errorPages.rateLimited(retryAfter);
    case 'not_found':
      return errorPages.notFound;
    case 'temporarily_unavailable':
      return error.cause === undefined ? errorPages.overloaded(retryAfter) : errorPages.unavailable;
    case 'server_error':
      return errorPages.serverError;
    default:
      return errorPages.badRequest;
  }
}
