// Query and form of a request as Parameters, whatever else Fastify would have made of them.
import formbody from '@fastify/formbody';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { invalidRequest, type OAuthError } from '../oauth/errors.ts';
import { MAX_PAIRS, type Parameters, parseParameters } from '../oauth/parameters.ts';
import { printable } from '../oauth/shown.ts';
import { headerOf, isSafe } from './request.ts';
import { isUncounted, pathOf } from './route-config.ts';

/** Maximum size of a form in bytes; one with a file: web/uploads.ts. */
export const BODY_LIMIT = 64 * 1024;
/** Maximum length of a query, in bytes, where the rate limit doesn't count the request. */
const UNCOUNTED_QUERY = 1000;
const NONE = parseParameters('');

/**
 * Makes form-encoded bodies the only ones that are read, and refuses requests that would take too long to read. The query
 * parser is an option of the app itself.
 */
export async function parameters(app: FastifyInstance): Promise<void> {
  app.removeAllContentTypeParsers();
  await app.register(formbody, { parser: parseParameters as never });
  app.addHook('onRequest', (request, reply, done) => {
    if (!isUncounted(request)) return done();
    if (request.url.length - pathOf(request).length > UNCOUNTED_QUERY + 1)
      return done(unreadable(`The query is longer than ${UNCOUNTED_QUERY} bytes.`));
    if (!hasBody(request)) return done();
    reply.header('connection', 'close'); // the body is not read
    done(unreadable('This request must not have a body.'));
  });
  // Each chunk of a body costs time, and Node would read an unread one for as long as it is sent.
  app.addHook('onSend', ({ headers, raw }, reply, _payload, done) => {
    if (headers['transfer-encoding'] !== undefined && !raw.complete) reply.header('connection', 'close');
    done();
  });
  app.addHook('preValidation', (request, _reply, done) => {
    const tooMany = queryOf(request).tooMany || formOf(request).tooMany;
    done(tooMany ? unreadable(`The request has more than ${MAX_PAIRS} parameters.`) : undefined);
  });
}

const unreadable = (description: string): OAuthError =>
  invalidRequest(description, { kind: 'request_unreadable' });

/** RFC 9112 §6: a body is announced by one of these two headers. */
const hasBody = ({ headers }: FastifyRequest): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

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

/**
 * What is wrong with the type of a body that should be a UTF-8 form; undefined for one that is. 400, never 415.
 */
export function formTypeFault(request: FastifyRequest): OAuthError | undefined {
  const [type = '', ...parameters] = headerOf(request, 'content-type')
    .split(';')
    .map((part) => part.trim());
  if (type.toLowerCase() !== 'application/x-www-form-urlencoded') return wrongContentType(type);
  for (const parameter of parameters) {
    if (parameter === '') continue; // RFC 9110 §5.6.6: a semicolon may stand alone
    const [, charset] = /^charset="?([a-z0-9_.:-]{1,40})"?$/i.exec(parameter) ?? [];
    if (charset === undefined) return wrongContentType(type);
    if (!/^utf-?8$/i.test(charset))
      return invalidRequest(`The form is in the charset ${charset}. Send it in UTF-8.`, {
        kind: 'content_type',
        sent: printable(`charset=${charset}`),
      });
  }
  return undefined;
}

export const wrongContentType = (type: string): OAuthError =>
  invalidRequest('Send the parameters as application/x-www-form-urlencoded.', {
    kind: 'content_type',
    sent: /^[a-z]+\/[a-z0-9.+-]{1,40}/i.exec(type)?.[0] ?? '',
  });

/** Whether the body is declared as a UTF-8 form. */
export const isForm = (request: FastifyRequest): boolean => formTypeFault(request) === undefined;

/** Refuses a body that is not declared as a UTF-8 form. @throws OAuthError `invalid_request` */
export async function requireForm(request: FastifyRequest): Promise<void> {
  const fault = formTypeFault(request);
  if (fault !== undefined) throw fault;
}
