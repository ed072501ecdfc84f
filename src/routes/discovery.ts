// GET /.well-known/openid-configuration (OpenID Connect Discovery §3): every member true.
import type { FastifyInstance } from 'fastify';
import { GRANT_TYPES } from '../grants/index.ts';
import { SCOPES } from '../oauth/scopes.ts';
import type { Parts } from '../parts.ts';
import { UNCOUNTED } from '../plugins/route-config.ts';

export function discoveryRoute(app: FastifyInstance, { config: { baseUrl } }: Parts): void {
  const document = JSON.stringify({
    issuer: baseUrl,
    authorization_endpoint: `${baseUrl}/oauth/authorize`,
    token_endpoint: `${baseUrl}/oauth/token`,
    userinfo_endpoint: `${baseUrl}/oauth/userinfo`,
    revocation_endpoint: `${baseUrl}/oauth/token/revoke`,
    jwks_uri: `${baseUrl}/.well-known/jwks.json`,
    scopes_supported: SCOPES,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: GRANT_TYPES,
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic', 'none'],
    revocation_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic', 'none'],
    code_challenge_methods_supported: ['S256'],
    prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
    claims_supported: [
      ...['iss', 'sub', 'aud', 'exp', 'iat', 'auth_time', 'nonce', 'at_hash', 'sid'],
      ...['name', 'avatar', 'picture', 'updated_at', 'email', 'email_verified', 'phone', 'phone_number'],
    ],
    ui_locales_supported: ['fr', 'en'],
    authorization_response_iss_parameter_supported: true,
    claims_parameter_supported: false,
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
  });
  app.get(
    '/.well-known/openid-configuration',
    { config: UNCOUNTED, exposeHeadRoute: true },
    async (_request, reply) =>
      reply
        .header('cache-control', 'public, max-age=300')
        .type('application/json; charset=utf-8')
        .send(document),
  );
}
