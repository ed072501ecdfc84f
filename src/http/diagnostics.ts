// Records refused and successful requests for clients' diagnostics pages.
import type { FastifyRequest } from 'fastify';
import { readSignedAccessToken } from '../keys/tokens.ts';
import { type AuthorizationRequest, listRequestedScopes } from '../oauth/authorization-request.ts';
import { parseBasicHeader, unauthenticatedClient } from '../oauth/client-authentication.ts';
import type { OAuthError } from '../oauth/errors.ts';
import type { Parameters } from '../oauth/parameters.ts';
import type { RefusedRequest } from '../oauth/refusal-diagnosis.ts';
import type {
  DiagnosticContext,
  DiagnosticWarning,
  IdentifiedClient,
  RefusalKind,
} from '../oauth/refusal-reason.ts';
import { listIgnoredScopes } from '../oauth/scopes.ts';
import { readForm, readQuery } from './parameters.ts';
import { clientNetwork } from './rate-limit.ts';
import { isHeadRequest } from './request.ts';
import { type DiagnosedEndpoint, pathOf } from './route-config.ts';
import type { Services } from './services.ts';

/** Endpoints where the Authorization header contains no client credentials. */
const ENDPOINTS_WITHOUT_CLIENT_AUTHENTICATION: readonly DiagnosedEndpoint[] = [
  'authorize',
  'logout',
  'userinfo',
];
/** These refusals are normal while a device polls (RFC 8628 §3.5), so they aren't recorded. */
const POLLING_REASONS: readonly RefusalKind[] = ['device_authorization_pending', 'device_polls_too_fast'];

type DiagnosticsServices = Pick<Services, 'activity' | 'diagnostics' | 'keys' | 'now'>;

const getEndpoint = (request: FastifyRequest): DiagnosedEndpoint | undefined =>
  request.server.pathConfigs.get(pathOf(request))?.diagnostics;

/**
 * Records a refused request. Errors are logged and never thrown.
 * @param hasErrorPage whether the user sees an error page with an incident code
 */
export function recordRefusal(
  request: FastifyRequest,
  refusal: OAuthError,
  services: DiagnosticsServices,
  hasErrorPage = false,
): void {
  if (isHeadRequest(request)) return;
  try {
    const endpoint = getEndpoint(request);
    const { reason, context, error } = refusal;
    const at = services.now();
    const commonFields = { error, ip: clientNetwork(request), incident: request.id, at };
    const unattributed = hasErrorPage ? { description: refusal.description } : undefined;
    // Recording a 503 would add load to an overloaded service.
    if (endpoint === undefined || refusal.status === 503 || POLLING_REASONS.includes(reason.kind)) {
      const refused: RefusedRequest = { reason, context: {}, client: undefined };
      if (unattributed !== undefined)
        services.diagnostics.recordRefusal({
          ...commonFields,
          refused,
          unattributed,
          // Store the route because the URL may contain secrets. Undecodable URLs match no route.
          endpoint: request.routeOptions?.url ?? '',
        });
      return;
    }
    const refused: RefusedRequest = {
      reason,
      context,
      client: refusal.client ?? findClaimedClient(request, endpoint),
    };
    services.activity.countServiceEvent('refused', at);
    // `services.diagnostics` counts refusals of unauthenticated clients.
    if (refused.client?.authenticated)
      services.activity.countClientEvent(refused.client.clientId, 'refused', at);
    services.diagnostics.recordRefusal({
      ...commonFields,
      refused: context.bearer === undefined ? refused : addTokenClient(refused, context.bearer, services),
      unattributed,
      endpoint,
    });
  } catch (failure) {
    request.log.error({ err: failure }, 'could not record a refused request');
  }
}

export function recordIgnoredScopes(
  request: FastifyRequest,
  granted: Pick<AuthorizationRequest, 'clientId' | 'scopes' | 'apis'>,
  sent: string | undefined,
  { diagnostics, now }: Pick<Services, 'diagnostics' | 'now'>,
): void {
  const scopes = listIgnoredScopes(sent ?? '', listRequestedScopes(granted));
  if (scopes !== undefined)
    recordWarning(request, granted.clientId, { kind: 'scopes_ignored', scopes }, { diagnostics, now });
}

/** Records that a suspended API introspected a token and got `active: false`. */
export const recordSuspendedApi = (
  request: FastifyRequest,
  apiId: string,
  services: Pick<Services, 'diagnostics' | 'now'>,
): void => recordWarning(request, apiId, { kind: 'api_suspended' }, services);

function recordWarning(
  request: FastifyRequest,
  clientId: string,
  reason: DiagnosticWarning,
  { diagnostics, now }: Pick<Services, 'diagnostics' | 'now'>,
): void {
  const endpoint = getEndpoint(request);
  if (isHeadRequest(request) || endpoint === undefined) return;
  diagnostics.recordRefusal({
    // Recorded as unauthenticated so that frequent warnings don't displace the client's errors.
    refused: { reason, client: unauthenticatedClient(clientId), context: {} },
    endpoint,
    error: '',
    ip: clientNetwork(request),
    incident: request.id,
    at: now(),
  });
}

/** Returns the client that the request names. The client isn't authenticated. */
function findClaimedClient(
  request: FastifyRequest,
  endpoint: DiagnosedEndpoint,
): IdentifiedClient | undefined {
  const authorization = ENDPOINTS_WITHOUT_CLIENT_AUTHENTICATION.includes(endpoint)
    ? undefined
    : request.headers.authorization;
  return unauthenticatedClient(
    readClientId(readForm(request), authorization) ?? readQuery(request).get('client_id'),
  );
}

const readClientId = (form: Parameters, authorization: string | undefined): string | undefined =>
  form.get('client_id') ??
  (/^basic /i.test(authorization ?? '') ? parseBasicHeader(authorization ?? '')?.id : undefined);

/** Returns undefined if the token's signature is invalid. */
async function addTokenClient(
  refused: RefusedRequest,
  bearer: string,
  { keys }: DiagnosticsServices,
): Promise<RefusedRequest | undefined> {
  const verified = await readSignedAccessToken(keys, bearer);
  if (verified === undefined) return undefined;
  const { userId, grantId, clientId } = verified;
  const token: DiagnosticContext['token'] = grantId
    ? { tokenKind: 'access_token', userId, grantId, rotation: 0 }
    : undefined;
  const context: DiagnosticContext = token === undefined ? refused.context : { ...refused.context, token };
  return { ...refused, client: unauthenticatedClient(clientId), context };
}

export function recordAuthorization(request: AuthorizationRequest, { diagnostics, now }: Services): void {
  const { clientId, codeChallenge, state, nonce } = request;
  const at = now();
  diagnostics.recordObservation(clientId, codeChallenge === undefined ? 'without_pkce' : 'pkce', at);
  diagnostics.recordObservation(clientId, state === undefined ? 'without_state' : 'state', at);
  diagnostics.recordObservation(clientId, nonce === undefined ? 'without_nonce' : 'nonce', at);
}

export function recordTokenRequest(request: FastifyRequest, { diagnostics, now }: Services): void {
  const form = readForm(request);
  const clientId = readClientId(form, request.headers.authorization);
  const grantType = form.get('grant_type');
  if (clientId === undefined) return;
  if (grantType === 'authorization_code') diagnostics.recordObservation(clientId, 'exchange', now());
  if (grantType === 'refresh_token') diagnostics.recordObservation(clientId, 'renewal', now());
}
