// Parses multipart forms of up to 2 MiB into parameters and files.
import { finished } from 'node:stream/promises';
import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { PageError } from '../http/page-error.ts';
import { BODY_LIMIT } from '../http/parameters.ts';
import { bodyTooLarge, invalidRequest, OAuthError } from '../oauth/errors.ts';
import { parseParameters } from '../oauth/parameters.ts';

const UPLOAD_LIMIT = 2 * 1024 * 1024;
/** Bytes. Browsers read the response only after sending the body, so bodies up to this size are read and discarded. */
const DISCARD_LIMIT = 32 * 1024 * 1024;
/** The library drops parts whose headers exceed `headerSize`, so these fields count as missing. */
const LIMITS = { parts: 50, headerSize: 8 * 1024, fieldSize: BODY_LIMIT, fileSize: UPLOAD_LIMIT };

export const isUpload = (request: FastifyRequest): boolean =>
  /^multipart\/form-data *;/i.test(request.headers['content-type'] ?? '');

declare module 'fastify' {
  interface FastifyRequest {
    uploads: ReadonlyMap<string, Buffer> | undefined;
  }
}

/** Returns undefined if the user selected no file. */
export const uploadedFile = (request: FastifyRequest, name: string): Buffer | undefined =>
  request.uploads?.get(name);

/** Only routes with `upload` in their config accept multipart forms. */
export function registerUploads(area: FastifyInstance): void {
  area.decorateRequest('uploads', undefined);
  area.register(multipart, { limits: LIMITS });
  area.addHook('preValidation', async (request, reply) => {
    if (!request.isMultipart()) return;
    await limitBody(request, reply);
    const textFields: [string, string][] = [];
    const files = new Map<string, Buffer>();
    try {
      for await (const part of request.parts())
        if (part.type === 'file') files.set(part.fieldname, await part.toBuffer());
        else if (typeof part.value === 'string') textFields.push([part.fieldname, part.value]);
        else throw new TypeError('unexpected JSON field');
    } catch (error) {
      // Discard the rest of the body. Otherwise, a shutdown would wait for the connection's keep-alive timeout.
      await finished(request.raw.unpipe().resume()).catch(() => undefined);
      const tooMany = error instanceof area.multipartErrors.PartsLimitError;
      throw malformedFormError(
        tooMany ? 'The form has too many parts.' : 'The body is not a multipart form.',
      );
    }
    if (textFields.reduce((size, [, value]) => size + Buffer.byteLength(value), 0) >= BODY_LIMIT)
      throw bodyTooLarge();
    request.uploads = new Map([...files].filter(([, content]) => content.length > 0));
    request.body = parseParameters(String(new URLSearchParams(textFields)));
  });
}

/**
 * @throws PageError 413 if the body is too large. Bodies larger than `DISCARD_LIMIT` are not read, and the connection
 * closes.
 */
async function limitBody({ headers, raw }: FastifyRequest, reply: FastifyReply): Promise<void> {
  // Browsers always send Content-Length. A body in tiny chunks would cost hundreds of bytes of memory per chunk.
  const size = Number(headers['content-length'] ?? 0);
  if (size === 0) throw malformedFormError('A form with files must have a Content-Length.');
  if (size <= UPLOAD_LIMIT) return;
  if (size > DISCARD_LIMIT) reply.header('connection', 'close');
  else await finished(raw.resume()).catch(() => undefined);
  throw new PageError(
    'uploadTooLarge',
    new OAuthError(413, 'invalid_request', 'The file is larger than 2 MB.', { kind: 'body_too_large' }),
  );
}

const malformedFormError = (description: string): OAuthError =>
  invalidRequest(description, { kind: 'page_form_invalid' });
