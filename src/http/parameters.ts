// Parses queries and forms, and limits their size.
import formbody from '@fastify/formbody';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { invalidRequest, type OAuthError } from '../oauth/errors.ts';
import { MAX_PAIRS, type Parameters, parseParameters } from '../oauth/parameters.ts';
import { redactText } from '../oauth/redaction.ts';
import { isSafeMethod, readHeader } from './request.ts';
import { isRateLimitExempt, pathOf } from './route-config.ts';

/** Bytes. Forms with files have a different limit (web/uploads.ts). */
export const BODY_LIMIT = 64 * 1024;
/** Bytes, for routes without a rate limit. */
const MAX_EXEMPT_QUERY_LENGTH = 1000;
const EMPTY_PARAMETERS = parseParameters('');

export async function registerParameterParsing(app: FastifyInstance): Promise<void> {
  app.removeAllContentTypeParsers();
  await app.register(formbody, { parser: parseParameters as never });
  app.addHook('onRequest', (request, reply, done) => {
    if (!isRateLimitExempt(request)) return done();
    if (request.url.length - pathOf(request).length > MAX_EXEMPT_QUERY_LENGTH + 1)
      return done(unreadableRequestError(`The query is longer than ${MAX_EXEMPT_QUERY_LENGTH} bytes.`));
    if (!hasBody(request)) return done();
    // Close the connection because the body isn't read.
    reply.header('connection', 'close');
    done(unreadableRequestError('This request must not have a body.'));
  });
  // On an open connection, Node would keep reading an incomplete body until the client stops sending.
  app.addHook('onSend', ({ headers, raw }, reply, _payload, done) => {
    if (headers['transfer-encoding'] !== undefined && !raw.complete) reply.header('connection', 'close');
    done();
  });
  app.addHook('preValidation', (request, _reply, done) => {
    const hasTooMany = readQuery(request).hasTooManyPairs || readForm(request).hasTooManyPairs;
    done(
      hasTooMany ? unreadableRequestError(`The request has more than ${MAX_PAIRS} parameters.`) : undefined,
    );
  });
}

const unreadableRequestError = (description: string): OAuthError =>
  invalidRequest(description, { kind: 'request_unreadable' });

/** These headers announce a body (RFC 9112 §6). */
const hasBody = ({ headers }: FastifyRequest): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** If no route matched, Fastify used its own parser, so the query is parsed again. */
export function readQuery(request: FastifyRequest): Parameters {
  const query = request.query as Parameters | Record<string, unknown> | null;
  if (query !== null && query.repeated instanceof Set) return query as Parameters;
  const mark = request.url.indexOf('?');
  return mark < 0 ? EMPTY_PARAMETERS : parseParameters(request.url.slice(mark + 1));
}

export const readForm = (request: FastifyRequest): Parameters =>
  (request.body as Parameters | undefined) ?? EMPTY_PARAMETERS;

export const readQueryOrForm = (request: FastifyRequest): Parameters =>
  isSafeMethod(request) ? readQuery(request) : readForm(request);

/** Returns an error with status 400, not 415, unless the body is a UTF-8 form. */
export function findContentTypeError(request: FastifyRequest): OAuthError | undefined {
  const [type = '', ...parameters] = readHeader(request, 'content-type')
    .split(';')
    .map((part) => part.trim());
  if (type.toLowerCase() !== 'application/x-www-form-urlencoded') return wrongContentTypeError(type);
  for (const parameter of parameters) {
    // Empty parameters are allowed (RFC 9110 §5.6.6).
    if (parameter === '') continue;
    const [, charset] = /^charset="?([a-z0-9_.:-]{1,40})"?$/i.exec(parameter) ?? [];
    if (charset === undefined) return wrongContentTypeError(type);
    if (!/^utf-?8$/i.test(charset))
      return invalidRequest(`The form is encoded in ${charset}. Send it in UTF-8.`, {
        kind: 'content_type',
        sent: redactText(`charset=${charset}`),
      });
  }
  return undefined;
}

export const wrongContentTypeError = (type: string): OAuthError =>
  invalidRequest('Send the parameters as application/x-www-form-urlencoded.', {
    kind: 'content_type',
    sent: /^[a-z]+\/[a-z0-9.+-]{1,40}/i.exec(type)?.[0] ?? '',
  });

export const isForm = (request: FastifyRequest): boolean => findContentTypeError(request) === undefined;

/** @throws OAuthError `invalid_request` unless the body is a UTF-8 form */
export async function requireForm(request: FastifyRequest): Promise<void> {
  const error = findContentTypeError(request);
  if (error !== undefined) throw error;
}
