// The pending request that a page belongs to: opened for this browser, looked up, its faults turned into pages (D8, D9).
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PageFault } from '../http/failures.ts';
import type { Parts } from '../http/parts.ts';
import { isDemandedOf, meansOf } from '../oauth/authentication-methods.ts';
import { callbackReason } from '../oauth/callback-difference.ts';
import type { Client } from '../oauth/client.ts';
import { named } from '../oauth/client-authentication.ts';
import { invalidRequest, OAuthError } from '../oauth/errors.ts';
import { nextStep, type Step } from '../oauth/next-step.ts';
import { openPending, type PendingRequest, requestQuery, sealPending } from '../oauth/pending-request.ts';
import type { Reason } from '../oauth/reason.ts';
import { callbackRulesOf, matchesRedirectUri } from '../oauth/redirect-uri.ts';
import { findPresentation } from '../store/applications.ts';
import { type AuthorizationFacts, findAuthorizationFacts } from '../store/authorizations.ts';
import type { Database } from '../store/database.ts';
import { findSessionsById } from '../store/sessions.ts';
import {
  browserIdsOf,
  chosenLanguage,
  ensureBrowserId,
  otherSessionIdsOf,
  presentedSession,
} from './browser.ts';

/** What an authorization request of a browser is decided on. */
export interface BrowserFacts extends AuthorizationFacts {
  /** Whether accounts other than the active one are signed in in the browser. */
  otherAccounts: boolean;
}

/** A pending request with what it is decided on, and its sealed form for the next page. */
export interface PendingPage {
  pending: PendingRequest;
  facts: BrowserFacts;
  sealed: string;
}

/**
 * Reads what an authorization request of a browser is decided on; undefined when there is no such client. Only a browser
 * that holds several sessions costs a second statement.
 */
export async function findBrowserFacts(
  request: FastifyRequest,
  { database, now }: Parts,
  clientId: string,
  resources: readonly string[],
): Promise<BrowserFacts | undefined> {
  const facts = await findAuthorizationFacts(database, clientId, presentedSession(request), now(), resources);
  if (facts === undefined) return undefined;
  const others = facts.session === undefined ? [] : otherSessionIdsOf(request);
  const live = [...(await findSessionsById(database, others, now())).values()];
  return { ...facts, otherAccounts: live.some(({ userId }) => userId !== facts.session?.userId) };
}

/** URL of a page for a pending request. */
export const pendingAddress = (path: string, sealed: string): string => `${path}?pending=${sealed}`;

/**
 * Opens what the browser brought back and looks the application up again.
 * @throws PageFault when it expired, belongs to another browser, or the application can no longer be answered
 */
export async function pendingPage(
  request: FastifyRequest,
  reply: FastifyReply,
  parts: Parts,
  text: string,
): Promise<PendingPage> {
  const opened = openPending(parts.sealer, text, browserIdsOf(request), parts.now());
  if (opened.outcome === 'unreadable') throw unreadablePending();
  const { request: pending } = opened;
  if (opened.outcome === 'otherBrowser') throw otherBrowser(pending.request.clientId);
  if (opened.outcome === 'expired') throw await expired(parts, pending);
  const wish = chosenLanguage(request);
  if (wish !== undefined) pending.request.uiLocales = wish; // the person's own choice outlives the application's wish
  const resources = pending.request.apis.map(({ identifier }) => identifier);
  const facts = await findBrowserFacts(request, parts, pending.request.clientId, resources);
  if (facts === undefined) throw applicationGone(pending.request);
  const { client } = facts;
  if (!matchesRedirectUri(pending.request.redirectUri, client.redirectUris, callbackRulesOf(client)))
    throw unregisteredCallback(pending.request.redirectUri, client);
  return { pending, facts, sealed: seal(reply, parts, pending) };
}

/** The next step of a pending request, as things stand now. */
export const stepOf = (
  { config, now }: Pick<Parts, 'config' | 'now'>,
  { pending, facts }: Pick<PendingPage, 'pending' | 'facts'>,
): Step =>
  nextStep({
    request: pending.request,
    startedAt: pending.startedAt,
    client: facts.client,
    signedInAt: facts.session?.fullyProvenAt.getTime(),
    userId: facts.session?.userId,
    email: facts.session?.email,
    otherAccounts: facts.otherAccounts,
    methods: facts.session?.methods ?? [],
    means: facts.session === undefined ? [] : meansOf(facts.session),
    asksForCode: facts.session?.asksForCode ?? false,
    demanded:
      facts.client.secondFactorRequired === true ||
      (facts.session !== undefined && isDemandedOf(config.secondFactor, facts.session)),
    wishAnswered: pending.wishAnswered ?? false,
    chosen: pending.chosen,
    consentedScopes: facts.consentedScopes,
    apis: facts.apis,
    now: now().getTime(),
  });

/** Seals a pending request for this browser. */
export const seal = (reply: FastifyReply, { sealer }: Parts, pending: PendingRequest): string =>
  sealPending(sealer, pending, ensureBrowserId(reply));

/** 400: the callback is none of the application's; never redirected to (D1). */
export const unregisteredCallback = (sent: string, { clientId, redirectUris }: Client): PageFault =>
  new PageFault(
    'invalidCallback',
    invalidRequest(
      'redirect_uri is not one of the callback URLs registered for this application; they are compared character by character.',
      callbackReason(sent, redirectUris),
    ).from(named(clientId)),
  );

/** 403: there is no callback any more to tell anything to (D8). */
const applicationGone = ({ clientId }: { clientId: string }): PageFault =>
  new PageFault(
    'applicationGone',
    new OAuthError(403, 'access_denied', 'The application is no longer registered.', {
      kind: 'application_unknown',
    }).from(named(clientId)),
  );

/** 400: the person may start again, here or, where the application has to push its requests, only from there. */
async function expired({ database, now }: Parts, { request }: PendingRequest): Promise<PageFault> {
  const facts = await findAuthorizationFacts(database, request.clientId, undefined, now());
  if (facts === undefined) return applicationGone(request);
  const description = 'The authorization request has expired.';
  const reason = { kind: 'request_expired' } as const;
  if (facts.client.parRequired) return lapsed(database, facts.client, description, reason);
  return new PageFault('requestExpired', invalidRequest(description, reason).from(named(request.clientId)), {
    startAgain: `/oauth/authorize?${requestQuery(request)}`,
  });
}

/** 400: a request that only the application itself can make again. */
export async function lapsed(
  database: Database,
  { clientId, name }: Pick<Client, 'clientId' | 'name'>,
  description: string,
  reason: Reason,
): Promise<PageFault> {
  const homePage = (await findPresentation(database, clientId))?.homePage ?? null;
  const startedBy = { name, homePage };
  return new PageFault('requestExpired', invalidRequest(description, reason).from(named(clientId)), {
    startedBy,
  });
}

/** 400: what was sealed for another browser. */
const otherBrowser = (clientId: string): PageFault =>
  new PageFault(
    'otherBrowser',
    invalidRequest('The authorization request began in another browser.', {
      kind: 'request_of_other_browser',
    }).from(named(clientId)),
  );

/** 400: what was not sealed here. */
const unreadablePending = (): OAuthError =>
  invalidRequest('The pending request cannot be read.', { kind: 'page_form' });
