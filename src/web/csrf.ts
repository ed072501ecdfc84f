// Forms come from our own pages in the same browser: where the request comes from, and a token bound to a cookie.
import { timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PageFault } from '../http/failures.ts';
import { formOf } from '../http/parameters.ts';
import type { Parts } from '../http/parts.ts';
import { pathOf } from '../http/route-config.ts';
import { formTokenDigest } from '../oauth/digests.ts';
import { OAuthError } from '../oauth/errors.ts';
import type { Sealer } from '../oauth/seal.ts';
import { accountOfSecret, randomSecret } from '../oauth/secrets.ts';
import { NO_USER } from '../store/no-user.ts';
import type { OneUseForm } from '../store/spent-tokens.ts';
import { browserIdsOf, ensureBrowserId, sessionIdsOf } from './browser.ts';

/**
 * The token of a form for the holder of `secret`: the session id, or the browser id before sign-in. It differs on each page,
 * so it serves as the one-use token of forms that must not repeat (`oneUse`).
 */
export const csrfToken = (sealer: Sealer, secret: string): string => {
  const page = randomSecret().slice(0, PAGE);
  return page + holderOf(sealer, secret, page);
};

/** Characters of a token that say which page it stands on. */
const PAGE = 22;

/** Whoever holds `secret`, without the secret. */
export const holderOf = (sealer: Sealer, secret: string, page = ''): string =>
  sealer.mac('csrf', secret, page).toString('base64url');

/** Whether a form's token was made for the holder of one of these secrets. */
export function isCsrfToken(
  sealer: Sealer,
  token: string | undefined,
  secrets: (string | undefined)[],
): boolean {
  const offered = Buffer.from(token ?? '');
  return secrets.some((secret) => {
    if (secret === undefined) return false;
    const page = (token ?? '').slice(0, PAGE);
    const expected = Buffer.from(page + holderOf(sealer, secret, page));
    return offered.length === expected.length && timingSafeEqual(offered, expected);
  });
}

/**
 * Whether a form is none that another site sent. Browsers say where a request comes from: `Sec-Fetch-Site`, older ones
 * `Origin`. Without either it was no browser, and the token alone decides.
 */
export function isOwnOrigin(request: FastifyRequest): boolean {
  const { baseUrl } = request.server.config;
  const { origin } = request.headers;
  const site = request.headers['sec-fetch-site'];
  return site === undefined
    ? origin === undefined || origin === baseUrl
    : site === 'same-origin' || site === 'none';
}

/** Refuses a form that another site sent. @throws PageFault 403 */
export function requireOwnOrigin(request: FastifyRequest): void {
  if (!isOwnOrigin(request)) throw formRefused();
}

/**
 * The one-use token of a form that must not repeat: its CSRF token, which was checked before and differs on each page, and
 * which of its buttons was pressed: going back to press another one is a use of its own.
 * @param of what else makes it another use
 */
export function oneUse(request: FastifyRequest, parts: Parts, ...of: string[]): OneUseForm {
  const { sealer, config, now } = parts;
  const form = formOf(request);
  const all = [pathOf(request), form.get('csrf') ?? '', form.get('decision') ?? '', ...of] as const;
  const until = new Date(now().getTime() + config.sessionTtl * 1000);
  const seed = sealer.mac('form seed', ...all);
  return { userId: formAccountOf(request, parts), key: formTokenDigest(...all), until, seed };
}

/** The account of the session that a form belongs to, live or not; `NO_USER` for the form of a page without a session. */
function formAccountOf(request: FastifyRequest, { sealer }: Parts): string {
  const csrf = formOf(request).get('csrf');
  const session = sessionIdsOf(request).find((id) => isCsrfToken(sealer, csrf, [id]));
  return (session && accountOfSecret(session)) ?? NO_USER;
}

/** The token of a form that needs no session: it is bound to the browser. */
export const openFormToken = (reply: FastifyReply, { sealer }: Parts): string =>
  csrfToken(sealer, ensureBrowserId(reply));

export const openFormHolder = (reply: FastifyReply, { sealer }: Parts): string =>
  holderOf(sealer, ensureBrowserId(reply));

/** Whether a form without a session came from our own page in this browser. */
export const isOpenForm = (request: FastifyRequest, parts: Parts): boolean =>
  isCsrfToken(parts.sealer, formOf(request).get('csrf'), browserIdsOf(request));

/** Requires that. @throws PageFault 403 */
export function requireOpenForm(request: FastifyRequest, parts: Parts): void {
  requireOwnOrigin(request);
  if (!isOpenForm(request, parts)) throw formRefused();
}

/** 403: the form did not come from our own page in this browser. */
export const formRefused = (): PageFault =>
  new PageFault(
    'formExpired',
    new OAuthError(403, 'access_denied', 'The form did not come from this service, or it has expired.', {
      kind: 'page_form',
    }),
  );
