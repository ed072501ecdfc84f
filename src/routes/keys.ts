// GET /.well-known/jwks.json (RFC 7517 §5): the public halves of the signing keys.
import type { FastifyInstance } from 'fastify';
import type { Parts } from '../parts.ts';
import { UNCOUNTED } from '../plugins/route-config.ts';

export function keysRoute(app: FastifyInstance, { keys }: Parts): void {
  const document = JSON.stringify({ keys: Object.values(keys).map(({ publicJwk }) => publicJwk) });
  app.get('/.well-known/jwks.json', { config: UNCOUNTED, exposeHeadRoute: true }, async (_request, reply) =>
    reply
      .header('cache-control', 'public, max-age=300')
      .type('application/json; charset=utf-8')
      .send(document),
  );
}
