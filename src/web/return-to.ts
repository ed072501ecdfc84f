// Where the login flow leads when it is finished, from page to page.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PageFault } from '../http/failures.ts';
import { parametersOf } from '../http/parameters.ts';
import type { Parts } from '../http/parts.ts';
import { calledOnPages } from '../oauth/agent-document.ts';
import { OAuthError } from '../oauth/errors.ts';
import type { Parameters } from '../oauth/parameters.ts';
import { callbackHost } from '../oauth/redirect-uri.ts';
import { otherSessionIdsOf } from './browser.ts';
import { type PendingPage, pendingAddress, pendingPage } from './pending.ts';

/** An authorization request, a page of this service, or neither. */
export interface ReturnTo {
  page: PendingPage | undefined;
  next: string | undefined;
}

/** Whether a text is the URL of an authorization request. That of an agent waits until the user has signed in. */
export const isAuthorizeUrl = (text: string): boolean => /^\/oauth\/authorize\?[\x21-\x7e]*$/.test(text);

/** Whether a text is the URL of a page for signed-in users, or of such a request. `next` accepts nothing else. */
export const isMemberAddress = (text: string): boolean =>
  isAuthorizeUrl(text) ||
  (/^\/(account|console|device)(\/[A-Za-z0-9_~.%/-]*)?(\?[\x21-\x7e]*)?$/.test(text) &&
    !/[\\#]|\/\/|\/(\.|%2e){1,2}(\/|$|\?)/i.test(text)); // browsers read an encoded dot as a dot

export const NOWHERE: ReturnTo = { page: undefined, next: undefined };

/** Whether the user is on the way to something. */
export const isInLogin = ({ page, next }: ReturnTo): boolean => page !== undefined || next !== undefined;

/**
 * Reads `pending` and `next` of a page's query or form.
 * @throws PageFault or OAuthError if the pending request can't be used
 */
export async function parseReturnTo(
  request: FastifyRequest,
  reply: FastifyReply,
  parts: Parts,
  parameters: Pick<Parameters, 'get'> = parametersOf(request),
): Promise<ReturnTo> {
  const text = parameters.get('pending');
  const next = parameters.get('next');
  return {
    page: text === undefined ? undefined : await pendingPage(request, reply, parts, text),
    next: next !== undefined && isMemberAddress(next) ? next : undefined,
  };
}

/**
 * The same from the link of an email, which may be opened elsewhere or later, and which anybody may have requested: it leads
 * to no authorization request except one that this browser made.
 * @param otherwise the page that it leads to then
 */
export async function restoreReturnTo(
  request: FastifyRequest,
  reply: FastifyReply,
  parts: Parts,
  { pending, next }: ReturnFields,
  otherwise: string,
): Promise<ReturnTo> {
  const home = { page: undefined, next: otherwise };
  const ownPage = next !== undefined && isAuthorizeUrl(next) ? undefined : next;
  const kept = new Map(Object.entries({ pending, next: ownPage }));
  try {
    const returnTo = await parseReturnTo(request, reply, parts, { get: (name) => kept.get(name) });
    return isInLogin(returnTo) ? returnTo : home;
  } catch (error) {
    if (!(error instanceof PageFault || error instanceof OAuthError)) throw error;
    request.log.info({ error: error.message }, 'the link of an email no longer leads to its application');
    return home;
  }
}

/** A return target as hidden fields of a form, and as an email keeps it. */
export interface ReturnFields {
  pending?: string | undefined;
  next?: string | undefined;
}

export const returnFields = ({ page, next }: ReturnTo) => ({ pending: page?.sealed, next });

/** URL of a page of the login flow. @param more further parameters, which need no encoding */
export function loginUrl(path: string, { page, next }: ReturnTo, more: Record<string, string> = {}): string {
  const url =
    page !== undefined
      ? pendingAddress(path, page.sealed)
      : next === undefined
        ? path
        : `${path}?next=${encodeURIComponent(next)}`;
  return Object.entries(more).reduce((longer, [name, value]) => withParameter(longer, name, value), url);
}

/** URL at which the login flow ends. @param otherwise if it leads nowhere in particular */
export const returnUrl = ({ page, next }: ReturnTo, otherwise = '/account'): string =>
  page === undefined ? (next ?? otherwise) : pendingAddress('/oauth/authorize', page.sealed);

/** Adds a parameter to a URL; its value needs no encoding. */
export const withParameter = (url: string, name: string, value: string): string =>
  `${url}${url.includes('?') ? '&' : '?'}${name}=${value}`;

/** URL to sign in with another account beside those that are signed in. */
export const addAccountUrl = (path: string, returnTo: ReturnTo): string =>
  loginUrl(path, returnTo, returnTo.page === undefined ? { another: '1' } : {});

/** URL to continue with another account than the active one. */
export const switchAccountUrl = (request: FastifyRequest, returnTo: ReturnTo): string =>
  otherSessionIdsOf(request).length > 0
    ? loginUrl('/accounts', returnTo)
    : addAccountUrl('/signin', returnTo);

/** The application that it leads to. */
export const destinationOf = ({ page }: ReturnTo): { name: string; host: string } | undefined =>
  page && {
    name: calledOnPages(page.facts.client, [page.pending.request.redirectUri]),
    host: callbackHost(page.pending.request.redirectUri),
  };
