// Form fields and validation shared by pages with email addresses, passwords and codes.
import type { FastifyRequest } from 'fastify';
import { findNameError, isEmail, MAX_NAME_LENGTH } from '../accounts/account-fields.ts';
import type { EmailRequester } from '../credentials/email-verification.ts';
import {
  assessPassword,
  findLengthError,
  MAX_PASSWORD_LENGTH,
  MIN_PASSWORD_LENGTH,
  PASSWORD_STRENGTH_ENDPOINT,
  type PasswordError,
} from '../credentials/password-strength.ts';
import { PageError } from '../http/page-error.ts';
import { readForm } from '../http/parameters.ts';
import type { Services } from '../http/services.ts';
import type { Messages } from '../i18n/index.ts';
import { invalidRequest } from '../oauth/errors.ts';
import { requestContext } from './browser.ts';
import type { Rejection, ValidationError } from './form-errors.ts';
import { passwordField } from './html/fields.ts';
import type { FormState } from './html/form.ts';
import type { Html } from './html/html.ts';
import { signedInUser } from './session-guard.ts';

export const newPasswordField = (
  { messages, errors }: Pick<FormState, 'messages' | 'errors'>,
  label: string = messages.account.credentials.password.newPassword,
  name = 'new_password',
): Html =>
  passwordField({
    name,
    label,
    hint: messages.fields.newPasswordHint(MIN_PASSWORD_LENGTH),
    autocomplete: 'new-password',
    strength: PASSWORD_STRENGTH_ENDPOINT,
    errors,
  });

/** @param userWords words that an attacker would guess, such as the name. If undefined, only the length is checked. */
export async function validateNewPassword(
  { config }: Pick<Services, 'config'>,
  password: string,
  userWords: readonly string[] | undefined,
  field = 'new_password',
): Promise<ValidationError[]> {
  const problem =
    userWords === undefined
      ? findLengthError(password)
      : (await assessPassword(password, [...userWords, config.serviceName])).error;
  return problem === undefined ? [] : [{ field, text: (messages) => passwordErrorText(problem, messages) }];
}

export function passwordErrorText(problem: PasswordError, { formErrors: { newPassword } }: Messages): string {
  if (problem === 'tooShort') return newPassword.tooShort(MIN_PASSWORD_LENGTH);
  return problem === 'tooLong' ? newPassword.tooLong(MAX_PASSWORD_LENGTH) : newPassword[problem];
}

export const validateEmail = (email: string, field = 'email'): ValidationError[] =>
  isEmail(email) ? [] : [{ field, text: ({ formErrors }) => formErrors.emailInvalid }];

export const requireCode = (request: FastifyRequest, text: ValidationError['text']): ValidationError[] =>
  readForm(request).get('code') === undefined ? [{ field: 'code', text }] : [];

export const secondFactorRejection = (outcome: 'wrong' | 'tooMany'): Rejection => ({
  status: outcome === 'wrong' ? 401 : 429,
  errors: [
    { field: 'code', text: ({ formErrors }) => formErrors[outcome === 'wrong' ? 'codeWrong' : 'codesTried'] },
  ],
});

export function validateName(name: string): ValidationError[] {
  const problem = findNameError(name);
  if (problem === undefined) return [];
  return [
    {
      field: 'name',
      text: ({ formErrors }) =>
        problem === 'nameMissing' ? formErrors.nameRequired : formErrors.nameTooLong(MAX_NAME_LENGTH),
    },
  ];
}

export function emailedCodeRejection(outcome: string): Rejection {
  const tooMany = outcome === 'tooMany';
  const problem = tooMany ? 'codesTooMany' : outcome === 'wrong' ? 'codeWrong' : 'codeDead';
  return {
    ...(tooMany && { status: 429 }),
    errors: [{ field: 'code', text: ({ account }) => account.credentials[problem] }],
  };
}

export function credentialRequesterOf(request: FastifyRequest): EmailRequester {
  const { userId, email, sid, startedAt: since, locale } = signedInUser(request);
  const context = requestContext(request);
  return { userId, email, sid, since, ...context, locale: locale ?? context.locale };
}

/**
 * The error for a link that was used, has expired or never existed. It doesn't reveal which.
 * @param restartUrl the page for requesting another link
 */
export const invalidLinkError = (restartUrl?: string): PageError =>
  new PageError(
    'deadLink',
    invalidRequest('The link has expired or was already used.', { kind: 'page_form_invalid' }),
    restartUrl === undefined ? {} : { restartUrl },
  );
