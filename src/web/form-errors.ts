// Results of form submissions: unlocalized validation errors, rejections and success messages.
import type { FastifyRequest } from 'fastify';
import type { Config } from '../config.ts';
import { readQuery } from '../http/parameters.ts';
import { isSafeMethod } from '../http/request.ts';
import type { Messages } from '../i18n/index.ts';
import { supportLink } from './html/branding.ts';
import type { FormError } from './html/error-summary.ts';

/** Without `field`, the error concerns the whole form. */
export interface ValidationError {
  field?: string;
  text: (messages: Messages) => string;
  link?: { href: string; text: (messages: Messages) => string };
}

/** `status` defaults to 400. */
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

export function doneMessage<Key extends string>(
  request: FastifyRequest,
  messages: Record<Key, string>,
): string | undefined {
  const done = isSafeMethod(request) ? readQuery(request).get('done') : undefined;
  return done !== undefined && Object.hasOwn(messages, done) ? messages[done as Key] : undefined;
}

export function suspendedError(config: Config): ValidationError {
  const link = supportLink(config);
  return { text: ({ formErrors }) => formErrors.suspended, ...(link && { link }) };
}
