// Reads request headers up to a bounded length, because patterns are matched against them.
import type { FastifyRequest } from 'fastify';

/** Characters that are read of a header; real ones are shorter. */
const MAX_LENGTH = 1000;

/** A header, cut to 1,000 characters; '' where there is none. */
export const headerOf = (request: FastifyRequest, name: 'content-type' | 'user-agent'): string =>
  (request.headers[name] ?? '').slice(0, MAX_LENGTH);
