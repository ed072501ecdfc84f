// Provider metadata: one document for OpenID Connect Discovery §3 and RFC 8414 §3.
import type { FastifyInstance } from 'fastify';
import { GRANT_TYPES } from '../grants/index.ts';
import type { Services } from '../http/services.ts';
import { LOCALES } from '../i18n/index.ts';
import { ACRS } from '../oauth/authentication-methods.ts';
import { RESPONSE_MODES } from '../oauth/authorization-request.ts';
import { listClaimNames } from '../oauth/claims.ts';
import { ASSERTION_ALGORITHMS } from '../oauth/client-assertion.ts';
import { OFFLINE_ACCESS, SCOPES } from '../oauth/scopes.ts';

const METADATA_PATHS = ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server'];

const CONFIDENTIAL_CLIENT_METHODS = ['client_secret_post', 'client_secret_basic', 'private_key_jwt'];

export function discoveryRoute(app: FastifyInstance, { config }: Services): void {
  const { baseUrl } = config;
  const document = JSON.stringify({
    issuer: baseUrl,
    authorization_endpoint: `${baseUrl}/oauth/authorize`,
    token_endpoint: `${baseUrl}/oauth/token`,
    userinfo_endpoint: `${baseUrl}/oauth/userinfo`,
    pushed_authorization_request_endpoint: `${baseUrl}/oauth/par`,
    require_pushed_authorization_requests: false,
    revocation_endpoint: `${baseUrl}/oauth/token/revoke`,
    device_authorization_endpoint: `${baseUrl}/oauth/device_authorization`,
    end_session_endpoint: `${baseUrl}/oauth/logout`,
    backchannel_logout_supported: true,
    backchannel_logout_session_supported: true,
    introspection_endpoint: `${baseUrl}/oauth/introspect`,
    introspection_endpoint_auth_methods_supported: CONFIDENTIAL_CLIENT_METHODS,
    introspection_endpoint_auth_signing_alg_values_supported: ASSERTION_ALGORITHMS,
    jwks_uri: `${baseUrl}/.well-known/jwks.json`,
    scopes_supported: [...SCOPES, OFFLINE_ACCESS],
    response_types_supported: ['code'],
    response_modes_supported: RESPONSE_MODES,
    grant_types_supported: GRANT_TYPES,
    subject_types_supported: ['public'],
    acr_values_supported: ACRS,
    display_values_supported: ['page'],
    id_token_signing_alg_values_supported: ['RS256', 'ES256', 'EdDSA'],
    token_endpoint_auth_methods_supported: [...CONFIDENTIAL_CLIENT_METHODS, 'none'],
    token_endpoint_auth_signing_alg_values_supported: ASSERTION_ALGORITHMS,
    revocation_endpoint_auth_methods_supported: [...CONFIDENTIAL_CLIENT_METHODS, 'none'],
    revocation_endpoint_auth_signing_alg_values_supported: ASSERTION_ALGORITHMS,
    ...(config.agents.length > 0 && { client_id_metadata_document_supported: true }),
    ...(config.agentsRegistration && { registration_endpoint: `${baseUrl}/oauth/register` }),
    code_challenge_methods_supported: ['S256'],
    prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
    claims_supported: [
      ...['iss', 'aud', 'exp', 'iat', 'auth_time', 'acr', 'amr', 'nonce', 'at_hash', 'sid'],
      ...new Set([...listClaimNames(SCOPES, true), ...listClaimNames(SCOPES, false)]),
    ],
    ui_locales_supported: LOCALES,
    authorization_response_iss_parameter_supported: true,
    claims_parameter_supported: true,
    request_parameter_supported: false,
    // The default is true (Discovery §3).
    request_uri_parameter_supported: false,
    // An empty list indicates that `none` isn't supported.
    request_object_signing_alg_values_supported: [],
  });
  for (const path of METADATA_PATHS)
    app.get(path, async (_request, reply) =>
      reply
        .header('cache-control', 'public, max-age=300')
        .type('application/json; charset=utf-8')
        .send(document),
    );
}
