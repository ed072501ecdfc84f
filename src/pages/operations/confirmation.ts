// What is asked before anything is done to somebody's account or application: a reason, beside the proof that it is them.
import type { FastifyRequest } from 'fastify';
import { cleanName } from '../../accounts/account-fields.ts';
import { addressOf } from '../../http/rate-limit.ts';
import { notFound } from '../../oauth/errors.ts';
import type { Parameters } from '../../oauth/parameters.ts';
import type { Fault } from '../../web/faults.ts';
import { memberOf } from '../../web/member.ts';

const REASON_MAX = 200;

/** What the form says: the reason, fit to be shown in the log, and what was typed to confirm a deletion. */
export const readConfirmation = (form: Parameters) => ({
  reason: cleanName(form.get('reason') ?? ''),
  email: form.get('email') ?? '',
});

export const reasonFaults = ({ reason }: { reason: string }): Fault[] =>
  [...reason].length > REASON_MAX
    ? [{ field: 'reason', text: ({ operations }) => operations.reasonTooLong }]
    : [];

/** Which of the actions the address names. @throws OAuthError 404 */
export function actionOf<Action extends string>(request: FastifyRequest, actions: readonly Action[]): Action {
  const { action } = request.params as { action: string };
  const known = actions.find((one) => one === action);
  if (known === undefined) throw notFound();
  return known;
}

/** Who decides, from where, and why, for the log. */
export const operatorOf = (request: FastifyRequest, { reason }: { reason: string }) => ({
  userId: memberOf(request).userId,
  address: addressOf(request),
  reason: reason || undefined,
});
