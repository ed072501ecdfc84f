// Reads forms with files: at most 2 MiB, into the same Parameters as any other form, with the files beside.
import { finished } from 'node:stream/promises';
import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { PageFault } from '../http/failures.ts';
import { BODY_LIMIT } from '../http/parameters.ts';
import { bodyTooLarge, invalidRequest, OAuthError } from '../oauth/errors.ts';
import { parseParameters } from '../oauth/parameters.ts';

/** Maximum size of a form with a file, in bytes. */
const UPLOAD_LIMIT = 2 * 1024 * 1024;
/** Browsers read the response only after sending everything, so a larger form is read up to this size and discarded. */
const DISCARD_LIMIT = 32 * 1024 * 1024;
/** The library drops a part with larger headers; the form then lacks a required field. */
const LIMITS = { parts: 50, headerSize: 8 * 1024, fieldSize: BODY_LIMIT, fileSize: UPLOAD_LIMIT };

/** Whether a request is a form with files. */
export const isUpload = (request: FastifyRequest): boolean =>
  /^multipart\/form-data *;/i.test(request.headers['content-type'] ?? '');

declare module 'fastify' {
  interface FastifyRequest {
    uploads: ReadonlyMap<string, Buffer> | undefined;
  }
}

/** The content of a file in the form; undefined when none was chosen. */
export const fileOf = (request: FastifyRequest, name: string): Buffer | undefined =>
  request.uploads?.get(name);

/** Reads forms with files. `memberArea` rejects them before, except on routes with `upload` in their config. */
export function readUploads(area: FastifyInstance): void {
  area.decorateRequest('uploads', undefined);
  area.register(multipart, { limits: LIMITS });
  area.addHook('preValidation', async (request, reply) => {
    if (!request.isMultipart()) return;
    await limitBody(request, reply);
    const texts: [string, string][] = [];
    const files = new Map<string, Buffer>();
    try {
      for await (const part of request.parts())
        if (part.type === 'file') files.set(part.fieldname, await part.toBuffer());
        else if (typeof part.value === 'string') texts.push([part.fieldname, part.value]);
        else throw new TypeError('the library parsed a field of JSON');
    } catch (error) {
      request.raw.unpipe().resume(); // discards the rest
      const tooMany = error instanceof area.multipartErrors.PartsLimitError;
      throw notAForm(tooMany ? 'The form has too many parts.' : 'The body is not a multipart form.');
    }
    if (texts.reduce((size, [, value]) => size + Buffer.byteLength(value), 0) >= BODY_LIMIT)
      throw bodyTooLarge();
    request.uploads = new Map([...files].filter(([, content]) => content.length > 0));
    request.body = parseParameters(String(new URLSearchParams(texts)));
  });
}

/** @throws PageFault 413 once all of a body that is too large was sent */
async function limitBody({ headers, raw }: FastifyRequest, reply: FastifyReply): Promise<void> {
  // Browsers send a Content-Length. Each chunk of a body would take hundreds of bytes of memory.
  const size = Number(headers['content-length'] ?? 0);
  if (size === 0) throw notAForm('A form with files must have a Content-Length.');
  if (size <= UPLOAD_LIMIT) return;
  if (size > DISCARD_LIMIT) reply.header('connection', 'close');
  else await finished(raw.resume()).catch(() => undefined);
  throw new PageFault(
    'uploadTooLarge',
    new OAuthError(413, 'invalid_request', 'The file is larger than 2 MB.', { kind: 'body_too_large' }),
  );
}

const notAForm = (description: string): OAuthError => invalidRequest(description, { kind: 'page_form' });
