// Fields and checks that forms about email addresses, passwords and codes share.
import type { FastifyRequest } from 'fastify';
import { isEmail, NAME_MAX, nameFault } from '../accounts/account-fields.ts';
import type { Asker } from '../credentials/email-address.ts';
import {
  judgePassword,
  lengthFault,
  PASSWORD_MAX,
  PASSWORD_MIN,
  type PasswordFault,
  STRENGTH,
} from '../credentials/password-strength.ts';
import { PageFault } from '../http/failures.ts';
import { formOf } from '../http/parameters.ts';
import type { Parts } from '../http/parts.ts';
import type { Messages } from '../i18n/index.ts';
import { invalidRequest } from '../oauth/errors.ts';
import { fromOf } from './browser.ts';
import type { Fault, Refusal } from './faults.ts';
import { type FormState, passwordField } from './html/form.ts';
import type { Html } from './html/html.ts';
import { memberOf } from './member.ts';

/** The field of a new password. */
export const newPasswordField = (
  { messages, errors }: Pick<FormState, 'messages' | 'errors'>,
  label: string = messages.account.credentials.password.newPassword,
  name = 'new_password',
): Html =>
  passwordField({
    name,
    label,
    hint: messages.fields.newPasswordHint(PASSWORD_MIN),
    autocomplete: 'new-password',
    strength: STRENGTH,
    errors,
  });

/**
 * What is wrong with a new password.
 * @param about words about the user; if undefined, only the length is checked
 */
export async function newPasswordFaults(
  { config }: Pick<Parts, 'config'>,
  password: string,
  about: readonly string[] | undefined,
  field = 'new_password',
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

export const emailFaults = (email: string, field = 'email'): Fault[] =>
  isEmail(email) ? [] : [{ field, text: ({ problems }) => problems.emailInvalid }];

/** Whether a form brings a code in its field `code`. */
export const codeFaults = (request: FastifyRequest, text: Fault['text']): Fault[] =>
  formOf(request).get('code') === undefined ? [{ field: 'code', text }] : [];

/** Why a code of the authenticator app, or a recovery code, was not accepted. */
export const factorRefusal = (outcome: 'wrong' | 'tooMany'): Refusal => ({
  status: outcome === 'wrong' ? 401 : 429,
  faults: [
    { field: 'code', text: ({ problems }) => problems[outcome === 'wrong' ? 'codeWrong' : 'codesTried'] },
  ],
});

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

/** Why a mailed code was not accepted. */
export function refusedCode(outcome: string): Refusal {
  const tooMany = outcome === 'tooMany';
  const problem = tooMany ? 'codesTooMany' : outcome === 'wrong' ? 'codeWrong' : 'codeDead';
  return {
    ...(tooMany && { status: 429 }),
    faults: [{ field: 'code', text: ({ account }) => account.credentials[problem] }],
  };
}

export function askerOf(request: FastifyRequest): Asker {
  const { userId, email, sid, startedAt: since, locale } = memberOf(request);
  const from = fromOf(request);
  return { userId, email, sid, since, ...from, locale: locale ?? from.locale };
}

/** 400: a link that was used, has expired, or never was one; it does not say which. */
export const deadLink = (): PageFault =>
  new PageFault('deadLink', invalidRequest('The link was used or has expired.', { kind: 'page_form' }));
