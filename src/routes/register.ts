// POST /oauth/register (RFC 7591): agents that have no document register themselves, where an operator lets them.
import type { FastifyInstance } from 'fastify';
import { registerAgent } from '../agents/registration.ts';
import type { Parts } from '../http/parts.ts';
import { addressOf } from '../http/rate-limit.ts';
import { areaFor } from '../http/route-config.ts';
import { AgentCallbackFault, AgentFault, metadataIn } from '../oauth/agent-document.ts';
import { OAuthError, rateLimited, temporarilyUnavailable } from '../oauth/errors.ts';

const RETRY_AFTER = 360;

export function registerRoute(app: FastifyInstance, parts: Parts): void {
  if (!parts.config.agentsRegistration) return;
  areaFor(app, { caller: 'anyone' }, (area) => {
    area.removeAllContentTypeParsers();
    area.addContentTypeParser(/^application\/json *(?:;|$)/i, { parseAs: 'string' }, (_request, body, done) =>
      done(null, body),
    );
    area.addContentTypeParser('*', (_request, _body, done) =>
      done(refusal('invalid_client_metadata', 'Send the metadata as application/json.')),
    );

    area.post('/oauth/register', async (request, reply) => {
      const now = parts.now();
      const result = await registered(request.body, addressOf(request), now);
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

  async function registered(body: unknown, address: string, now: Date) {
    try {
      return await registerAgent(parts, metadataIn(typeof body === 'string' ? body : ''), address, now);
    } catch (error) {
      if (!(error instanceof AgentFault)) throw error;
      const isCallback = error instanceof AgentCallbackFault;
      throw refusal(isCallback ? 'invalid_redirect_uri' : 'invalid_client_metadata', error.message);
    }
  }
}

const refusal = (error: string, words: string): OAuthError =>
  new OAuthError(400, error, words, { kind: 'agent_unreadable' });
