// CSRF protection: an origin check and a form token bound to the session or browser id.
import { timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PageError } from '../http/page-error.ts';
import { readForm } from '../http/parameters.ts';
import { pathOf } from '../http/route-config.ts';
import type { Services } from '../http/services.ts';
import { formTokenDigest } from '../oauth/digests.ts';
import { OAuthError } from '../oauth/errors.ts';
import type { Sealer } from '../oauth/seal.ts';
import { parseSecretUserId, randomSecret } from '../oauth/secrets.ts';
import { NIL_USER_ID } from '../store/nil-user-id.ts';
import type { SingleUseFormToken } from '../store/used-tokens.ts';
import { allSessionIds, browserIdsOf, ensureBrowserId } from './browser.ts';

/**
 * Every rendered form needs a different token because `singleUseFormToken` identifies the form by its token.
 * @param secret the session id, or the browser id before sign-in
 */
export const createCsrfToken = (sealer: Sealer, secret: string): string => {
  const nonce = randomSecret().slice(0, NONCE_LENGTH);
  return nonce + deriveHolderId(sealer, secret, nonce);
};

const NONCE_LENGTH = 22;

/** Derives an id that doesn't reveal the session id or browser id. Sealed payloads are bound to the derived id. */
export const deriveHolderId = (sealer: Sealer, secret: string, nonce = ''): string =>
  sealer.mac('csrf', secret, nonce).toString('base64url');

export function isCsrfToken(
  sealer: Sealer,
  token: string | undefined,
  secrets: (string | undefined)[],
): boolean {
  const presented = Buffer.from(token ?? '');
  return secrets.some((secret) => {
    if (secret === undefined) return false;
    const nonce = (token ?? '').slice(0, NONCE_LENGTH);
    const expected = Buffer.from(nonce + deriveHolderId(sealer, secret, nonce));
    return presented.length === expected.length && timingSafeEqual(presented, expected);
  });
}

/**
 * Checks `Sec-Fetch-Site` or `Origin`. Accepts requests without these headers, such as GET requests from older
 * browsers. Forms also have a CSRF token.
 */
export function isSameOrigin(request: FastifyRequest): boolean {
  const { baseUrl } = request.server.config;
  const { origin } = request.headers;
  const site = request.headers['sec-fetch-site'];
  return site === undefined
    ? origin === undefined || origin === baseUrl
    : site === 'same-origin' || site === 'none';
}

/** @throws PageError 403 if another site sent the form */
export function requireSameOrigin(request: FastifyRequest): void {
  if (!isSameOrigin(request)) throw csrfError();
}

/**
 * Returns a token for a form whose action must not run twice. Pressing a different button is a new use.
 * @param discriminators values that distinguish uses, such as an entered code
 */
export function singleUseFormToken(
  request: FastifyRequest,
  services: Services,
  ...discriminators: string[]
): SingleUseFormToken {
  const { sealer, config, now } = services;
  const form = readForm(request);
  const identity = [
    pathOf(request),
    form.get('csrf') ?? '',
    form.get('decision') ?? '',
    ...discriminators,
  ] as const;
  const until = new Date(now().getTime() + config.sessionTtl * 1000);
  const seed = sealer.mac('form seed', ...identity);
  return { userId: formAccountOf(request, services), key: formTokenDigest(...identity), until, seed };
}

/** Returns `NIL_USER_ID` if the form was rendered without a session. */
function formAccountOf(request: FastifyRequest, { sealer }: Services): string {
  const csrf = readForm(request).get('csrf');
  const session = allSessionIds(request).find((id) => isCsrfToken(sealer, csrf, [id]));
  return (session && parseSecretUserId(session)) ?? NIL_USER_ID;
}

export const createBrowserFormToken = (reply: FastifyReply, { sealer }: Services): string =>
  createCsrfToken(sealer, ensureBrowserId(reply));

export const ensureBrowserHolderId = (reply: FastifyReply, { sealer }: Services): string =>
  deriveHolderId(sealer, ensureBrowserId(reply));

export const isBoundToBrowser = (
  request: FastifyRequest,
  { sealer }: Pick<Services, 'sealer'>,
  holder: string,
): boolean => browserIdsOf(request).some((id) => deriveHolderId(sealer, id) === holder);

/** Only for forms that require no session. */
export const hasBrowserFormToken = (request: FastifyRequest, services: Services): boolean =>
  isCsrfToken(services.sealer, readForm(request).get('csrf'), browserIdsOf(request));

/** @throws PageError 403 if the form is from another site or another browser */
export function requireBrowserFormToken(request: FastifyRequest, services: Services): void {
  requireSameOrigin(request);
  if (!hasBrowserFormToken(request, services)) throw csrfError();
}

export const csrfError = (): PageError =>
  new PageError(
    'formExpired',
    new OAuthError(403, 'access_denied', 'The form did not come from this service, or it has expired.', {
      kind: 'page_form_invalid',
    }),
  );
