// Takes note of refused requests and of what applications do right, for their diagnostics pages. Every address calls
// it where it has answered; nothing waits for it.
import type { FastifyRequest } from 'fastify';
import { openAccessToken } from '../keys/tokens.ts';
import { type AuthorizationRequest, wordsOf } from '../oauth/authorization-request.ts';
import { named, parseBasic } from '../oauth/client-authentication.ts';
import type { Refused } from '../oauth/diagnosis.ts';
import type { OAuthError } from '../oauth/errors.ts';
import type { Parameters } from '../oauth/parameters.ts';
import type { KnownApplication, Notice, ReasonKind } from '../oauth/reason.ts';
import { ignoredWords } from '../oauth/scopes.ts';
import { formOf, queryOf } from './parameters.ts';
import type { Parts } from './parts.ts';
import { addressOf } from './rate-limit.ts';
import { isTraceless } from './request.ts';
import { pathOf, type RefusedEndpoint } from './route-config.ts';

/** Where nobody authenticates by a header: what stands there belongs to somebody else. */
const WITHOUT_BASIC: readonly RefusedEndpoint[] = ['authorize', 'logout', 'userinfo'];
/** No failures: whoever asks again and again while a person decides on another device is told to (RFC 8628 §3.5). */
const WAITING: readonly ReasonKind[] = ['device_waiting', 'device_too_fast'];

type DiagnosticsParts = Pick<Parts, 'activity' | 'diagnostics' | 'keys' | 'now'>;

const endpointOf = (request: FastifyRequest): RefusedEndpoint | undefined =>
  request.server.paths.get(pathOf(request))?.diagnostics;

/**
 * Records a refusal. Errors in here are logged and don't affect the response.
 * @param shown whether a page shows the incident code: then administrators must be able to find it
 */
export function noteRefusedRequest(
  request: FastifyRequest,
  refusal: OAuthError,
  parts: DiagnosticsParts,
  shown = false,
): void {
  if (isTraceless(request)) return;
  try {
    const endpoint = endpointOf(request);
    const { reason, clues, error } = refusal;
    const at = parts.now();
    const note = { error, address: addressOf(request), incident: request.id, at };
    const unattributed = shown ? { description: refusal.description } : undefined;
    // A full house is no fault of the application's, and a flood should not cost more than its answers.
    if (endpoint === undefined || refusal.status === 503 || WAITING.includes(reason.kind)) {
      const refused = { reason, clues: {}, application: undefined };
      if (unattributed !== undefined)
        parts.diagnostics.refused({
          ...note,
          refused,
          unattributed,
          // The pattern: an address itself may hold what is secret. Undecodable ones have no route.
          endpoint: request.routeOptions?.url ?? '',
        });
      return;
    }
    const refused = { reason, clues, application: refusal.application ?? namedIn(request, endpoint) };
    parts.activity.happened('refused', at);
    // Anybody can name an application: whoever is not it is counted once it is known that there is one.
    if (refused.application?.authenticated)
      parts.activity.happenedTo(refused.application.clientId, 'refused', at);
    parts.diagnostics.refused({
      ...note,
      refused: clues.bearer === undefined ? refused : withHolder(refused, clues.bearer, parts),
      unattributed,
      endpoint,
    });
  } catch (failure) {
    request.log.error({ err: failure }, 'a refused request could not be noted');
  }
}

/** Takes note of words that the scope of a request lost, which is served all the same (D4): clients stumble over it. */
export function noteIgnoredWords(
  request: FastifyRequest,
  asked: Pick<AuthorizationRequest, 'clientId' | 'scopes' | 'apis'>,
  sent: string | undefined,
  { diagnostics, now }: Pick<Parts, 'diagnostics' | 'now'>,
): void {
  const words = ignoredWords(sent ?? '', wordsOf(asked));
  if (words !== undefined)
    noteServed(request, asked.clientId, { kind: 'scope_words_ignored', words }, { diagnostics, now });
}

/** Takes note that an API which is suspended asked about a token, and was told that it is inactive. */
export const noteSuspendedApi = (
  request: FastifyRequest,
  apiId: string,
  parts: Pick<Parts, 'diagnostics' | 'now'>,
): void => noteServed(request, apiId, { kind: 'api_suspended' }, parts);

function noteServed(
  request: FastifyRequest,
  clientId: string,
  reason: Notice,
  { diagnostics, now }: Pick<Parts, 'diagnostics' | 'now'>,
): void {
  const endpoint = endpointOf(request);
  if (isTraceless(request) || endpoint === undefined) return;
  diagnostics.refused({
    // Never as the application itself: what happens at every sign-in would push out what went wrong once.
    refused: { reason, application: named(clientId), clues: {} },
    endpoint,
    error: '',
    address: addressOf(request),
    incident: request.id,
    at: now(),
  });
}

/** The application that a request names which was refused before anybody had asked for it. Anybody can name one. */
function namedIn(request: FastifyRequest, endpoint: RefusedEndpoint): KnownApplication | undefined {
  const authorization = WITHOUT_BASIC.includes(endpoint) ? undefined : request.headers.authorization;
  return named(clientIdIn(formOf(request), authorization) ?? queryOf(request).get('client_id'));
}

const clientIdIn = (form: Parameters, authorization: string | undefined): string | undefined =>
  form.get('client_id') ??
  (/^basic /i.test(authorization ?? '') ? parseBasic(authorization ?? '')?.id : undefined);

/** Attributes a refused bearer token to the client that it was issued to, if its signature is ours. */
async function withHolder(
  refused: Refused,
  bearer: string,
  { keys }: DiagnosticsParts,
): Promise<Refused | undefined> {
  const opened = await openAccessToken(keys, bearer);
  if (opened === undefined) return undefined;
  const { userId, grantId, clientId } = opened;
  const ticket = grantId && ({ what: 'access_token', userId, grantId, generation: 0 } as const);
  return { ...refused, application: named(clientId), clues: { ...refused.clues, ...(ticket && { ticket }) } };
}

/** Takes note of an authorization request that came to its good end: a code. */
export function noteAuthorization(request: AuthorizationRequest, { diagnostics, now }: Parts): void {
  const { clientId, codeChallenge, state, nonce } = request;
  const at = now();
  diagnostics.observed(clientId, codeChallenge === undefined ? 'without_pkce' : 'pkce', at);
  diagnostics.observed(clientId, state === undefined ? 'without_state' : 'state', at);
  diagnostics.observed(clientId, nonce === undefined ? 'without_nonce' : 'nonce', at);
}

/** Takes note of a token request that was answered. */
export function noteTokenRequest(request: FastifyRequest, { diagnostics, now }: Parts): void {
  const form = formOf(request);
  const clientId = clientIdIn(form, request.headers.authorization);
  if (clientId !== undefined && form.get('grant_type') === 'refresh_token')
    diagnostics.observed(clientId, 'renewal', now());
}
