// What the pages of address and password have in common: who asks, faults in words, links that are good no more.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { NAME_MAX, nameFault } from '../accounts/account-fields.ts';
import type { Asker } from '../credentials/email-address.ts';
import {
  type About,
  judgePassword,
  lengthFault,
  PASSWORD_MAX,
  PASSWORD_MIN,
  type PasswordFault,
} from '../credentials/password-rules.ts';
import { PageFault } from '../http/failures.ts';
import { formOf } from '../http/parameters.ts';
import type { Parts } from '../http/parts.ts';
import type { Messages } from '../i18n/index.ts';
import { invalidRequest } from '../oauth/errors.ts';
import { browserIdsOf, ensureBrowserId, fromOf } from './browser.ts';
import { csrfToken, formRefused, holderOf, isCsrfToken, requireOwnOrigin } from './csrf.ts';
import type { Fault, Refusal } from './faults.ts';
import { memberOf } from './member.ts';

/**
 * What is wrong with a new password, at its field, as sign-up would say it.
 * @param about undefined where its length is all that is looked at: something else is wrong, and it will be sent again
 */
export async function newPasswordFaults(
  { config }: Pick<Parts, 'config'>,
  field: string,
  password: string,
  about: About | undefined,
): Promise<Fault[]> {
  const fault =
    about === undefined
      ? lengthFault(password)
      : (await judgePassword(password, [...about, config.serviceName])).fault;
  return fault === undefined ? [] : [{ field, text: (messages) => passwordFaultText(fault, messages) }];
}

export function passwordFaultText(fault: PasswordFault, { problems: { newPassword } }: Messages): string {
  if (fault === 'tooShort') return newPassword.tooShort(PASSWORD_MIN);
  return fault === 'tooLong' ? newPassword.tooLong(PASSWORD_MAX) : newPassword[fault];
}

export function nameFaults(name: string): Fault[] {
  const fault = nameFault(name);
  if (fault === undefined) return [];
  return [
    {
      field: 'name',
      text: ({ problems }) =>
        fault === 'nameMissing' ? problems.nameRequired : problems.nameTooLong(NAME_MAX),
    },
  ];
}

/** Why a mailed code was not taken, at its field. */
export function refusedCode(outcome: string): Refusal {
  if (outcome === 'tooMany')
    return {
      status: 429,
      faults: [{ field: 'code', text: ({ account }) => account.credentials.codesTooMany }],
    };
  const problem = outcome === 'wrong' ? 'codeWrong' : 'codeDead';
  return { faults: [{ field: 'code', text: ({ account }) => account.credentials[problem] }] };
}

export function askerOf(request: FastifyRequest): Asker {
  const { userId, email, sid, startedAt: since, locale } = memberOf(request);
  const from = fromOf(request);
  return { userId, email, sid, since, ...from, locale: locale ?? from.locale };
}

/** The token for a form that needs no session: it is bound to the browser. */
export const openFormToken = (reply: FastifyReply, { sealer }: Parts): string =>
  csrfToken(sealer, ensureBrowserId(reply));

export const openFormHolder = (reply: FastifyReply, { sealer }: Parts): string =>
  holderOf(sealer, ensureBrowserId(reply));

/** Whether a form without a session came from our own page in this browser. */
export const isOpenForm = (request: FastifyRequest, parts: Parts): boolean =>
  isCsrfToken(parts.sealer, formOf(request).get('csrf'), browserIdsOf(request));

/** @throws PageFault 403 when the form is another site's, or from another browser */
export function requireOpenForm(request: FastifyRequest, parts: Parts): void {
  requireOwnOrigin(request);
  if (!isOpenForm(request, parts)) throw formRefused();
}

/** 400: a link that was used, has expired, or never was one; it does not say which. */
export const deadLink = (): PageFault =>
  new PageFault('deadLink', invalidRequest('The link was used or has expired.', { kind: 'page_form' }));
