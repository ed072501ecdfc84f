// Query and form of a request as Parameters, whatever else Fastify would have made of them.
import formbody from '@fastify/formbody';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { invalidRequest, type OAuthError } from '../oauth/errors.ts';
import { type Parameters, parseParameters } from '../oauth/parameters.ts';
import { isSafe } from './safe-methods.ts';

/** What a form may weigh, in bytes; one with a file: web/uploads.ts. */
export const BODY_LIMIT = 64 * 1024;
const NONE = parseParameters('');
const FORM = /^application\/x-www-form-urlencoded *(; *charset="?utf-8"? *)?$/i;

/** Makes form-encoded bodies the only ones that are read (D17). The query parser is an option of the app itself. */
export async function parameters(app: FastifyInstance): Promise<void> {
  app.removeAllContentTypeParsers();
  await app.register(formbody, { parser: parseParameters as never });
}

/** The parameters of a request's query. Outside the routes (404, undecodable addresses) Fastify parses it its own way. */
export function queryOf(request: FastifyRequest): Parameters {
  const query = request.query as Parameters | Record<string, unknown> | null;
  if (query !== null && query.repeated instanceof Set) return query as Parameters;
  const mark = request.url.indexOf('?');
  return mark < 0 ? NONE : parseParameters(request.url.slice(mark + 1));
}

/** The parameters of a request's form; none when it has no body. */
export const formOf = (request: FastifyRequest): Parameters =>
  (request.body as Parameters | undefined) ?? NONE;

/** The parameters with which a page is opened, or which its form sends. */
export const parametersOf = (request: FastifyRequest): Parameters =>
  isSafe(request) ? queryOf(request) : formOf(request);

/** 400, never 415 (D10): the body is no form. */
export const wrongContentType = (type: string): OAuthError =>
  invalidRequest('Send the parameters as application/x-www-form-urlencoded.', {
    kind: 'content_type',
    sent: /^[a-z]+\/[a-z0-9.+-]{1,40}/i.exec(type)?.[0] ?? '',
  });

/** Whether the body is declared as a UTF-8 form. */
export const isForm = (request: FastifyRequest): boolean => FORM.test(request.headers['content-type'] ?? '');

/** Refuses a body that is not declared as a UTF-8 form (D17). @throws OAuthError `invalid_request` */
export async function requireForm(request: FastifyRequest): Promise<void> {
  const type = request.headers['content-type'] ?? '';
  if (!FORM.test(type)) throw wrongContentType(type);
}
