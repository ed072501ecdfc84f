// POST /oauth/par (RFC 9126): pushed authorization requests.
import type { FastifyInstance } from 'fastify';
import { recordIgnoredScopes } from '../http/diagnostics.ts';
import { registerOAuthEndpoint } from '../http/oauth-endpoint.ts';
import type { Services } from '../http/services.ts';
import {
  AuthorizationError,
  type AuthorizationRequest,
  checkAuthorizationRequest,
} from '../oauth/authorization-request.ts';
import {
  authenticatedClient,
  clientAuthenticationError,
  type PresentedCredentials,
} from '../oauth/client-authentication.ts';
import { invalidRequest } from '../oauth/errors.ts';
import { PUSHED_REQUEST_TTL } from '../oauth/lifetimes.ts';
import type { Parameters } from '../oauth/parameters.ts';
import { sealPushedRequest } from '../oauth/pending-request.ts';
import { explainUnregisteredRedirectUri } from '../oauth/redirect-uri-mismatch.ts';
import { isMetadataClientId } from '../oauth/secrets.ts';
import { type AuthorizationContext, findAuthorizationContext } from '../store/authorization-context.ts';
import { ensureClientMetadataForPar } from '../web/metadata-clients.ts';

export function parRoute(app: FastifyInstance, services: Services): void {
  const { database, sealer } = services;
  registerOAuthEndpoint(app, services, '/oauth/par', {
    diagnostics: 'par',
    authentication: 'first',
    status: 201,
    async before(form, request) {
      const clientId = form.get('client_id') ?? '';
      if (isMetadataClientId(clientId)) await ensureClientMetadataForPar(request, services, clientId);
    },
    handle: async ({ request, form, credentials, now }) => {
      const context = await findAuthorizationContext(
        database,
        credentials.clientId,
        undefined,
        now,
        form.getAll('resource'),
      );
      if (context === undefined) throw clientAuthenticationError(credentials);
      if (form.get('request_uri') !== undefined)
        throw invalidRequest('request_uri cannot be pushed. Send the parameters directly.', {
          kind: 'request_object_unsupported',
        });
      const pushed = validatePushedRequest(form, context, credentials);
      recordIgnoredScopes(request, pushed, form.get('scope'), services);
      return { request_uri: sealPushedRequest(sealer, pushed, now), expires_in: PUSHED_REQUEST_TTL };
    },
  });
}

/** Errors are sent to the client, not redirected (RFC 9126 §2.3). */
function validatePushedRequest(
  form: Parameters,
  { client, apis }: AuthorizationContext,
  credentials: PresentedCredentials,
): AuthorizationRequest {
  try {
    const request = checkAuthorizationRequest(form, client, { pushed: true, apis });
    if (request !== 'unregisteredRedirectUri') return request;
  } catch (error) {
    throw error instanceof AuthorizationError
      ? error.oauthError.withDiagnostics(authenticatedClient(credentials))
      : error;
  }
  const sent = form.get('redirect_uri');
  throw invalidRequest(
    'redirect_uri is missing or not registered for this application. URIs are compared character by character.',
    sent === undefined
      ? { kind: 'parameter_missing', parameter: 'redirect_uri' }
      : explainUnregisteredRedirectUri(sent, client.redirectUris),
  ).withDiagnostics(authenticatedClient(credentials));
}
