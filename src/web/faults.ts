// What a form says after it was sent: what is wrong with it, beside its fields, or what was done.
import type { FastifyRequest } from 'fastify';
import type { Config } from '../config.ts';
import { queryOf } from '../http/parameters.ts';
import { isSafe } from '../http/request.ts';
import type { Messages } from '../i18n/index.ts';
import type { FormError } from './html/form.ts';
import { supportLink } from './html/house.ts';

/** A fault of a form, its words still to be chosen by the language; without a field it is of the form as a whole. */
export interface Fault {
  field?: string;
  text: (messages: Messages) => string;
  link?: { href: string; text: (messages: Messages) => string };
}

/** A form that was read and cannot be done. */
export interface Refusal {
  status?: number;
  faults: readonly Fault[];
}

/** The faults in a language, as the form kit shows them. */
export const inWords = (faults: readonly Fault[], messages: Messages): FormError[] =>
  faults.map(({ field, text, link }) => ({
    field,
    text: text(messages),
    ...(link && { link: { href: link.href, text: link.text(messages) } }),
  }));

/** The words for what was just done, as `?done=` of the redirect says; undefined for a word that means nothing here. */
export function doneOf<Word extends string>(
  request: FastifyRequest,
  words: Record<Word, string>,
): string | undefined {
  const done = isSafe(request) ? queryOf(request).get('done') : undefined;
  return done !== undefined && Object.hasOwn(words, done) ? words[done as Word] : undefined;
}

/** What whoever may open an account reads while it is suspended, and whom to write to. */
export function suspendedFault(config: Config): Fault {
  const link = supportLink(config);
  return { text: ({ problems }) => problems.suspended, ...(link && { link }) };
}
