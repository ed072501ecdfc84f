// The return target: where the login flow redirects when it finishes.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PageError } from '../http/page-error.ts';
import { readQueryOrForm } from '../http/parameters.ts';
import type { Services } from '../http/services.ts';
import { getDisplayName } from '../oauth/client-metadata.ts';
import { OAuthError } from '../oauth/errors.ts';
import type { Parameters } from '../oauth/parameters.ts';
import { getRedirectUriHost } from '../oauth/redirect-uri.ts';
import { otherSessionIds } from './browser.ts';
import { type LoadedPendingRequest, loadPendingRequest, pendingUrl } from './pending-requests.ts';

/** A pending authorization request, a page of this service, or neither. */
export interface ReturnTo {
  page: LoadedPendingRequest | undefined;
  next: string | undefined;
}

/**
 * A metadata document is fetched only after sign-in. Until then, `next` is the URL of the authorization request.
 */
export const isAuthorizeUrl = (url: string): boolean => /^\/oauth\/authorize\?[\x21-\x7e]*$/.test(url);

/** Prevents open redirects. Rejects encoded dots because browsers decode them. */
export const isAllowedNextUrl = (url: string): boolean =>
  isAuthorizeUrl(url) ||
  (/^\/(account|console|device)(\/[A-Za-z0-9_~.%/-]*)?(\?[\x21-\x7e]*)?$/.test(url) &&
    !/[\\#]|\/\/|\/(\.|%2e){1,2}(\/|$|\?)/i.test(url));

export const NO_RETURN_TARGET: ReturnTo = { page: undefined, next: undefined };

export const hasReturnTarget = ({ page, next }: ReturnTo): boolean =>
  page !== undefined || next !== undefined;

/**
 * Parses `pending` and `next` in a query or form.
 * @throws PageError or OAuthError if the pending request can't be used
 */
export async function parseReturnTo(
  request: FastifyRequest,
  reply: FastifyReply,
  services: Services,
  parameters: Pick<Parameters, 'get'> = readQueryOrForm(request),
): Promise<ReturnTo> {
  const pending = parameters.get('pending');
  const next = parameters.get('next');
  return {
    page: pending === undefined ? undefined : await loadPendingRequest(request, reply, services, pending),
    next: next !== undefined && isAllowedNextUrl(next) ? next : undefined,
  };
}

/** @throws PageError or OAuthError if the pending request can't be used */
export const openReturnTo = (
  request: FastifyRequest,
  reply: FastifyReply,
  services: Services,
  { pending, next }: ReturnFields,
): Promise<ReturnTo> => {
  const values = new Map(Object.entries({ pending, next }));
  return parseReturnTo(request, reply, services, { get: (name) => values.get(name) });
};

/**
 * Parses an emailed link's return target. Anonymous users can request such emails, so a pending request must have
 * started in this browser.
 * @param fallback the page to use if there is no usable return target
 */
export async function restoreReturnTo(
  request: FastifyRequest,
  reply: FastifyReply,
  services: Services,
  { pending, next }: ReturnFields,
  fallback: string,
): Promise<ReturnTo> {
  const fallbackTarget = { page: undefined, next: fallback };
  const ownPage = next !== undefined && isAuthorizeUrl(next) ? undefined : next;
  try {
    const returnTo = await openReturnTo(request, reply, services, { pending, next: ownPage });
    return hasReturnTarget(returnTo) ? returnTo : fallbackTarget;
  } catch (error) {
    if (!(error instanceof PageError || error instanceof OAuthError)) throw error;
    request.log.info({ error: error.message }, 'emailed link has no valid return target');
    return fallbackTarget;
  }
}

/** A return target as hidden form fields or as parameters of an emailed link. */
export interface ReturnFields {
  pending?: string | undefined;
  next?: string | undefined;
}

export const returnFields = ({ page, next }: ReturnTo) => ({ pending: page?.sealed, next });

/** @param extra parameters whose values are already encoded */
export function loginUrl(path: string, { page, next }: ReturnTo, extra: Record<string, string> = {}): string {
  const url =
    page !== undefined
      ? pendingUrl(path, page.sealed)
      : next === undefined
        ? path
        : `${path}?next=${encodeURIComponent(next)}`;
  return Object.entries(extra).reduce((extended, [name, value]) => addParameter(extended, name, value), url);
}

export const returnUrl = ({ page, next }: ReturnTo, fallback = '/account'): string =>
  page === undefined ? (next ?? fallback) : pendingUrl('/oauth/authorize', page.sealed);

/** @param value must already be encoded */
export const addParameter = (url: string, name: string, value: string): string =>
  `${url}${url.includes('?') ? '&' : '?'}${name}=${value}`;

export const addAccountUrl = (path: string, returnTo: ReturnTo): string =>
  loginUrl(path, returnTo, returnTo.page === undefined ? { another: '1' } : {});

export const switchAccountUrl = (request: FastifyRequest, returnTo: ReturnTo): string =>
  otherSessionIds(request).length > 0 ? loginUrl('/accounts', returnTo) : addAccountUrl('/signin', returnTo);

export const destinationClient = ({
  page,
}: ReturnTo): { clientId: string; name: string; host: string } | undefined =>
  page && {
    clientId: page.context.client.clientId,
    name: getDisplayName(page.context.client, [page.pending.request.redirectUri]),
    host: getRedirectUriHost(page.pending.request.redirectUri),
  };
