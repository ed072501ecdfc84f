// Forms come from our own pages in the same browser: where the request comes from, and a token bound to a cookie.
import { timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { PageFault } from '../http/failures.ts';
import type { Sealer } from '../oauth/seal.ts';

/** The token of a form for whoever holds `secret`: the session id, or the browser id before sign-in. */
export const csrfToken = (sealer: Sealer, secret: string): string =>
  sealer.mac('csrf', secret).toString('base64url');

/** Whether a form's token was made for the holder of one of these secrets. */
export function isCsrfToken(
  sealer: Sealer,
  token: string | undefined,
  secrets: (string | undefined)[],
): boolean {
  const offered = Buffer.from(token ?? '');
  return secrets.some((secret) => {
    if (secret === undefined) return false;
    const expected = Buffer.from(csrfToken(sealer, secret));
    return offered.length === expected.length && timingSafeEqual(offered, expected);
  });
}

/**
 * Refuses a form that another site sent. Browsers say where a request comes from: `Sec-Fetch-Site`, older ones
 * `Origin`. Without either it was no browser, and the token alone decides.
 * @throws PageFault 403
 */
export function requireOwnOrigin(request: FastifyRequest): void {
  const { baseUrl } = request.server.config;
  const { origin } = request.headers;
  const site = request.headers['sec-fetch-site'];
  const own =
    site === undefined
      ? origin === undefined || origin === baseUrl
      : site === 'same-origin' || site === 'none';
  if (!own) throw formRefused();
}

/** 403: the form did not come from our own page in this browser. */
export const formRefused = (): PageFault =>
  new PageFault(
    'formExpired',
    403,
    'access_denied',
    'The form did not come from this service, or it has expired.',
    { kind: 'form_refused' },
  );
