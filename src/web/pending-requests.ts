// Opens pending authorization requests, determines their next step and defines their error pages.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PageError } from '../http/page-error.ts';
import type { Services } from '../http/services.ts';
import { isMfaRequired, listAvailableMethods } from '../oauth/authentication-methods.ts';
import { type AuthorizationStep, decideNextStep, isHintedAccount } from '../oauth/authorization-step.ts';
import type { Client } from '../oauth/client.ts';
import { unauthenticatedClient } from '../oauth/client-authentication.ts';
import { invalidRequest, OAuthError } from '../oauth/errors.ts';
import {
  openPendingRequest,
  type PendingRequest,
  sealPendingRequest,
  toAuthorizationQuery,
} from '../oauth/pending-request.ts';
import { getMatchingRules, matchesRedirectUri } from '../oauth/redirect-uri.ts';
import { explainUnregisteredRedirectUri } from '../oauth/redirect-uri-mismatch.ts';
import type { RefusalReason } from '../oauth/refusal-reason.ts';
import { toTestSignInClient } from '../oauth/test-sign-in.ts';
import { type AuthorizationContext, findAuthorizationContext } from '../store/authorization-context.ts';
import type { Database } from '../store/database.ts';
import { findClientBranding } from '../store/owned-clients.ts';
import { findSessionsById, type Session } from '../store/sessions.ts';
import {
  browserIdsOf,
  ensureBrowserId,
  otherSessionIds,
  presentedSessionKey,
  requestedLocale,
} from './browser.ts';

export interface BrowserContext extends AuthorizationContext {
  otherSessions: Session[];
}

export interface LoadedPendingRequest {
  pending: PendingRequest;
  context: BrowserContext;
  sealed: string;
}

/** Returns undefined if the client doesn't exist. */
export async function findBrowserContext(
  request: FastifyRequest,
  { database, now }: Services,
  clientId: string,
  resources: readonly string[],
): Promise<BrowserContext | undefined> {
  const context = await findAuthorizationContext(
    database,
    clientId,
    presentedSessionKey(request),
    now(),
    resources,
  );
  if (context === undefined) return undefined;
  const { session } = context;
  const others = session === undefined ? [] : otherSessionIds(request);
  const live = [...(await findSessionsById(database, others, now())).values()];
  return { ...context, otherSessions: live.filter(({ userId }) => userId !== session?.userId) };
}

/**
 * Switches to the account named by id_token_hint, `claims` or login_hint, for this request only. An account that the
 * user selected takes precedence (ADR 12).
 */
export async function switchToNamedAccount(
  { database, now }: Services,
  { request, startedAt, selectedUserId }: PendingRequest,
  context: BrowserContext,
): Promise<BrowserContext> {
  const { session, otherSessions } = context;
  const isDecided = selectedUserId !== undefined || (session?.authTime.getTime() ?? 0) >= startedAt;
  if (session === undefined || isDecided || isHintedAccount(request, session)) return context;
  const named = otherSessions.find((other) => isHintedAccount(request, other));
  if (named === undefined) return context;
  const resources = request.apis.map(({ identifier }) => identifier);
  const switched = await findAuthorizationContext(database, request.clientId, named, now(), resources);
  // The session was revoked after it was loaded.
  if (switched?.session === undefined) return context;
  const others = otherSessions.filter(({ userId }) => userId !== named.userId);
  return { ...switched, otherSessions: [session, ...others] };
}

export const pendingUrl = (path: string, sealed: string): string => `${path}?pending=${sealed}`;

/** @throws PageError if the request can't continue, for example because it has expired */
export async function loadPendingRequest(
  request: FastifyRequest,
  reply: FastifyReply,
  services: Services,
  sealed: string,
): Promise<LoadedPendingRequest> {
  const opened = openPendingRequest(services.sealer, sealed, browserIdsOf(request), services.now());
  if (opened.outcome === 'unreadable') throw malformedPendingError();
  const { request: pending } = opened;
  if (opened.outcome === 'otherBrowser') throw otherBrowserError(pending.request.clientId);
  if (opened.outcome === 'expired') throw await requestExpiredError(services, pending);
  const locale = requestedLocale(request);
  // The user's choice overrides the client's `ui_locales`.
  if (locale !== undefined) pending.request.uiLocales = locale;
  const resources = pending.request.apis.map(({ identifier }) => identifier);
  const context = await findBrowserContext(request, services, pending.request.clientId, resources);
  if (context === undefined) throw clientDeletedError(pending.request);
  const client = pending.isTestSignIn
    ? toTestSignInClient(context.client, services.config.baseUrl)
    : context.client;
  if (!matchesRedirectUri(pending.request.redirectUri, client.redirectUris, getMatchingRules(client)))
    throw unregisteredRedirectUriError(pending.request.redirectUri, client);
  return {
    pending,
    context: await switchToNamedAccount(services, pending, context),
    sealed: sealForBrowser(reply, services, pending),
  };
}

export const nextStepOf = (
  { config, now }: Pick<Services, 'config' | 'now'>,
  { pending, context }: Pick<LoadedPendingRequest, 'pending' | 'context'>,
): AuthorizationStep =>
  decideNextStep({
    request: pending.request,
    startedAt: pending.startedAt,
    client: context.client,
    signedInAt: context.session?.allFactorsAt.getTime(),
    identifiedAt: context.session?.authTime.getTime(),
    userId: context.session?.userId,
    email: context.session?.email,
    hasOtherAccounts: context.otherSessions.length > 0,
    methods: context.session?.methods ?? [],
    availableMethods: context.session === undefined ? [] : listAvailableMethods(context.session),
    requiresTotp: context.session?.requiresTotp ?? false,
    isMfaRequired:
      context.client.mfaRequired === true ||
      (context.session !== undefined && isMfaRequired(config.mfaPolicy, context.session)),
    skipsVoluntaryAcr: pending.skipsVoluntaryAcr ?? false,
    selectedUserId: pending.selectedUserId,
    consentedScopes: context.consentedScopes,
    apis: context.apis,
    now: now().getTime(),
  });

export const sealForBrowser = (reply: FastifyReply, { sealer }: Services, pending: PendingRequest): string =>
  sealPendingRequest(sealer, pending, ensureBrowserId(reply));

/** The browser must not be redirected to an unregistered redirect URI (RFC 6749 §3.1.2.4). */
export const unregisteredRedirectUriError = (sent: string, { clientId, redirectUris }: Client): PageError =>
  new PageError(
    'invalidCallback',
    invalidRequest(
      'redirect_uri is not registered for this client. It must match a registered redirect URI exactly.',
      explainUnregisteredRedirectUri(sent, redirectUris),
    ).withDiagnostics(unauthenticatedClient(clientId)),
    { showDescription: true },
  );

/** Shown as a page because a deleted client has no redirect URI. */
const clientDeletedError = ({ clientId }: { clientId: string }): PageError =>
  new PageError(
    'applicationGone',
    new OAuthError(403, 'access_denied', 'The client was deleted.', {
      kind: 'client_unknown',
    }).withDiagnostics(unauthenticatedClient(clientId)),
  );

/** The user can restart the request unless the client must push it (PAR). */
async function requestExpiredError(
  { database, now }: Services,
  { request, isTestSignIn }: PendingRequest,
): Promise<PageError> {
  const context = await findAuthorizationContext(database, request.clientId, undefined, now());
  if (context === undefined) return clientDeletedError(request);
  const description = 'The authorization request has expired.';
  const reason = { kind: 'request_expired' } as const;
  const createError = () =>
    invalidRequest(description, reason).withDiagnostics(unauthenticatedClient(request.clientId));
  if (isTestSignIn)
    return new PageError('requestExpired', createError(), {
      restartUrl: `/console/applications/${request.clientId}/try-it`,
    });
  if (context.client.parRequired)
    return pushedRequestExpiredError(database, context.client, description, reason);
  return new PageError('requestExpired', createError(), {
    restartUrl: `/oauth/authorize?${toAuthorizationQuery(request)}`,
  });
}

/** Only the client can push a new request. */
export async function pushedRequestExpiredError(
  database: Database,
  { clientId, name }: Pick<Client, 'clientId' | 'name'>,
  description: string,
  reason: RefusalReason,
): Promise<PageError> {
  const homePage = (await findClientBranding(database, clientId))?.homePage ?? null;
  const startedBy = { name, homePage };
  return new PageError(
    'requestExpired',
    invalidRequest(description, reason).withDiagnostics(unauthenticatedClient(clientId)),
    {
      client: startedBy,
    },
  );
}

const otherBrowserError = (clientId: string): PageError =>
  new PageError(
    'otherBrowser',
    invalidRequest('The authorization request was started in a different browser.', {
      kind: 'browser_mismatch',
    }).withDiagnostics(unauthenticatedClient(clientId)),
  );

const malformedPendingError = (): OAuthError =>
  invalidRequest('The pending request is malformed.', { kind: 'page_form_invalid' });
