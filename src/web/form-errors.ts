// Form outcomes: validation errors before localization, rejections, and success messages.
import type { FastifyRequest } from 'fastify';
import type { Config } from '../config.ts';
import { readQuery } from '../http/parameters.ts';
import { isSafeMethod } from '../http/request.ts';
import type { Messages } from '../i18n/index.ts';
import { supportLink } from './html/branding.ts';
import type { FormError } from './html/error-summary.ts';

/** A validation error. Without `field`, the error concerns the whole form. */
export interface ValidationError {
  field?: string;
  text: (messages: Messages) => string;
  link?: { href: string; text: (messages: Messages) => string };
}

/** Why a form was rejected. The HTTP status defaults to 400. */
export interface Rejection {
  status?: number;
  errors: readonly ValidationError[];
}

export const isRejection = (outcome: unknown): outcome is Rejection =>
  typeof outcome === 'object' && (outcome as Partial<Rejection> | null)?.errors !== undefined;

export const localizeErrors = (errors: readonly ValidationError[], messages: Messages): FormError[] =>
  errors.map(({ field, text, link }) => ({
    field,
    text: text(messages),
    ...(link && { link: { href: link.href, text: link.text(messages) } }),
  }));

/** Returns the success message that the redirect's `?done=` parameter selects, if `messages` contains it. */
export function doneMessage<Key extends string>(
  request: FastifyRequest,
  messages: Record<Key, string>,
): string | undefined {
  const done = isSafeMethod(request) ? readQuery(request).get('done') : undefined;
  return done !== undefined && Object.hasOwn(messages, done) ? messages[done as Key] : undefined;
}

/** The error for a suspended account, with a link to support if a support contact is configured. */
export function suspendedError(config: Config): ValidationError {
  const link = supportLink(config);
  return { text: ({ formErrors }) => formErrors.suspended, ...(link && { link }) };
}
