// Takes note of refused requests and of what applications do right, for their diagnostics pages. Every address calls
// it where it has answered; nothing waits for it.
import type { FastifyRequest } from 'fastify';
import type { AuthorizationRequest } from '../oauth/authorization-request.ts';
import { bearerToken } from '../oauth/bearer.ts';
import type { Suspicion } from '../oauth/diagnosis.ts';
import type { OAuthError } from '../oauth/errors.ts';
import { parseParameters } from '../oauth/parameters.ts';
import { namedClient, type RefusedEndpoint, suspect, suspectBearer } from '../oauth/suspicion.ts';
import { openAccessToken } from '../oauth/tokens.ts';
import type { Parts } from '../parts.ts';
import { PageFault } from './failures.ts';
import { formOf, queryOf } from './parameters.ts';
import { addressOf } from './rate-limit.ts';

/** Where applications are refused, or people on the way to them. */
const ENDPOINTS = new Map<string, RefusedEndpoint>([
  ['/oauth/authorize', 'authorize'],
  ['/signin', 'authorize'],
  ['/signup', 'authorize'],
  ['/consent', 'authorize'],
  ['/oauth/par', 'par'],
  ['/oauth/device_authorization', 'device'],
  ['/oauth/token', 'token'],
  ['/oauth/introspect', 'introspect'],
  ['/oauth/token/revoke', 'revoke'],
  ['/oauth/userinfo', 'userinfo'],
]);
/** Answers to whoever asks again and again while a person decides on another device (RFC 8628 §3.5): no failures. */
const WAITING = new Set(['authorization_pending', 'slow_down']);
const FORM = /^application\/x-www-form-urlencoded/i;

type DiagnosticsParts = Pick<Parts, 'diagnostics' | 'keys' | 'now' | 'sealer'>;

/** Signatures that are looked into at a time, for tokens that userinfo refused. */
const MOST_TOKENS = 20;
let tokens = 0;

/**
 * Takes note of a refusal. Whatever goes wrong here is not the answer's affair.
 * @param clientId of the request, where it is known from elsewhere than the request itself
 */
export function noteRefusedRequest(
  request: FastifyRequest,
  error: OAuthError,
  parts: DiagnosticsParts,
  clientId?: string,
): void {
  const path = request.url.split('?', 1)[0] ?? '';
  const endpoint = ENDPOINTS.get(path);
  // A full house is no fault of the application's, and a flood should not cost more than its answers.
  if (endpoint === undefined || error.status === 503 || WAITING.has(error.error)) return;
  try {
    parts.diagnostics.refused({
      suspicion:
        endpoint === 'userinfo' && error.status < 405
          ? ofBearer(request, error, parts)
          : ofRequest(request, error, endpoint, parts, clientId),
      endpoint,
      error: error.error,
      address: addressOf(request),
      incident: request.id,
      at: parts.now(),
    });
  } catch (failure) {
    request.log.error({ err: failure }, 'a refused request could not be looked into');
  }
}

function ofRequest(
  request: FastifyRequest,
  error: OAuthError,
  endpoint: RefusedEndpoint,
  { sealer }: DiagnosticsParts,
  known: string | undefined,
): Suspicion | undefined {
  const { method, headers } = request;
  const { authorization } = headers;
  const query = queryOf(request);
  const clientId = known ?? namedClient(formOf(request), authorization) ?? namedClient(query, undefined);
  if (error instanceof PageFault) {
    const { failure, startAgain } = error;
    const plain = { facts: {}, authenticated: false };
    if (failure === 'httpsRequired') return { ...plain, kind: 'https_required', clientId };
    if (failure === 'requestLapsed') {
      const kind = query.get('request_uri') === undefined ? 'request_expired' : 'pushed_request_expired';
      return { ...plain, kind, clientId: error.application?.clientId };
    }
    if (failure === 'requestExpired') {
      const expired = parseParameters(startAgain?.split('?')[1] ?? '');
      return { ...plain, kind: 'request_expired', clientId: expired.get('client_id') };
    }
  }
  if (endpoint === 'authorize' && clientId === undefined) return undefined;
  const type = headers['content-type'] ?? '';
  if (
    endpoint !== 'authorize' &&
    error.error === 'invalid_request' &&
    method === 'POST' &&
    !FORM.test(type)
  ) {
    const sent = /^[a-z]+\/[a-z0-9.+-]{1,40}/i.exec(type)?.[0] ?? '';
    return { kind: 'content_type', facts: { sent }, authenticated: false, clientId };
  }
  const badCallback =
    (error instanceof PageFault && error.failure === 'invalidCallback') ||
    (endpoint === 'par' && error.description.startsWith('redirect_uri is missing, or not one of'));
  const parameters = method === 'POST' ? formOf(request) : query;
  const suspicion = suspect({
    endpoint,
    method,
    parameters,
    authorization: endpoint === 'authorize' ? undefined : authorization,
    error,
    badCallback,
    sealer,
  });
  return { ...suspicion, clientId };
}

async function ofBearer(
  request: FastifyRequest,
  error: OAuthError,
  { keys, sealer }: DiagnosticsParts,
): Promise<Suspicion | undefined> {
  const token = bearerToken(request.headers.authorization) ?? formOf(request).get('access_token');
  if (token === undefined || tokens >= MOST_TOKENS) return undefined;
  tokens += 1;
  try {
    return suspectBearer(token, error, await openAccessToken(keys, token), sealer);
  } finally {
    tokens -= 1;
  }
}

/** Takes note of an authorization request that came to its good end: a code. */
export function noteAuthorization(request: AuthorizationRequest, { diagnostics, now }: Parts): void {
  const { clientId, codeChallenge, state, nonce } = request;
  const at = now();
  diagnostics.observed(clientId, codeChallenge === undefined ? 'without_pkce' : 'pkce', at);
  diagnostics.observed(clientId, state === undefined ? 'without_state' : 'state', at);
  diagnostics.observed(clientId, nonce === undefined ? 'without_nonce' : 'nonce', at);
}

/** Takes note of a token request that was answered. Many alike at a time are looked at once. */
export function noteTokenRequest(request: FastifyRequest, { diagnostics, now }: Parts): void {
  const form = formOf(request);
  const { authorization } = request.headers;
  const clientId = form.get('client_id') ?? namedClient(form, authorization);
  if (clientId === undefined) return;
  const grantType = form.get('grant_type');
  const at = now();
  const { keyWitness } = diagnostics;
  if (keyWitness.justLooked(`${clientId} ${grantType} ${authorization === undefined}`, at)) return;
  if (grantType === 'refresh_token') diagnostics.observed(clientId, 'renewal', at);
  if (form.get('client_secret') !== undefined) diagnostics.observed(clientId, 'secret_in_form', at);
  else if (authorization !== undefined) diagnostics.observed(clientId, 'secret_as_basic', at);
  if (keyWitness.tokensGiven(clientId, addressOf(request))) diagnostics.observed(clientId, 'keys', at);
}

/** Takes note of published keys that were fetched. */
export function noteKeysFetched(request: FastifyRequest, { diagnostics, now }: Parts): void {
  for (const clientId of diagnostics.keyWitness.keysFetched(addressOf(request)))
    diagnostics.observed(clientId, 'keys', now());
}
