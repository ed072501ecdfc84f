// Errors that users see: the refusal that a machine gets, and the page that explains it.

import type { Failure, Messages } from '../i18n/index.ts';
import type { OAuthError } from '../oauth/errors.ts';

type FailureName = {
  [Name in keyof Messages['failures']]: Messages['failures'][Name] extends Failure ? Name : never;
}[keyof Messages['failures']];

interface PageOptions {
  /** URL of this service at which the user can start again. */
  startAgain?: string;
  /** The client that the user has to go back to, with its home page if it has one. */
  startedBy?: { name: string; homePage: string | null };
  /** Shows the error description too, for a developer who has no diagnostics page. */
  forDevelopers?: boolean;
}

/** A refusal that is shown on an error page of its own to users, and as its `refusal` to machines. */
export class PageFault extends Error {
  readonly failure: FailureName;
  readonly refusal: OAuthError;
  readonly options: PageOptions;

  constructor(failure: FailureName, refusal: OAuthError, options: PageOptions = {}) {
    super(refusal.message);
    this.failure = failure;
    this.refusal = refusal;
    this.options = options;
  }
}

/** The words for any refusal. @param page the name of its own page, if it has one */
export function failureOf(error: OAuthError, page: FailureName | undefined, { failures }: Messages): Failure {
  if (page !== undefined) return failures[page];
  const retryAfter = Number(error.headers['retry-after'] ?? 60);
  switch (error.error) {
    case 'rate_limited':
      return failures.rateLimited(retryAfter);
    case 'not_found':
      return failures.notFound;
    case 'temporarily_unavailable':
      return error.cause === undefined ? failures.overloaded(retryAfter) : failures.unavailable;
    case 'server_error':
      return failures.serverError;
    default:
      return failures.badRequest;
  }
}
