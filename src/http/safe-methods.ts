// GET and HEAD (RFC 9110 §9.2.1): HEAD is answered as GET without the body (§9.3.2), and leaves no trace at all.
import type { FastifyRequest } from 'fastify';

/** Whether a request asks for nothing but an answer. */
export const isSafe = ({ method }: FastifyRequest): boolean => method === 'GET' || method === 'HEAD';

/**
 * Whether nothing may be noted, given or ended for this request: it is a program that looks whether there is anything
 * (link checkers, previews, monitors), and a person who saw nothing.
 */
export const isTraceless = ({ method }: FastifyRequest): boolean => method === 'HEAD';

/** Whether a browser asks for a page that nobody has opened yet. Refused, it asks again when somebody does. */
export const isPrefetch = ({ headers }: FastifyRequest): boolean =>
  /\bprefetch\b/.test(String(headers['sec-purpose'] ?? headers.purpose ?? ''));
