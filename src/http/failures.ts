// Failures that a person may get to see: the same refusal as for a machine, and the page that explains it.

import type { Failure, Messages } from '../i18n/index.ts';
import { OAuthError } from '../oauth/errors.ts';
import type { Reason } from '../oauth/reason.ts';

type FailureName = {
  [Name in keyof Messages['failures']]: Messages['failures'][Name] extends Failure ? Name : never;
}[keyof Messages['failures']];

/**
 * A refusal with a page of its own. `startAgain` is an address of this service at which the person can go on; where
 * there is none, `startedBy` is where the person has to go back to, by its home page if its owner gave one.
 */
export class PageFault extends OAuthError {
  readonly failure: FailureName;
  readonly startAgain: string | undefined;
  readonly startedBy: { name: string; homePage: string | null } | undefined;
  /** Whether the page shows the description, too: nobody can look it up who could mend what it says. */
  readonly forDevelopers: boolean;

  constructor(
    failure: FailureName,
    status: number,
    error: string,
    description: string,
    reason: Reason,
    options: {
      startAgain?: string;
      startedBy?: PageFault['startedBy'];
      retryAfter?: number;
      forDevelopers?: boolean;
    } = {},
  ) {
    const { retryAfter } = options;
    super(status, error, description, reason, {
      ...(retryAfter !== undefined && { headers: { 'retry-after': String(retryAfter) } }),
    });
    this.failure = failure;
    this.startAgain = options.startAgain;
    this.startedBy = options.startedBy;
    this.forDevelopers = options.forDevelopers ?? false;
  }
}

/** The words for any refusal. */
export function failureOf(error: OAuthError, messages: Messages): Failure {
  const { failures } = messages;
  if (error instanceof PageFault) return failures[error.failure];
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
