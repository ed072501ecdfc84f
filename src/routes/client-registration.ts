// POST /oauth/register (RFC 7591): dynamic client registration, if an administrator has enabled it.
import type { FastifyInstance } from 'fastify';
import { registerAgent } from '../agents/registration.ts';
import { clientNetwork } from '../http/rate-limit.ts';
import { withRouteConfig } from '../http/route-config.ts';
import type { Services } from '../http/services.ts';
import { ClientMetadataError, parseMetadataJson, RedirectUrisError } from '../oauth/client-metadata.ts';
import { OAuthError, rateLimited, temporarilyUnavailable } from '../oauth/errors.ts';

/** In seconds. */
const RETRY_AFTER = 360;

export function clientRegistrationRoute(app: FastifyInstance, services: Services): void {
  if (!services.config.agentsRegistration) return;
  withRouteConfig(app, { caller: 'anyone' }, (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      /^application\/json *(?:;|$)/i,
      { parseAs: 'string' },
      (_request, body, done) => done(null, body),
    );
    scope.addContentTypeParser('*', (_request, _body, done) =>
      done(metadataError('invalid_client_metadata', 'Send the metadata as application/json.')),
    );

    scope.post('/oauth/register', async (request, reply) => {
      const now = services.now();
      const result = await register(request.body, clientNetwork(request), now);
      if (result.outcome !== 'registered')
        throw result.outcome === 'tooMany'
          ? rateLimited(RETRY_AFTER)
          : temporarilyUnavailable(undefined, RETRY_AFTER);
      const { agent } = result;
      reply.code(201).headers({ 'cache-control': 'no-store', pragma: 'no-cache' });
      return reply.type('application/json; charset=utf-8').send(
        JSON.stringify({
          client_id: agent.clientId,
          client_id_issued_at: Math.floor(now.getTime() / 1000),
          client_name: agent.name,
          redirect_uris: agent.redirectUris,
          token_endpoint_auth_method: agent.jwks === null ? 'none' : 'private_key_jwt',
          ...(agent.jwks && { jwks: agent.jwks }),
          grant_types: ['authorization_code', 'refresh_token'],
          response_types: ['code'],
        }),
      );
    });
  });

  async function register(body: unknown, network: string, now: Date) {
    try {
      return await registerAgent(
        services,
        parseMetadataJson(typeof body === 'string' ? body : ''),
        network,
        now,
      );
    } catch (error) {
      if (!(error instanceof ClientMetadataError)) throw error;
      const isRedirectUriError = error instanceof RedirectUrisError;
      throw metadataError(
        isRedirectUriError ? 'invalid_redirect_uri' : 'invalid_client_metadata',
        error.message,
      );
    }
  }
}

const metadataError = (error: string, description: string): OAuthError =>
  new OAuthError(400, error, description, { kind: 'client_metadata_invalid' });
