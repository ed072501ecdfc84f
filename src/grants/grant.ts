// What a grant states of its own.
import type { Credentials } from '../oauth/client-authentication.ts';
import type { OAuthError } from '../oauth/errors.ts';
import type { Parameters } from '../oauth/parameters.ts';
import type { Reason, TicketClue } from '../oauth/reason.ts';
import type { issueTokens } from './issue.ts';
import type { GrantParts } from './parts.ts';

export type Run = (parts: GrantParts, credentials: Credentials, now: Date) => ReturnType<typeof issueTokens>;

/** A grant that is ready to be decided. */
interface Prepared {
  run: Run;
  /** What was presented, should it be refused. */
  clue?: () => TicketClue;
}

/** What `invalid_grant` says, and why. */
export type Words = readonly [description: string, reason: Reason];

/** What a grant states of its own. */
export interface Grant {
  /** Parameters besides grant_type and client_id without which nothing is looked at. */
  required: readonly string[];
  /**
   * Reads the presented code or token, without the database.
   * @returns what to run, or the refusal to give once the application is known to be authentic
   */
  prepare(form: Parameters, parts: GrantParts): Prepared | OAuthError;
  /** What `invalid_grant` says for each outcome of the deciding statement, where there is one besides yes. */
  refusals?: Partial<Record<'expired' | 'reused' | 'tooLittle' | 'gone', Words>>;
}
