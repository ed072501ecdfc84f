// What a page says after something was done: `?done=…`, to which the redirect after success leads.
import type { FastifyRequest } from 'fastify';
import { queryOf } from '../../http/parameters.ts';
import { isSafe } from '../../http/safe-methods.ts';

/** The text for what was just done; undefined after nothing, and for words that mean nothing here. */
export function doneOf(request: FastifyRequest, texts: Record<string, string>): string | undefined {
  const word = isSafe(request) ? queryOf(request).get('done') : undefined;
  return word !== undefined && Object.hasOwn(texts, word) ? texts[word] : undefined;
}
