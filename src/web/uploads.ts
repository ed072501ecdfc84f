// Forms that bring a file: read whole and of 2 MiB at most, then the same Parameters as from any other form, and the files beside.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { PageFault } from '../http/failures.ts';
import { BODY_LIMIT } from '../http/parameters.ts';
import { bodyTooLarge, invalidRequest, OAuthError } from '../oauth/errors.ts';
import { type Parameters, parseParameters } from '../oauth/parameters.ts';

/** What a form with a file may weigh, in bytes. */
const UPLOAD_LIMIT = 2 * 1024 * 1024;
/** Parts of a form; ours have a handful. */
const PARTS = 50;
/** What the headers of a part may weigh, in bytes. */
const HEAD = 8 * 1024;
/** RFC 2046 §5.1.1: at most 70 characters. Nothing may follow it, or the parser might read another one. */
const BOUNDARY = /^multipart\/form-data *; *boundary=(?:"([^"\\]{1,70})"|([^\s;"]{1,70})) *$/i;
/** A browser reads the answer only when it has sent all: so much is taken and thrown away to tell it. */
const PATIENCE = 32 * 1024 * 1024;

/** Whether a request is a form with files. */
export const isUpload = (request: FastifyRequest): boolean =>
  /^multipart\/form-data *;/i.test(request.headers['content-type'] ?? '');

declare module 'fastify' {
  interface FastifyRequest {
    files: ReadonlyMap<string, Buffer> | undefined;
  }
}

/** The content of a file that the form brought; undefined when none was chosen. */
export const fileOf = (request: FastifyRequest, name: string): Buffer | undefined => request.files?.get(name);

/** Has forms with files read. Who may send one is decided before (`memberArea`), for routes with `upload` in their config. */
export function readUploads(area: FastifyInstance): void {
  area.decorateRequest('files', undefined);
  area.addContentTypeParser(
    'multipart/form-data',
    async (request: FastifyRequest, payload: AsyncIterable<Buffer>) => {
      // Browsers send a Content-Length. Chunks of one byte would each take hundreds of bytes of memory.
      if (request.headers['transfer-encoding'] !== undefined)
        throw invalidRequest('A form with files must have a Content-Length.', { kind: 'page_form' });
      const form = await formDataOf(request, await bytesOf(payload));
      const texts: [string, string][] = [];
      const chosen = new Map<string, Buffer>();
      let size = 0;
      for (const [name, value] of form)
        if (typeof value === 'string') {
          size += Buffer.byteLength(value);
          if (size > BODY_LIMIT) throw bodyTooLarge();
          texts.push([name, value]);
        } else if (value.size > 0) chosen.set(name, Buffer.from(await value.arrayBuffer()));
      request.files = chosen;
      return textsOf(texts);
    },
  );
}

/** @throws PageFault 413 when it is too large, once it has all been sent */
async function bytesOf(payload: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of payload) {
    size += chunk.length;
    if (size <= UPLOAD_LIMIT) chunks.push(chunk);
    else chunks.length = 0;
    if (size > PATIENCE) break;
  }
  if (size > UPLOAD_LIMIT)
    throw new PageFault(
      'uploadTooLarge',
      new OAuthError(413, 'invalid_request', 'The file is larger than 2 MB.', { kind: 'body_too_large' }),
    );
  return Buffer.concat(chunks);
}

/** Node reads forms itself (`fetch` brings it), of a length and of so many parts that are known to be harmless. */
async function formDataOf(request: FastifyRequest, bytes: Buffer): Promise<FormData> {
  const headers = { 'content-type': request.headers['content-type'] ?? '' };
  requireFewParts(headers['content-type'], bytes);
  try {
    return await new Response(new Uint8Array(bytes), { headers }).formData();
  } catch {
    throw invalidRequest('The body is not a multipart form.', { kind: 'page_form' });
  }
}

/** Each part costs the parser as much as a small form, so they are counted before it sees any. */
function requireFewParts(contentType: string, bytes: Buffer): void {
  const [, quoted, plain] = BOUNDARY.exec(contentType) ?? [];
  const delimiter = quoted ?? plain;
  if (delimiter === undefined)
    throw invalidRequest('The body is not a multipart form.', { kind: 'page_form' });
  let parts = 0;
  for (let at = bytes.indexOf(`--${delimiter}`); at !== -1; at = bytes.indexOf(`--${delimiter}`, at + 1)) {
    parts += 1;
    if (parts > PARTS + 1) throw invalidRequest('The form has too many parts.', { kind: 'page_form' });
    const head = bytes.subarray(at, at + HEAD);
    if (head.length === HEAD && !head.includes('\r\n\r\n'))
      throw invalidRequest('A part of the form has too long a head.', { kind: 'page_form' });
  }
}

/** The text fields, judged as those of every other form are. */
const textsOf = (texts: [string, string][]): Parameters =>
  parseParameters(String(new URLSearchParams(texts)));
